/**
 * The log: a subscriber that writes a line for each event, where the level directive lets it through. What a service's
 * lines look like is its own to say (`LineStyle`), what they say is in its table; where they go is a `Destination`.
 */
import type { EventTable } from './events.ts'
import { isHeard, type Levels } from './levels.ts'
import { type LineStyle, type LineWriter, lineWriter, type LogFormat } from './line.ts'
import type { Destination } from './stdout.ts'
import type { Subscriber } from './stream.ts'

export interface LogOptions {
  readonly levels: Levels
  readonly format: LogFormat
  readonly style: LineStyle
  readonly destination: Destination
}

/** The row of each event of `table` says how important it is and what is in its line. */
export function openLog<Fields>(
  table: EventTable & Readonly<Record<keyof Fields, unknown>>,
  { levels, format, style, destination }: LogOptions,
): Subscriber<Fields> {
  const writers = new Map<keyof Fields, LineWriter>()
  for (const [event, row] of Object.entries(table)) {
    if (row.unlogged === true) continue
    if (row.always !== true && !isHeard(row.level, row.target ?? style.target, levels)) continue
    writers.set(event as keyof Fields, lineWriter({ event, row, style }, format))
  }
  return {
    hears: (event) => writers.has(event),
    hear(event, fields) {
      const toLine = writers.get(event)
      if (toLine !== undefined) destination.write(toLine(fields as Readonly<Record<string, unknown>>))
    },
    drained: async (withinMs) => destination.drained?.(withinMs),
  }
}
