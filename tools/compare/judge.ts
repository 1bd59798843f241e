/**
 * Two recordings in, a verdict out: the answers that differ although volatile bytes and reviewed differences were
 * replaced, and where each begins to differ.
 */
import type { Difference } from './differences.ts'
import type { Observation, Recording } from './recording.ts'
import { withoutVolatile } from './volatile.ts'

export interface Finding {
  readonly key: string
  readonly asked: string
  /** Undefined if the side was not asked, because the answers before differed. */
  readonly old: string | undefined
  readonly new: string | undefined
}

export interface Judge {
  readonly findings: readonly Finding[]
  /** `label` stands before the keys of what is found. */
  compare(older: Recording, newer: Recording, label?: string): void
  /** A part could not be compared. */
  fail(key: string, reason: string): void
  unused(): readonly Difference[]
}

export function openJudge(reviewed: readonly Difference[]): Judge {
  const findings: Finding[] = []
  const used = new Set<Difference>()

  const accept = (key: string, text: string): string => {
    let changed = text
    for (const entry of reviewed.filter((each) => key.includes(each.in))) {
      const before = changed
      changed = before.replaceAll(entry.old instanceof RegExp ? asGlobal(entry.old) : entry.old, () => entry.new)
      if (changed !== before) used.add(entry)
    }
    return changed
  }

  const compareOne = (older: Observation, newer: Observation, label: string): void => {
    if (older.answer === newer.answer) return
    const { asked } = newer
    const key = label + newer.key
    const before = withoutVolatile(older.answer, newer.answer)
    const after = withoutVolatile(newer.answer, older.answer)
    if (before === after) return
    const accepted = accept(key, before)
    if (accepted !== after) findings.push({ key, asked, old: accepted, new: after })
  }

  return {
    findings,
    compare(older, newer, label = '') {
      for (const [key, observation] of older.observations) {
        const other = newer.observations.get(key)
        if (other === undefined)
          findings.push({ ...observation, key: label + key, old: observation.answer, new: undefined })
        else compareOne(observation, other, label)
      }
      for (const [key, observation] of newer.observations) {
        if (!older.observations.has(key))
          findings.push({ ...observation, key: label + key, old: undefined, new: observation.answer })
      }
    },
    fail: (key, reason) => void findings.push({ key, asked: reason, old: undefined, new: undefined }),
    unused: () => reviewed.filter((entry) => !used.has(entry)),
  }
}

function asGlobal(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, `${pattern.flags.replace('g', '')}g`)
}

const widest = 160
const linesAround = 2

/** Findings as people read them: what was asked, and both answers from the place of the first difference. */
export function describe(findings: readonly Finding[]): string[] {
  const groups = Map.groupBy(
    findings.map((finding) => ({ finding, place: placeOf(finding) })),
    ({ place }) => place.lines,
  )
  return [...groups].map(([lines, [first, ...others]]) => {
    const { finding, place } = first as (typeof others)[0]
    const { key, asked } = finding
    const also = others.slice(0, 3).map((each) => `  also in ${each.finding.key}`)
    if (others.length > also.length) also.push(`  and in ${others.length - also.length} more`)
    return [key, `  asked: ${clip(asked.split('\n').join('\n         '), 1000)}`, ...place.before, lines, ...also].join(
      '\n',
    )
  })
}

/** `lines` are equal for findings that probably have one cause. */
function placeOf({ old, new: now }: Finding): { readonly before: readonly string[]; readonly lines: string } {
  if (old === undefined && now === undefined) return { before: [], lines: '  nothing was compared' }
  if (old === undefined) return { before: [], lines: '  only the new version was asked' }
  if (now === undefined) return { before: [], lines: '  only the old version was asked' }
  const [before, after] = [old.split('\n'), now.split('\n')]
  const line = before.findIndex((text, index) => text !== after[index])
  const row = line === -1 ? before.length : line
  const [left = '', right = ''] = [before[row], after[row]]
  const column = firstDifference(left, right)
  const context = before.slice(Math.max(0, row - linesAround), row)
  return {
    before: [
      `  first difference: line ${row + 1}, column ${column + 1}`,
      ...context.map((text) => `    ${visible(text, 0)}`),
    ],
    lines: [
      `  - ${before[row] === undefined ? '<the end>' : visible(left, column)}`,
      `  + ${after[row] === undefined ? '<the end>' : visible(right, column)}`,
    ].join('\n'),
  }
}

function firstDifference(left: string, right: string): number {
  let column = 0
  while (column < left.length && left[column] === right[column]) column++
  return column
}

/** The part of a line around a column; control characters are spelled. */
function visible(line: string, column: number): string {
  const start = Math.max(0, column - widest / 2)
  const part = line.slice(start, start + widest)
  const spelled = Buffer.from(part, 'latin1')
    .toString()
    .replaceAll(/\p{Cc}/gu, (each) => JSON.stringify(each).slice(1, -1))
  return `${start > 0 ? '…' : ''}${spelled}${start + widest < line.length ? '…' : ''}`
}

function clip(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
