/** Sources of the product -> the shape of each house: its floors, its rooms, and what a reader stumbles over. */
import { type Drawing, draw } from './floors.ts'
import type { SourceFile } from './product.ts'

export interface House {
  readonly house: string
  readonly files: number
  readonly lines: number
  readonly bytes: number
  readonly rooms: number
  readonly drawing: Drawing
  /** The room with most lines, and its part of the house. */
  readonly largest: { readonly room: string; readonly share: number }
  /** Files under 40 lines that only one other file of the product imports. */
  readonly crumbs: readonly string[]
  /** Folders with more than 15 files. */
  readonly crowded: readonly string[]
}

const crumbLines = 40
const maxFiles = 15

/** In the order of their names. */
export function shapeOf(sources: readonly SourceFile[]): House[] {
  const users = countUsers(sources)
  const byHouse = Map.groupBy(sources, ({ house }) => house)
  return [...byHouse.keys()].toSorted().map((house) => {
    const own = byHouse.get(house) ?? []
    const rooms = Map.groupBy(own, ({ room }) => room)
    const lines = sum(own.map(({ lines }) => lines))
    const [largest] = [...rooms]
      .map(([room, files]) => ({ room, share: sum(files.map(({ lines }) => lines)) / lines }))
      .toSorted((a, b) => b.share - a.share)
    return {
      house,
      files: own.length,
      lines,
      bytes: sum(own.map(({ bytes }) => bytes)),
      rooms: rooms.size,
      drawing: draw(importsOf(own)),
      largest: largest ?? { room: house, share: 1 },
      crumbs: own.filter(({ file, lines }) => lines < crumbLines && users.get(file) === 1).map(({ file }) => file),
      crowded: [...rooms].filter(([, files]) => files.length > maxFiles).map(([room]) => room),
    }
  })
}

/** Room -> the other rooms of its house that it imports. */
function importsOf(sources: readonly SourceFile[]): Map<string, Set<string>> {
  const roomOf = new Map(sources.map(({ file, room }) => [file, room]))
  const imports = new Map<string, Set<string>>(sources.map(({ room }) => [room, new Set()]))
  for (const { room, imports: files } of sources) {
    for (const file of files) {
      const other = roomOf.get(file)
      if (other !== undefined && other !== room) imports.get(room)?.add(other)
    }
  }
  return imports
}

function countUsers(sources: readonly SourceFile[]): Map<string, number> {
  const users = new Map<string, number>()
  for (const { imports } of sources) for (const file of new Set(imports)) users.set(file, (users.get(file) ?? 0) + 1)
  return users
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}
