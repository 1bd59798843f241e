/**
 * The way from the request element to a place inside it: what tells a type inside itself, and where something is, in
 * words.
 */
import type { OutlineType } from '../outline/outline.ts'
import { localOf, type QName } from '../xml/qname.ts'

/** Types from the request element inwards, with the names of the elements that have them. */
export type Path = readonly { readonly type: OutlineType; readonly name: QName; readonly level: number }[]

export function isRepeat(type: OutlineType, path: Path): boolean {
  return type.kind === 'complex' && path.some((step) => step.type === type)
}

export function describePath(path: Path): string {
  return path.map(({ name }) => localOf(name)).join('/')
}

/** The end of a sentence; nothing for the request element itself. */
export function within(path: Path): string {
  return path.length === 0 ? '' : ` in ${describePath(path)}`
}
