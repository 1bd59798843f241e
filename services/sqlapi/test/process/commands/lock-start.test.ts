/** The lock file at start: types for the description without a database, and what is told where it cannot be used. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder, writeFiles } from '@services/testing'
import { digestOf } from '../../../src/lock/digest.ts'
import { writeLock } from '../../../src/lock/lock-text.ts'
import { spawnSqlapi, startSqlapi } from '../../support/process.ts'

const files = {
  'shop/GET/list.sql': 'SELECT id, name FROM item WHERE id = :id',
  'shop/GET/other.sql': 'SELECT 1 AS one',
}

/** Nobody answers there. */
const config = {
  openapi: true,
  datasources: [{ name: 'shop', url: 'postgres://nobody@127.0.0.1:1/x', acquire_timeout_seconds: 1 }],
  logging: { format: 'json' },
}

const whole = writeLock(
  new Map([
    [
      'GET /shop/list',
      {
        postgres: {
          sha256: digestOf(files['shop/GET/list.sql']),
          kind: 'read' as const,
          parameters: [{ name: 'id', type: { name: 'integer' }, isList: false }],
          keys: [
            { key: 'id', column: 'id', type: { name: 'integer' }, nullable: false as const },
            { key: 'name', column: 'name', type: { name: 'text' }, nullable: undefined },
          ],
        },
      },
    ],
  ]),
)

interface Started {
  readonly description: Description
  /** Names of events about the lock, with their fields. */
  readonly told: readonly Readonly<Record<string, unknown>>[]
}

interface Description {
  readonly components?: { readonly schemas?: Readonly<Record<string, object>> }
}

async function startWith(lock: string | undefined, own: Record<string, unknown> = {}, tree = files): Promise<Started> {
  const folder = newFolder()
  if (lock !== undefined) writeFileSync(join(folder, 'sqlapi.lock.json'), lock)
  const service = await startSqlapi({ files: tree, config: { ...config, ...own }, folder })
  const response = own['openapi'] === false ? undefined : await fetch(`http://127.0.0.1:${service.port}/openapi.json`)
  const description = response === undefined ? {} : ((await response.json()) as Description)
  const { stdout } = await service.stop()
  const lines = stdout.split('\n').filter((line) => line.includes('sqlapi.lock.json'))
  return { description, told: lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

/** Whether the description says what keys the rows of GET /shop/list have. */
function knowsList({ components }: Description): boolean {
  return JSON.stringify(components?.schemas?.['get_shop_list_row'] ?? {}).includes('"id":{"type":"integer"')
}

test('types come from the lock where no database can be asked [N2.3]', async () => {
  const { description, told } = await startWith(whole)
  strictEqual(knowsList(description), true)
  deepStrictEqual(told, [])
  const { description: without } = await startWith(undefined)
  strictEqual(knowsList(without), false)
})

test('with several processes too, and told once [N2.3]', async () => {
  const { description, told } = await startWith(`${whole} `, { server: { workers: 2 } })
  strictEqual(knowsList(description), true)
  deepStrictEqual(told, [])
})

test('an entry whose text has changed is not used, and is one INFO line [N2.3]', async () => {
  const { description, told } = await startWith(
    whole,
    {},
    { ...files, 'shop/GET/list.sql': 'SELECT id FROM item WHERE id = :id' },
  )
  strictEqual(knowsList(description), false)
  strictEqual(told.length, 1)
  const [{ level, first, endpoints, cure } = {}] = told
  deepStrictEqual({ level, first, endpoints, cure }, { level: 'info', first: 'GET /shop/list', endpoints: 1, cure: 'write it again with sqlapi check --write' }) // prettier-ignore
})

test('a lock that is cut or newer is passed over with one WARN line, and stops no start [N2.3]', async () => {
  for (const [text, reason] of [
    [whole.slice(0, 100), 'it is not complete JSON'],
    [whole.replace('"version": 1', '"version": 7'), 'it has version 7, and this sqlapi knows up to 1'],
  ] as const) {
    const { description, told } = await startWith(text)
    strictEqual(knowsList(description), false)
    deepStrictEqual(
      told.map((line) => [line['level'], line['reason']]),
      [['warn', reason]],
    )
  }
})

test('without openapi nobody reads it [N2.3]', async () => {
  const { told } = await startWith('{', { openapi: false })
  deepStrictEqual(told, [])
})

test('sqlapi openapi needs no database where the lock says all [N2.3]', async () => {
  const folder = newFolder()
  const [name] = Object.keys(files)
  writeFiles(join(folder, 'sql'), { [name as string]: files['shop/GET/list.sql'] })
  writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify({ sql_dir: 'sql', ...config }))
  writeFileSync(join(folder, 'sqlapi.lock.json'), whole)
  const { code, stdout, stderr } = await spawnSqlapi({ cwd: folder, args: ['openapi'] }).ended
  deepStrictEqual([code, stderr], [0, ''])
  strictEqual(knowsList(JSON.parse(stdout) as Description), true)
  writeFileSync(join(folder, 'sqlapi.lock.json'), '[')
  const other = await spawnSqlapi({ cwd: folder, args: ['openapi'] }).ended
  match(other.stderr, /sqlapi\.lock\.json is not used: it is not complete JSON/)
})
