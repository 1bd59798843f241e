/**
 * What must not get worse, and what is worse now: floors and circles of a house, and the English of a room. Lines are
 * reported and have no ceiling. `ceilings.json` holds what is reached; `npm run structure -- --write` lowers it.
 */
import { type Pattern, patternNames, patterns, rateOf, type Text } from './english.ts'
import type { House } from './shape.ts'

export interface Ceilings {
  readonly houses: Readonly<Record<string, Shape>>
  /** Comments by room, messages and manuals by house: `messages of services/sqlapi`. */
  readonly english: Readonly<Record<string, Partial<Record<Pattern, number>>>>
}

interface Shape {
  readonly floors: number
  readonly circles: number
}

/** Goals of every house. */
export const goals = { floors: 7, circles: 0 } as const

export function measured(houses: readonly House[], texts: ReadonlyMap<string, Text>): Ceilings {
  return {
    houses: Object.fromEntries(
      houses.map(({ house, drawing }) => [house, { floors: drawing.height, circles: drawing.circles.length }]),
    ),
    english: Object.fromEntries(
      [...texts].flatMap(([place, { found }]) => {
        const some = patternNames.filter((name) => found[name] > 0).map((name) => [name, found[name]] as const)
        return some.length === 0 ? [] : [[place, Object.fromEntries(some)]]
      }),
    ),
  }
}

/** Sentences; none if nothing is worse. A place under the goals is never worse. */
export function findWorse(now: Ceilings, ceilings: Ceilings, texts: ReadonlyMap<string, Text>): string[] {
  const shapes = Object.entries(now.houses).flatMap(([house, shape]) => {
    const ceiling = ceilings.houses[house] ?? goals
    return (['floors', 'circles'] as const)
      .filter((name) => shape[name] > Math.max(ceiling[name], goals[name]))
      .map((name) => `${house} has ${shape[name]} ${name}; its ceiling is ${Math.max(ceiling[name], goals[name])}`)
  })
  const english = [...texts].flatMap(([place, text]) =>
    patternNames.flatMap((name) => {
      const ceiling = ceilings.english[place]?.[name] ?? 0
      const count = text.found[name]
      if (count <= ceiling || rateOf(text, name) <= patterns[name].goal) return []
      return [`${place}: ${patterns[name].says}, ${count} times; its ceiling is ${ceiling}`]
    }),
  )
  return [...shapes, ...english]
}
