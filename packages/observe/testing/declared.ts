/**
 * The events that a service declares, with the names of their fields. Fields are known to the compiler only, so they
 * are read out of the source text: that of the service's table comes in, the rows of the packages are added.
 */
import { readFileSync } from 'node:fs'

/** Tables of packages, by the name that a service takes them by. */
const packages = Object.entries({
  observeEvents: '../src/events.ts',
  lifecycleEvents: '../../command-line/src/events.ts',
  reloadEvents: '../../reload/src/events.ts',
}).map(([table, path]) => ({ table, source: read(path) }))
/** Where rows of the packages have a named type in place of their fields; a service has its own beside its table. */
const types = read('../src/warnings.ts')

/** Event -> names of its fields. A row of the service counts before that of a package. */
export function declaredFields(source: string): Readonly<Record<string, readonly string[]>> {
  const taken = packages.filter(({ table }) => source.includes(`...${table}`)).map((each) => each.source)
  return Object.fromEntries([...taken, source].flatMap((text) => rowsOf(text)))
}

function rowsOf(source: string): [string, string[]][] {
  const rows = source.matchAll(/^ {2}(\w+): (?:error|warn|info|debug|trace)(?:<([^()]*)>)?\(/gm)
  return Array.from(rows, ([, event = '', fields = '']) => [event, namesIn(fields, source)])
}

function namesIn(fields: string, source: string): string[] {
  const [, text = fields] = /^\w+$/.test(fields) ? (typeOf(fields).exec(`${source}\n${types}`) ?? []) : []
  return Array.from(text.matchAll(/(\w+)\??: /g), ([, name = '']) => name)
}

function typeOf(name: string): RegExp {
  return new RegExp(`^(?:export )?interface ${name} \\{\n([\\s\\S]*?)\n\\}`, 'm')
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}
