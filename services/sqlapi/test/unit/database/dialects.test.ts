/**
 * What depends on the kind of a database is a property in a table, so that the compiler finds what a new kind still
 * needs: no source outside of a database's own folder asks which kind it is.
 */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dialectNames } from '../../../src/dialects.ts'

const root = join(import.meta.dirname, '../../../src')
const own = dialectNames.map((name) => join('database', name))

test('no source asks for a dialect by its name [H4]', () => {
  const sources = globSync('**/*.ts', { cwd: root }).filter((file) => !own.some((folder) => file.startsWith(folder)))
  ok(sources.length > 150, `${sources.length} sources`)
  const name = `'(?:${dialectNames.join('|')})'`
  const asks = new RegExp(`[!=]==? ${name}|${name} [!=]==?|\\bcase ${name}`)
  const asking = sources.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (asks.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  )
  deepStrictEqual(asking, [])
})
