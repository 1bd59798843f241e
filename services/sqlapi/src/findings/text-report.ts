/**
 * Findings -> text for people: grouped by file, each with its line and a caret under the position, and at the end how
 * many there are of each severity. Pure.
 */
import { type Severity, severities } from './codes.ts'
import type { Finding, Report } from './finding.ts'
import { asShown, blanksFor, inOneLine } from './plain.ts'

/** Codes of a terminal: how a text begins, and how it ends. */
const paints = {
  red: ['31', '39'],
  yellow: ['33', '39'],
  cyan: ['36', '39'],
  green: ['32', '39'],
  dim: ['2', '22'],
  underline: ['4', '24'],
} as const satisfies Record<string, readonly [string, string]>

type Colour = keyof typeof paints
type Paint = (colour: Colour, text: string) => string

const colourOf = { error: 'red', warning: 'yellow', info: 'cyan' } as const satisfies Record<Severity, Colour>

const plurals = { error: 'errors', warning: 'warnings', info: 'infos' } as const satisfies Record<Severity, string>

export function toText(report: Report): string {
  const { findings, colours } = report
  const groups = Map.groupBy(findings, ({ file }) => file)
  const blocks = Array.from(groups, ([file, own]) => toFileBlock(file, own, colours))
  return [...blocks, toSummary(report, painter(colours))].join('\n')
}

/** Everything to report about one file. */
export function toFileBlock(file: string, findings: readonly Finding[], colours: boolean): string {
  const paint = painter(colours)
  return [paint('underline', inOneLine(file)), ...findings.map((finding) => toBlock(finding, paint)), ''].join('\n')
}

/** A file of which nothing else can be said. */
export function toRefusalBlock(file: string, { problem, cure }: Refused, colours: boolean): string {
  const paint = painter(colours)
  const told = cure === undefined ? [] : [`${indent}${paint('dim', '=')} ${inOneLine(cure)}`]
  return [paint('underline', inOneLine(file)), `  ${paint('red', 'error')}  ${inOneLine(problem)}`, ...told, ''].join(
    '\n',
  )
}

export interface Refused {
  readonly problem: string
  readonly cure: string | undefined
}

/** That there is nothing to report about it any more. */
export function toMendedLine(file: string, colours: boolean): string {
  const paint = painter(colours)
  return `${paint('underline', inOneLine(file))} ${paint('green', 'nothing to report any more')}\n`
}

function painter(colours: boolean): Paint {
  return (colour, text) => {
    const [begin, end] = paints[colour]
    return colours ? `\u001B[${begin}m${text}\u001B[${end}m` : text
  }
}

function toBlock({ severity, code, line, column, message, text, cure }: Finding, paint: Paint): string {
  const head = `  ${line}:${column}  ${paint(colourOf[severity], severity)}  ${code}: ${inOneLine(message)}`
  const told = `${indent}${paint('dim', '=')} ${inOneLine(cure)}`
  if (text.trim() === '') return `${head}\n${told}`
  const { line: shown, count } = excerpt(asShown(text), column - 1)
  return [head, `${indent}${shown}`, `${indent}${blanksFor(shown, count)}${paint(colourOf[severity], '^')}`, told].join(
    '\n',
  )
}

const indent = '      '

/** A longer line is shown around its caret only. */
const longestLine = 120
const before = 60

/** `count` code points are before the caret. */
function excerpt(line: string, count: number): { line: string; count: number } {
  const characters = Array.from(line)
  if (characters.length <= longestLine) return { line: line.trimEnd(), count }
  const from = Math.max(0, Math.min(count - before, characters.length - longestLine))
  const part = characters.slice(from, from + longestLine).join('')
  const isCut = from + longestLine < characters.length
  return { line: `${from > 0 ? '…' : ''}${part}${isCut ? '…' : ''}`, count: count - from + (from > 0 ? 1 : 0) }
}

function toSummary({ findings, files, isPart, ms }: Report, paint: Paint): string {
  const counts = severities.flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length
    return count === 0 ? [] : [paint(colourOf[severity], `${count} ${count === 1 ? severity : plurals[severity]}`)]
  })
  if (isPart) counts.push(paint('red', 'not all could be checked'))
  const found = counts.length === 0 ? paint('green', 'nothing to report') : counts.join(', ')
  return `${files} ${files === 1 ? 'file' : 'files'} checked in ${(ms / 1000).toFixed(1)} s: ${found}\n`
}
