/**
 * Broken configurations, always the same ones: each is a whole file with one mistake that people make. Which one, and
 * where, comes from a seed.
 */

export interface Mutation {
  /** `dropped key, line 7`. */
  readonly title: string
  readonly text: string
}

type Break = (lines: readonly string[], at: number, random: () => number) => readonly string[] | string | undefined

const breaks: Readonly<Record<string, Break>> = {
  'dropped line': (lines, at) => lines.toSpliced(at, 1),
  'misspelt field': (lines, at, random) => onKey(lines, at, (key) => misspell(key, random)),
  'unknown field': (lines, at) => onLine(lines, at, (line) => `${indentOf(line)}colour: blue\n${line}`),
  'duplicate key': (lines, at) => onLine(lines, at, (line) => (isKey.test(line) ? `${line}\n${line}` : undefined)),
  'number for text': (lines, at) => onValue(lines, at, () => '17'),
  'text for number': (lines, at) => onValue(lines, at, () => 'many'),
  'list for a value': (lines, at) => onValue(lines, at, () => '[1, two]'),
  'map for a value': (lines, at) => onValue(lines, at, () => '{a: 1}'),
  'no value': (lines, at) => onValue(lines, at, () => ''),
  null: (lines, at) => onValue(lines, at, () => 'null'),
  'negative number': (lines, at) => onValue(lines, at, () => '-1'),
  'huge number': (lines, at) => onValue(lines, at, () => '99999999999999999999'),
  fraction: (lines, at) => onValue(lines, at, () => '1.5'),
  yes: (lines, at) => onValue(lines, at, () => 'yes'),
  'wrong word': (lines, at) => onValue(lines, at, (value) => `${value.replaceAll(/["']/g, '')}x`),
  'missing variable': (lines, at) => onValue(lines, at, () => '${COMPARE_MISSING}'),
  'open quote': (lines, at) => onValue(lines, at, (value) => `"${value}`),
  'tab for indent': (lines, at) => onLine(lines, at, (line) => `\t${line.trimStart()}`),
  'one space more': (lines, at) => onLine(lines, at, (line) => ` ${line}`),
  'no space after the colon': (lines, at) => onLine(lines, at, (line) => line.replace(': ', ':')),
  'upper case': (lines, at) => onKey(lines, at, (key) => key.toUpperCase()),
  'camel case': (lines, at) =>
    onKey(lines, at, (key) => key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())),
  hyphens: (lines, at) => onKey(lines, at, (key) => key.replaceAll('_', '-')),
  'cut file': (lines, at, random) => {
    const text = lines.slice(0, at + 1).join('\n')
    return text.slice(0, Math.max(1, text.length - Math.floor(random() * 20)))
  },
  'control character': (lines, at) => onLine(lines, at, (line) => `${line}\u0001`),
  'anchor without end': (lines, at) => onValue(lines, at, () => '*nowhere'),
  'second document': (lines, at) => onLine(lines, at, (line) => `${line}\n---`),
}

const isKey = /^\s*(?:- )?[\w-]+:/

/** The `count` mutations of a file; `random` gives numbers below 1. */
export function mutate(text: string, count: number, random: () => number): Mutation[] {
  const lines = text.split('\n')
  const candidates = [...lines.keys()].filter((index) => isKey.test(lines[index] ?? ''))
  const kinds = Object.entries(breaks)
  const found = new Map<string, Mutation>()
  for (let tried = 0; found.size < count && tried < count * 50; tried++) {
    const [name, apply] = kinds[Math.floor(random() * kinds.length)] as (typeof kinds)[0]
    const at = candidates[Math.floor(random() * candidates.length)] ?? 0
    const changed = apply(lines, at, random)
    if (changed === undefined) continue
    const mutated = typeof changed === 'string' ? changed : changed.join('\n')
    if (mutated !== text && !found.has(mutated)) found.set(mutated, { title: `${name}, line ${at + 1}`, text: mutated })
  }
  return [...found.values()]
}

function onLine(
  lines: readonly string[],
  at: number,
  change: (line: string) => string | undefined,
): readonly string[] | undefined {
  const changed = change(lines[at] ?? '')
  return changed === undefined ? undefined : lines.with(at, changed)
}

function onKey(lines: readonly string[], at: number, change: (key: string) => string): readonly string[] | undefined {
  return onLine(lines, at, (line) =>
    line.replace(/^(\s*(?:- )?)([\w-]+)/, (_, before: string, key: string) => before + change(key)),
  )
}

/** Undefined for a key whose value is on the lines below it. */
function onValue(
  lines: readonly string[],
  at: number,
  change: (value: string) => string,
): readonly string[] | undefined {
  return onLine(lines, at, (line) => {
    const [, before, value] = /^(\s*(?:- )?[\w-]+: )(.+)$/.exec(line) ?? []
    return before === undefined || value === undefined ? undefined : before + change(value)
  })
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? ''
}

function misspell(key: string, random: () => number): string {
  const at = Math.floor(random() * key.length)
  return random() < 0.5 ? key.slice(0, at) + key.slice(at + 1) : `${key.slice(0, at)}${key[at]}${key.slice(at)}`
}
