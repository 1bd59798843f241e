/**
 * Level directives, such as `info` or `warn,sqlx=debug`: a level for everything, and one for each target. Text in, a
 * map out. Targets that the service does not have are kept and never asked for: directives are often copied from other
 * services.
 */
import { type Level, levels } from './events.ts'

export const severities = ['off', ...levels] as const

export type Severity = (typeof severities)[number]

/** Target -> level; the level for everything else is at the empty name. */
export type Levels = ReadonlyMap<string, Severity>

const spellings = [...severities, ...severities.map((severity) => severity.toUpperCase())].join('|')
const item = `(?:[A-Za-z_][\\w:.-]*\\s*=\\s*)?(?:${spellings})`

/**
 * A valid directive. `readLevels` ignores what it does not understand; to refuse such a directive, check it with this
 * pattern first.
 */
export const levelsPattern = new RegExp(`^\\s*${item}(?:\\s*,\\s*${item})*\\s*$`)

const pair = /^\s*(?:([A-Za-z_][\w:.-]*)\s*=\s*)?([A-Za-z]+)\s*$/

/** `toTarget` gives the name that is meant by one spelling of it. The last of several levels for one target counts. */
export function readLevels(directive: string, toTarget: (name: string) => string): Levels {
  const read = new Map<string, Severity>()
  for (const text of directive.split(',')) {
    const [, name = '', word = ''] = pair.exec(text) ?? []
    const severity = severities.find((known) => known === word.toLowerCase())
    if (severity !== undefined) read.set(toTarget(name), severity)
  }
  return read
}

export function isHeard(level: Level, target: string, read: Levels): boolean {
  const heard = read.get(target) ?? read.get('') ?? 'info'
  return severities.indexOf(level) <= severities.indexOf(heard)
}
