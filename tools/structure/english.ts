/**
 * Text -> how often it uses the words that a native technical writer would not. The patterns and the goals are those of
 * the style page: a condition is *if*, the doer has a name, an order in time is *after*, a message *reports*.
 */

export interface Text {
  /** Comments, messages or paragraphs. */
  readonly texts: number
  readonly words: number
  /** Pattern -> how often it occurs. */
  readonly found: Readonly<Record<Pattern, number>>
}

export type Pattern = keyof typeof patterns

/** Goals are occurrences for each 1 000 words, but `opening`: for each 100 comments. */
export const patterns = {
  where: {
    says: '*where* for *if*',
    goal: 0.5,
    // Places stay: after a preposition, a verb of seeing or a noun of place, and before "it is", "it begins".
    regex:
      /(?<!\b(?:from|to|see|shows?|says?|know|place|places|line|file|folder|host|server) )\bwhere\b(?! (?:it|they) (?:is|are|stands?|c[ao]mes?|begins?|ends?|goes)\b)/gi,
  },
  doer: { says: '*nobody*, *somebody*, *whoever* as the doer', goal: 0.13, regex: /\b(?:nobody|somebody|whoever)\b/gi },
  behind: { says: '*behind* for *after*', goal: 0.34, regex: /\bbehind\b/gi },
  tell: { says: '*tell* for *report*', goal: 0.3, regex: /\b(?:tells?|told|telling)\b/gi },
  opening: {
    says: 'opens with *What, Who, Where, Of, Those, That of*',
    goal: 3,
    regex: /^(?:What|Who|Where|Whatever|Of|Those|That of)\b/g,
  },
} as const satisfies Record<string, { says: string; goal: number; regex: RegExp }>

export const patternNames = Object.keys(patterns) as Pattern[]

/** One comment, message or paragraph a string, without its marks. */
export function judge(texts: readonly string[]): Text {
  const found = Object.fromEntries(patternNames.map((name) => [name, 0])) as Record<Pattern, number>
  let words = 0
  for (const text of texts) {
    words += text.match(/\p{L}[\p{L}\p{N}'-]*/gu)?.length ?? 0
    for (const name of patternNames) found[name] += text.match(patterns[name].regex)?.length ?? 0
  }
  return { texts: texts.length, words, found }
}

/** How often each pattern occurs for each 1 000 words; `opening` for each 100 texts. */
export function rateOf({ texts, words, found }: Text, name: Pattern): number {
  return name === 'opening' ? (found[name] / texts) * 100 : (found[name] / words) * 1000
}

/** A comment as people read it: without stars and line breaks. */
export function plainComment(value: string): string {
  return value
    .replaceAll(/^\s*\*\s?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
