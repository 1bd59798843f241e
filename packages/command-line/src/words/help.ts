/**
 * The help of a program or of some of its commands, from the table of commands and flags. No line is longer than 80
 * characters.
 */
import { type Command, type Flag, nameOf, type Program } from './program.ts'

const lineLength = 80
/** Where the explanations begin. */
const column = 22

const help = row('  -h, --help', 'show this text and exit')
const general = `${help}\n${row('  -V, --version', 'show the version and exit')}`

/** `topic`: names of commands; the help of all has the program's purpose and environment too. */
export function writeHelp(program: Program, topic: readonly string[] = Object.keys(program.commands)): string {
  if (topic.length < Object.keys(program.commands).length) return writePart(program, topic)
  const sections = program.sections.map((section) => writeSection(program, section))
  // The flags of a program without commands are one list with those that every program has.
  const flags = sections.length === 1 ? [`${sections[0]}\n${general}`] : [...sections, general]
  return `${[writeUsage(program, topic), program.about, ...flags, program.environment].join('\n\n')}\n`
}

/** Describes each flag of these commands, also those that the help of all describes with another command. */
function writePart(program: Program, topic: readonly string[]): string {
  const all = Object.entries(program.commands)
  const texts = all.flatMap(([, { flags }]) => Object.entries(flags)).filter(([, text]) => text !== '')
  const described = new Map(texts.toReversed())
  const commands = all.map(([name, command]) => {
    const flags = Object.keys(command.flags).map((field) => [field, command.flags[field] || described.get(field) || ''])
    return [name, { ...command, flags: Object.fromEntries(flags) as Record<string, string> }]
  })
  const whole = { ...program, commands: Object.fromEntries(commands) as Program['commands'] }
  const sections = program.sections
    .map(({ heading, commands: names }) => ({
      ...(heading === undefined ? {} : { heading }),
      commands: names.filter((name) => topic.includes(name)),
    }))
    .filter(({ commands: names }) => names.length > 0)
    .map((section) => writeSection(whole, section))
  const parts = [writeUsage(program, topic), ...sections, help, `All commands: ${program.name} --help`]
  return `${parts.join('\n\n')}\n`
}

function writeUsage({ name, commands, implied, flags }: Program, topic: readonly string[]): string {
  const isOnly = Object.keys(commands).length === 1
  const lines = topic.map((command) => {
    const { operand, flags: own } = commands[command] as Command
    const word = command === implied ? `[${command}]` : command
    const start = isOnly ? name : `${name} ${word}`
    const parts = [
      operand?.isOptional === true ? `[${operand.value}]` : (operand?.value ?? ''),
      ...Object.keys(own).map((field) => inUsage(field, flags[field] as Flag)),
    ]
    return wrap(
      `       ${start}`,
      parts.filter((part) => part !== ''),
    )
  })
  return lines.join('\n').replace(/^ {6}/, 'Usage:')
}

function wrap(start: string, parts: readonly string[]): string {
  const lines = [start]
  for (const part of parts) {
    if (`${lines.at(-1)} ${part}`.length > lineLength) lines.push(' '.repeat(start.length))
    lines[lines.length - 1] += ` ${part}`
  }
  return lines.join('\n')
}

function inUsage(field: string, flag: Flag): string {
  const name = `--${nameOf(field, flag)}`
  if (flag.kind === 'switch') return `[${name}]`
  const value = flag.kind === 'choice' ? flag.choices.join('|') : flag.value
  return `[${name} ${value}]${flag.kind === 'hosts' ? '...' : ''}`
}

function writeSection({ flags, commands }: Program, section: Program['sections'][number]): string {
  const lines = section.commands.flatMap((name) => {
    const { summary, flags: own } = commands[name] as Command
    return [
      ...(summary === undefined ? [] : [row(`  ${name.split(' ').at(-1)}`, summary)]),
      ...Object.entries(own)
        .filter(([, text]) => text !== '')
        .map(([field, text]) => row(labelOf(field, flags[field] as Flag), text)),
    ]
  })
  return [...(section.heading === undefined ? [] : [section.heading]), ...lines].join('\n')
}

function labelOf(field: string, flag: Flag): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `
  return `  ${short}--${nameOf(field, flag)}${flag.kind === 'switch' ? '' : ` ${flag.value}`}`
}

function row(label: string, text: string): string {
  if (label.length < column) return label.padEnd(column) + text
  const inLine = `${label}  ${text}`
  return inLine.length <= lineLength ? inLine : `${label}\n${' '.repeat(column)}${text}`
}
