/**
 * Reading the tree of files, as far as a start of the whole process (startup.test.ts) cannot tell: what is done when.
 */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '@services/testing'
import { loadEndpoints } from '../../../src/boot/endpoints.ts'
import { StartupFailure } from '../../../src/errors.ts'
import type { Dialect } from '../../../src/model.ts'

/** More than are read ahead. */
const count = 500
const names = Array.from({ length: count }, (_, n) => `demo/GET/number${String(n).padStart(3, '0')}.sql`)
const last = names.at(-1) as string
const postgres: ReadonlySet<Dialect> = new Set(['postgres'])

function newTree(other: Readonly<Record<string, string | Buffer>> = {}): string {
  return newFolder({ ...Object.fromEntries(names.map((name, n) => [name, `SELECT ${n} AS n`])), ...other })
}

function refusal(message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof StartupFailure && message.test(error.message)
}

test('of several broken files the first in the order of names is told, whichever was read first [S-startup.3]', async () => {
  // One byte is read long before ten mebibytes are.
  const large = Buffer.alloc(10_485_760, 'x')
  large[large.length - 1] = 0xff
  const folder = newTree({ [names[3]!]: large, [names[4]!]: '', [names[5]!]: '\0', [last]: '' })
  await rejects(loadEndpoints(folder, postgres), refusal(/^file demo\/GET\/number003.sql is not UTF-8/))
  writeFileSync(join(folder, names[3]!), 'SELECT 1')
  await rejects(loadEndpoints(folder, postgres), refusal(/^file demo\/GET\/number004.sql is empty/))
})

test('problems of files and of folders are told in the order of names [S-startup.3]', async () => {
  const folder = newTree({ [last]: '', 'demo/POST/folder.sql/one': '', 'other/GET/one.sql': '' })
  await rejects(loadEndpoints(folder, postgres), refusal(new RegExp(`^file ${last} is empty`)))
  writeFileSync(join(folder, last), 'SELECT 1')
  await rejects(loadEndpoints(folder, postgres), refusal(/^file demo\/POST\/folder.sql is not a regular file/))
  rmSync(join(folder, 'demo/POST'), { recursive: true })
  await rejects(loadEndpoints(folder, postgres), refusal(/^file other\/GET\/one.sql is empty/))
})

test('a file that vanishes while others are read [S-error.InvalidQueryException]', async () => {
  const folder = newTree()
  const loading = loadEndpoints(folder, postgres)
  rmSync(join(folder, last))
  await rejects(loading, refusal(new RegExp(`^file ${last} cannot be read \\(ENOENT\\)`)))
})

test('a file that is replaced while others are read is the old one or the new one [S-startup.1]', async () => {
  const folder = newTree({ 'next.sql': 'SELECT 999 AS n' })
  const loading = loadEndpoints(folder, postgres)
  renameSync(join(folder, 'next.sql'), join(folder, last))
  const endpoints = await loading
  strictEqual(endpoints.size, count)
  deepStrictEqual(endpoints.get('GET /demo/number499')?.scripts.postgres?.statements[0]?.pieces, ['SELECT 999 AS n'])
})

test('files are read for the kinds of databases that there are', async () => {
  const folder = newFolder({ 'demo/GET/one.sql': 'SELECT [a:b], :c' })
  const parametersFor = async (...dialects: Dialect[]) => {
    const [endpoint] = (await loadEndpoints(folder, new Set(dialects))).values()
    return Object.entries(endpoint?.scripts ?? {}).map(([dialect, { parameters }]) => [dialect, parameters])
  }
  deepStrictEqual(await parametersFor(), [])
  deepStrictEqual(await parametersFor('sqlite'), [['sqlite', ['c']]])
  deepStrictEqual(await parametersFor('postgres', 'sqlite'), [
    ['postgres', ['b', 'c']],
    ['sqlite', ['c']],
  ])
})
