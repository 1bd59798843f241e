/**
 * What the two short cuts of a start are worth: the reader of plain YAML (`packages/config-file`) and the scanner of
 * plain templates (`soap/request/template-scan.ts`). CPU seconds of `loadEndpoints` over 3000 files, with both, without
 * either and without both, in processes of their own and in turns:
 *
 *   node services/xroad-proxy/bench/boot/short-cuts.ts [ROUNDS]
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '@services/bench'
import { bootTarget } from './boot.ts'
import { writeTree } from './boot-tree.ts'

/** What stands in the place of each: "ask the parser". */
const parserOnly = {
  yaml: { file: '/config-file/src/yaml/plain.ts', source: 'export const readPlainYaml = () => undefined' },
  templates: {
    file: '/soap/request/template-scan.ts',
    source: 'export const isPlain = () => false\nexport const hasOnlyKnownNames = () => false',
  },
}
type ShortCut = keyof typeof parserOnly

const ways: readonly (readonly ShortCut[])[] = [[], ['yaml'], ['templates'], ['yaml', 'templates']]
const [argument = '7', tree] = process.argv.slice(2)

if (tree === undefined) compare(Number(argument))
else console.log(await measure(argument.split(',') as ShortCut[], tree))

function compare(rounds: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'short-cuts-'))
  try {
    writeTree(folder, bootTarget.files)
    const seconds = ways.map((): number[] => [])
    // The first round warms the file cache.
    for (let round = 0; round <= rounds; round++) {
      for (const [index, way] of ways.entries()) {
        const found = execFileSync(process.execPath, [import.meta.filename, `none,${way.join(',')}`, folder])
        if (round > 0) seconds[index]?.push(Number(found))
      }
    }
    for (const [index, way] of ways.entries()) {
      const all = seconds[index] ?? []
      const shown = [median(all), Math.min(...all), Math.max(...all)].map((each) => each.toFixed(2))
      console.log(
        `${way.length === 0 ? 'both' : `without ${way.join(' and ')}`}: CPU s (median, least, most) ${shown.join(' ')}`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** In a process of its own. */
async function measure(without: readonly ShortCut[], dslPath: string): Promise<number> {
  registerHooks({
    load(url, context, next) {
      const found = without.find((name) => url.endsWith(parserOnly[name]?.file ?? '\0'))
      return found === undefined
        ? next(url, context)
        : { format: 'module', shortCircuit: true, source: parserOnly[found].source }
    },
  })
  const { loadEndpoints } = await import('../../src/boot/dsl/endpoints.ts')
  const before = process.cpuUsage()
  loadEndpoints(dslPath)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
