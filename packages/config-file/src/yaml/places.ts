/**
 * Where the fields of a YAML text stand. Only messages and origins need it, so the first question reads the text again,
 * and the result is kept for the others.
 */
import { isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml'
import type { Lines, Path } from '../words/problem.ts'
import { countLines, type Limits, offsetOf, readDocument } from './document.ts'

export interface Places extends Lines {
  /** The line of a field; of the innermost group around it, where it is missing. Counts from 1. */
  lineOf(path: Path): number
  /**
   * The line of the first character of a text, where its lines are lines of the file: below the bar of a literal block.
   * Undefined for the other spellings, which fold lines.
   */
  firstLineOf(path: Path): number | undefined
  /** A value as it is written, and its first line. Undefined if there is none. */
  sourceOf(path: Path): { readonly text: string; readonly line: number } | undefined
}

/** For text that `readYaml` has read, within the same limits. */
export function locate(text: string, most?: Limits): Places {
  let known: { top: Node | null; lines: LineCounter } | undefined
  const read = () => (known ??= { top: readDocument(text, (node) => node, most), lines: countLines(text) })
  return {
    lineOf(path) {
      const { top, lines } = read()
      return lines.linePos(find(top, path).offset).line
    },
    firstLineOf(path) {
      const { top, lines } = read()
      const { node } = find(top, path)
      if (!isScalar(node) || node.type !== 'BLOCK_LITERAL') return undefined
      return lines.linePos(offsetOf(node)).line + 1
    },
    sourceOf(path) {
      const { top, lines } = read()
      const { node } = find(top, path)
      if (!isScalar(node) || !node.range) return undefined
      const [start, end] = node.range
      return { text: text.slice(start, end), line: lines.linePos(start).line }
    },
  }
}

/** The value at a path, and where its key is. */
function find(top: Node | null, path: Path): { node: unknown; offset: number } {
  let found: Step = { node: top, offset: offsetOf(top), taken: 0 }
  for (let at = 0; at < path.length; at += found.taken) {
    const next = stepInto(found.node, path.slice(at))
    if (next === undefined) return { node: undefined, offset: found.offset }
    found = next
  }
  return found
}

interface Step {
  readonly node: unknown
  readonly offset: number
  /** How many steps of the path it was. */
  readonly taken: number
}

/** `a.b: 1` is another spelling of `a: {b: 1}` in some files, and does no harm in the others. */
function stepInto(node: unknown, [step, ...rest]: Path): Step | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)]
    return item === undefined ? undefined : { node: item, offset: offsetOf(item), taken: 1 }
  }
  if (!isMap(node)) return undefined
  const pairs = node.items.map(({ key, value }) => ({ key, node: value, name: isScalar(key) ? key.value : undefined }))
  const dotted = [step, ...rest].join('.')
  const pair = pairs.find(({ name }) => name === step) ?? pairs.find(({ name }) => name === dotted)
  if (pair !== undefined)
    return { ...pair, offset: offsetOf(pair.key), taken: pair.name === step ? 1 : rest.length + 1 }
  const group = pairs.find(({ name }) => typeof name === 'string' && name.startsWith(`${String(step)}.`))
  return group && { node: undefined, offset: offsetOf(group.key), taken: 1 }
}
