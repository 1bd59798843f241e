/**
 * A body that is not JSON, and where that shows -> what to write instead, where the character there shows what
 * somebody is used to from elsewhere. Pure. What it says holds nothing of the text.
 */

interface Around {
  /** Begins at the character that is not expected. */
  readonly text: string
  /** The last character in front of it that is no white space; empty where there is none. */
  readonly before: string
}

/** The first that applies counts. */
const hints: readonly (readonly [applies: (around: Around) => boolean, hint: string])[] = [
  [({ text, before }) => text.startsWith('\ufeff') && before === '', 'send it without a byte-order mark'],
  [({ before }) => before === '\\', String.raw`a backslash in a text is written \\`],
  [({ text }) => /^['‘’“”]/.test(text), 'JSON has double quotes'],
  [({ text, before }) => /^[}\]]/.test(text) && before === ',', 'remove the comma in front of it'],
  [({ text }) => /^\/[/*]/.test(text), 'JSON has no comments'],
  [({ text, before }) => /^[\n\r\t]/.test(text) && before !== '', String.raw`in a text it is \n, \r or \t`],
  [
    ({ text, before }) => /^[:,[]$/.test(before) && /^(?:true|false|null|none)\b/i.test(text),
    'write true, false and null in small letters',
  ],
  [({ text, before }) => /^[:,[]$/.test(before) && /^(?:NaN|Infinity)\b/.test(text), 'JSON has no such number'],
  [({ text, before }) => /^[{,[:]$/.test(before) && /^[\p{L}_$]/u.test(text), 'keys and texts have double quotes'],
]

/** What belongs behind the message of an error that the scanner has thrown; empty where nothing does. */
export function hintOf({ cause }: Error): string {
  const { hint } = (cause ?? {}) as { readonly hint?: string | undefined }
  return hint === undefined ? '' : `; ${hint}`
}

/** Undefined where nothing is to be said. */
export function hintAt(whole: string, at: number): string | undefined {
  // A text may be long, and white space in front is hardly so.
  const front = whole.slice(Math.max(0, at - maxWhiteSpace), at).trimEnd()
  const around = { text: whole.slice(at, at + maxWord), before: front.slice(-1) }
  return hints.find(([applies]) => applies(around))?.[1]
}

const maxWhiteSpace = 1024
const maxWord = 16
