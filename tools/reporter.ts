/**
 * The reporter of `npm test`: Node's own `spec`, with the totals at the end marked as TAP marks them (`# tests 12`),
 * which is what log scrapers look for.
 */
import { Readable } from 'node:stream'
import { spec } from 'node:test/reporters'

// oxlint-disable-next-line import/no-default-export -- node --test-reporter takes the default export
export default async function* report(events: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const text of Readable.from(events).pipe(new spec())) yield String(text).replaceAll('ℹ ', '# ')
}
