/**
 * What users make of an OpenAPI description: types by `openapi-typescript`, and a client with them by `openapi-fetch`.
 * Tells what the compiler says of code that calls it, as that of a project that has both.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTypescript, { astToString } from 'openapi-typescript'

const repository = join(import.meta.dirname, '../../..')
const compiler = join(repository, 'node_modules/typescript/bin/tsc')

const settings = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    module: 'nodenext',
    lib: ['es2024', 'dom'],
    types: [],
  },
}

/** The declarations that `npx --no-install openapi-typescript openapi.json -o api.d.ts` writes. */
export async function writeClientTypes(document: string): Promise<string> {
  return astToString(await openapiTypescript(document, { silent: true }))
}

/**
 * Compiles `code` as `client.ts` beside `api.d.ts`. Gives the lines of the code that the compiler reports, in order,
 * each once; throws for a report about anything else.
 */
export function compileClient(types: string, code: string): readonly string[] {
  // Inside of node_modules, so that openapi-fetch is found.
  const cache = join(repository, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'openapi-client-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    writeFileSync(join(folder, 'api.d.ts'), types)
    writeFileSync(join(folder, 'client.ts'), code)
    const { stdout, stderr } = spawnSync(process.execPath, [compiler, '--noEmit', '--pretty', 'false', '-p', folder], {
      cwd: folder,
      encoding: 'utf8',
    })
    const reports = `${stdout}${stderr}`.split('\n').filter((line) => /error TS/.test(line))
    const lines = reports.map((report) => /^client\.ts\((\d+),/.exec(report)?.[1] ?? refuse(report))
    const all = code.split('\n')
    return [...new Set(lines)].map((line) => all[Number(line) - 1]?.trim() ?? '')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function refuse(report: string): never {
  throw new Error(report)
}
