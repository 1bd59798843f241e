/**
 * The command line of a program, from one table of its commands and flags: words in, what to do out. Whatever is wrong
 * is reported with the flag or the command that was probably meant. Nothing is printed here. The table is program.ts,
 * its help help.ts.
 */
import { parseArgs } from 'node:util'
import { writeHelp } from './help.ts'
import { type Command, type CommandOf, type Flag, nameOf, type Program, type Range, type Told } from './program.ts'

class WrongCommandLine extends Error {}

/** `argv` without the runtime and the script. */
export function readCommandLine<const Table extends Program>(
  program: Table,
  argv: readonly string[],
): CommandOf<Table> | Told {
  try {
    return read(program, argv) as CommandOf<Table> | Told
  } catch (error) {
    if (!(error instanceof WrongCommandLine)) throw error
    return { action: 'refuse', text: `${program.name}: ${error.message}\nTry: ${program.name} --help\n` }
  }
}

const general: Readonly<Record<string, Flag>> = {
  help: { kind: 'switch', short: 'h' },
  version: { kind: 'switch', short: 'V' },
}

interface Token {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

function read(program: Program, argv: readonly string[]): object {
  const rows = { ...program.flags, ...general }
  const byName = new Map(Object.entries(rows).map(([field, row]) => [nameOf(field, row), { field, row }]))
  // Not strict: the parser's own words suggest quoting where a flag is misspelled.
  const { positionals, tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries([...byName].map(([name, { row }]) => [name, optionOf(row)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const flags = tokens.filter((token) => token.kind === 'option')
  for (const { name, rawName } of flags) {
    if (byName.has(name)) continue
    const hint = inOtherCase(Object.values(rows), name) || meant(program, name, [...byName.keys()], '--')
    refuse(`unknown flag ${shown(rawName)}${hint}`)
  }
  const isHelp = positionals[0] === 'help' || flags.some(({ name }) => name === 'help')
  const topic = isHelp ? readTopic(program, positionals) : undefined
  const { command, path } = topic === undefined ? readCommand(program, positionals) : { command: undefined }
  // Two commands may each have a flag of one name.
  const ownNames = command === undefined ? new Map<string, OwnFlag>() : namesOf(program, command)
  const given = new Map<string, Token[]>()
  for (const flag of flags) {
    const { field, row } = (ownNames.get(flag.name) ?? byName.get(flag.name)) as OwnFlag
    checkFlag(program, command, { ...flag, field, row })
    given.set(field, [...(given.get(field) ?? []), flag])
  }
  if (command === undefined) return { action: 'help', text: writeHelp(program, topic) }
  if (given.has('version')) return { action: 'version', text: `${program.name} ${program.version}\n` }
  const { flags: own, operand } = program.commands[command] as Command
  const values = Object.keys(own).map((field) => {
    return [field, valueOf(program.flags[field] as Flag, field, given.get(field) ?? [])]
  })
  const isMissing = operand !== undefined && operand.isOptional !== true && !path
  if (isMissing || path === '') refuse(`${command} needs ${operand?.is}`)
  return {
    action: command,
    ...(path === undefined ? {} : { path }),
    ...(Object.fromEntries(values.filter(([, value]) => value !== undefined)) as object),
  }
}

interface OwnFlag {
  readonly field: string
  readonly row: Flag
}

function namesOf({ flags, commands }: Program, command: string): Map<string, OwnFlag> {
  const rows = Object.keys((commands[command] as Command).flags).map((field) => ({ field, row: flags[field] as Flag }))
  return new Map(rows.map((each) => [nameOf(each.field, each.row), each]))
}

/** The commands whose help is asked for: one, a family such as `wsdl`, or all. */
function readTopic(program: Program, positionals: readonly string[]): readonly string[] {
  const names = Object.keys(program.commands)
  const [first, second] = positionals[0] === 'help' ? positionals.slice(1) : positionals
  if (first === undefined || names.length === 1) return names
  const family = names.filter((name) => name.startsWith(`${first} `))
  if (family.length > 0 && second === undefined) return family
  const command = family.length > 0 ? `${first} ${second}` : first
  return names.includes(command) ? [command] : refuseCommand(program, command)
}

function readCommand(program: Program, positionals: readonly string[]): { command: string; path?: string | undefined } {
  const names = Object.keys(program.commands)
  if (names.length === 1) {
    if (positionals[0] !== undefined) refuse(`${shown(positionals[0])} is too much: there are no commands`)
    return { command: program.implied }
  }
  const isFamily = names.some((name) => name.startsWith(`${positionals[0] ?? ''} `))
  const words = isFamily ? 2 : 1
  const command = positionals.length === 0 ? program.implied : positionals.slice(0, words).join(' ')
  if (!names.includes(command)) refuseCommand(program, command)
  const { operand } = program.commands[command] as Command
  const path = operand === undefined ? undefined : positionals[words]
  const extra = positionals[operand === undefined ? words : words + 1]
  if (extra !== undefined) {
    const most = operand === undefined ? 'command' : operand.value.toLowerCase()
    refuse(`${shown(extra)} is too much: one ${most} at most${configHint(program, command, extra)}`)
  }
  return { command, path }
}

function refuseCommand(program: Program, command: string): never {
  const names = Object.keys(program.commands)
  const hint = configHint(program, program.implied, command) || meant(program, command, names, '')
  const listed = names.map((name) => (name === program.implied ? `${name} (also without a command)` : name))
  refuse(`unknown command ${shown(command)}${hint}\nCommands: ${listed.join(', ')}`)
}

/** A configuration that is there without its flag. */
function configHint({ commands, flags }: Program, command: string, word: string): string {
  const takesOne = 'config' in flags && 'config' in (commands[command] as Command).flags
  return takesOne && /^[\w./-]+\.ya?ml$/.test(word) ? `; did you mean --config ${word}?` : ''
}

interface GivenFlag extends Token, OwnFlag {}

/** `command` is absent if only help is asked for. */
function checkFlag(program: Program, command: string | undefined, given: GivenFlag): void {
  const { name, rawName, value, inlineValue, field, row } = given
  if (row.kind === 'switch' && value !== undefined) refuse(`${rawName} takes no value`)
  const owners = Object.keys(program.commands).filter((other) => namesOf(program, other).has(name))
  const isOfAny = command === undefined || Object.hasOwn(general, field)
  if (!isOfAny && !owners.includes(command)) refuse(`${rawName} belongs to the command ${owners.join(', ')}`)
  // A flag instead of a value is a forgotten value.
  const isMissing = !value || (value.startsWith('-') && inlineValue === false)
  if (row.kind !== 'switch' && isMissing) refuse(`${rawName} needs a value${insteadOf(row, value)}`)
}

function insteadOf(row: Flag, value: string | undefined): string {
  return value === '' && row.kind === 'text' && row.instead !== undefined ? `; ${row.instead}` : ''
}

function valueOf(row: Flag, field: string, given: readonly Token[]): unknown {
  const last = given.at(-1)?.value
  switch (row.kind) {
    case 'switch':
      return given.length > 0
    case 'text':
      return last ?? row.default
    case 'hosts':
      return given.map(({ value }) => value?.toLowerCase())
    case 'choice':
      if (last === undefined) return row.choices[0]
      if (!row.choices.includes(last)) refuse(found(row, field, last, row.choices.join(' or ')))
      return last
    case 'whole':
      if (last === undefined) return row.default
      if (!isWhole(last, row)) refuse(found(row, field, last, `a whole number from ${row.from} to ${row.to}`))
      return Number(last)
  }
}

function isWhole(text: string, { from, to }: Range): boolean {
  return /^\d+$/.test(text) && text.length <= String(to).length && Number(text) >= from && Number(text) <= to
}

function found(row: Flag, field: string, value: string, expected: string): string {
  return `--${nameOf(field, row)}: found ${shown(value)}, expected ${expected}`
}

function optionOf(row: Flag): { type: 'boolean' | 'string'; short?: string; multiple: boolean } {
  const short = row.short === undefined ? {} : { short: row.short }
  return { type: row.kind === 'switch' ? 'boolean' : 'string', ...short, multiple: row.kind === 'hosts' }
}

function meant({ nearest }: Program, name: string, known: readonly string[], prefix: string): string {
  const near = nearest(name, known)
  return near === undefined ? '' : `; did you mean ${prefix}${near}?`
}

/** Of a flag of one letter: `-v` for `-V`. */
function inOtherCase(rows: readonly Flag[], letter: string): string {
  const meantOne = rows.find(({ short }) => short?.toLowerCase() === letter.toLowerCase())
  return meantOne === undefined ? '' : `; did you mean -${meantOne.short}?`
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 64))
}

function refuse(problem: string): never {
  throw new WrongCommandLine(problem)
}
