/** What the processes of a built service load, and that what is written for them means the same. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { toAscii, writeProgram } from './build/bundle.ts'

test('workers of sqlapi load no library that reads configuration; the first process does [S-config.server.workers]', async (t) => {
  const dist = mkdtempSync(join(tmpdir(), 'dist-'))
  t.after(() => rmSync(dist, { recursive: true, force: true }))
  await writeProgram(resolve(import.meta.dirname, '../services/sqlapi'), dist)
  deepStrictEqual(librariesOf(join(dist, 'main.js')), ['yaml', 'zod'])
  deepStrictEqual(librariesOf(join(dist, 'workers/worker.js')), [])
})

test('text beyond ASCII means the same when it is written with escapes', async () => {
  const code = String.raw`// õ
    export const õun = ['õ\u00e4', "\õ", '\\õ', \`\u{1F600}😀\${'ö'}\`, '😀'.length]
    export const found = [/[õ-ö]\õ/, /[õ-ö]/u, /^😀$/u, /[^\\õ]/, /\p{L}õ/v].map((each) => 'õõ😀õ\\'.replace(each, '-'))`
    .replaceAll('\\`', '`')
    .replaceAll('\\$', '$')
  const written = toAscii(code)
  match(written, /^\p{ASCII}+$/u)
  const load = (text: string): Promise<object> => import(`data:text/javascript,${encodeURIComponent(text)}`)
  deepStrictEqual({ ...(await load(written)) }, { ...(await load(code)) })
  for (const kept of ['export const path = String.raw`\\õ`', 'export const 𐐨 = 1']) strictEqual(toAscii(kept), kept)
})

/** Libraries in the files that a start from this one loads: the bundler names each module above its code. */
function librariesOf(entry: string): string[] {
  const loaded = new Set([entry])
  const found = new Set<string>()
  for (const file of loaded) {
    const code = readFileSync(file, 'utf8')
    for (const [, path = ''] of code.matchAll(/^(?:import|export) [^"']*["'](\.[^"']+)["'];?$/gm)) {
      loaded.add(join(dirname(file), path))
    }
    for (const [, name = ''] of code.matchAll(/^\/\/ .*node_modules[\\/]([\w-]+)[\\/]/gm)) found.add(name)
  }
  return [...found].toSorted()
}
