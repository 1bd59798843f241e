/**
 * Code that stands in both services: what both need belongs into a package. Runs of lines that are the same are found
 * and compared with a list of those that may stay, each with its reason.
 */
import { deepStrictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { listFiles } from './boundaries/sources.ts'

const root = resolve(import.meta.dirname, '..')

/** Shorter runs are of the language, or of how it is laid out. */
const minLines = 6

/** A line that is in each of these runs -> why it may stand in both. */
const kept: Readonly<Record<string, string>> = {
  "case 'version':": 'each main lists its commands, and how each configuration has an address is its own',
  'export const eventTable = {': 'the rows of the packages come first, then those of the service',
  'function decode(text: string): string {': 'decodeURIComponent without a throw; both are of one file',
  'try {': 'the same, for paths: what a service makes of a broken one is its own',
  'hears(event: EventName): boolean {': 'a subscriber, typed by the table of its service',
  'interface Field {': 'fields of a JSON Schema, as each manual shows them',
  'admin: undefined,': 'the list of all fields of a configuration is whole in each test',
  'response.writeHead(status, headers).end(body)': 'contenders of a bench stand alone',
  'mkdirSync(dirname(file), { recursive: true })': 'a loop of a bench that writes files and counts bytes',
}

test('what stands in both services has a reason [H1]', () => {
  const [sqlapi, proxy] = ['sqlapi', 'xroad-proxy'].map(readLines)
  const runs = runsOf(sqlapi ?? [])
  const twins = new Map<string, string>()
  for (const [run, place] of runsOf(proxy ?? [])) if (runs.has(run)) twins.set(run, `${runs.get(run)} and ${place}`)
  const unexplained = [...twins].filter(([run]) => !Object.keys(kept).some((line) => run.includes(line)))
  deepStrictEqual(
    unexplained.map(([run, places]) => `${places}: ${run}`),
    [],
  )
  const idle = Object.keys(kept).filter((line) => ![...twins.keys()].some((run) => run.includes(line)))
  deepStrictEqual(idle, [], 'reasons for runs that are gone')
})

interface Line {
  readonly text: string
  readonly place: string
}

/** The lines of each file but blank ones, comments and imports. */
function readLines(service: string): readonly (readonly Line[])[] {
  return listFiles(root, `services/${service}/{src,test,bench,tools}/**/*.ts`).map((file) =>
    withoutImports(readFileSync(join(root, file), 'utf8'))
      .split('\n')
      .map((line, index) => ({ text: line.trim(), place: `${file}:${index + 1}` }))
      .filter(({ text }) => text !== '' && !/^(?:\/\/|\/?\*)/.test(text)),
  )
}

function withoutImports(code: string): string {
  return code.replaceAll(/^(?:import|export)(?: type)? \{[^}]*\} from .*$/gm, (found) => found.replaceAll(/[^\n]/g, ''))
}

/** Each run of so many lines -> where it begins. */
function runsOf(files: readonly (readonly Line[])[]): ReadonlyMap<string, string> {
  const runs = new Map<string, string>()
  for (const lines of files) {
    for (let at = 0; at + minLines <= lines.length; at++) {
      const run = lines.slice(at, at + minLines)
      runs.set(run.map(({ text }) => text).join('\n'), run[0]?.place ?? '')
    }
  }
  return runs
}
