/** A page with markers -> the page with the tables of rooms between them. */
import type { Part } from './part.ts'
import { entriesOf } from './rule.ts'

/** The markers of a part are `<!-- rooms of ROOT -->` and `<!-- end of rooms -->`. */
export function writeTables(page: string, parts: readonly Part[]): string {
  return parts.reduce((text, part) => {
    const begin = `<!-- rooms of ${part.root}: npm run boundaries -->\n`
    const from = text.indexOf(begin) + begin.length
    const to = text.indexOf('<!-- end of rooms -->', from)
    if (from < begin.length || to < 0) throw new Error(`The page has no markers "${begin.trim()}"`)
    return text.slice(0, from) + tablesOf(part) + text.slice(to)
  }, page)
}

function tablesOf({ rooms, outside }: Part): string {
  return [
    '| room | what it is | imports |',
    '|---|---|---|',
    ...rooms.map(({ room, is, imports }) => `| \`${room}\` | ${is} | ${list(imports)} |`),
    '',
    '| from outside | imported by |',
    '|---|---|',
    ...Object.entries(outside).map(([name, places]) => `| \`${name}\` | ${list(places)} |`),
    '',
  ].join('\n')
}

function list(entries: string | undefined): string {
  return entriesOf(entries)
    .map((entry) => `\`${entry}\``)
    .join(', ')
}
