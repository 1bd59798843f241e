/**
 * Rooms and what they import -> floors: a room stands above all that it imports, and floor 1 is the ground. Rooms that
 * import each other in a circle share a floor.
 */

export interface Drawing {
  /** Room -> its floor, from 1. */
  readonly floors: ReadonlyMap<string, number>
  readonly height: number
  /** Each has two rooms or more, in alphabetical order. */
  readonly circles: readonly (readonly string[])[]
}

export function draw(imports: ReadonlyMap<string, ReadonlySet<string>>): Drawing {
  const groups = findGroups(imports)
  const groupOf = new Map(groups.flatMap((group) => group.map((room) => [room, group] as const)))
  const floors = new Map<string, number>()
  // Tarjan gives a group after all that it imports.
  for (const group of groups) {
    const below = group.flatMap((room) =>
      [...(imports.get(room) ?? [])].filter((other) => groupOf.get(other) !== group),
    )
    const floor = 1 + Math.max(0, ...below.map((other) => floors.get(other) ?? 0))
    for (const room of group) floors.set(room, floor)
  }
  return {
    floors,
    height: Math.max(0, ...floors.values()),
    circles: groups.filter(({ length }) => length > 1).map((group) => group.toSorted()),
  }
}

/** Strongly connected rooms, by Tarjan's algorithm. */
function findGroups(imports: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const groups: string[][] = []
  const stack: string[] = []
  const indexes = new Map<string, number>()
  const lows = new Map<string, number>()
  const enter = (room: string): void => {
    const index = indexes.size
    indexes.set(room, index)
    lows.set(room, index)
    stack.push(room)
    for (const other of imports.get(room) ?? []) {
      if (!indexes.has(other)) enter(other)
      if (stack.includes(other)) lows.set(room, Math.min(lows.get(room) ?? index, lows.get(other) ?? index))
    }
    if (lows.get(room) === index) groups.push(stack.splice(stack.indexOf(room)))
  }
  for (const room of imports.keys()) if (!indexes.has(room)) enter(room)
  return groups
}
