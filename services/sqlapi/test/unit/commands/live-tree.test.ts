/** What is read anew of a tree that changes, and what stays the same object. */
import { deepStrictEqual, notStrictEqual, rejects, strictEqual } from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { newFolder, writeFiles } from '@services/testing'
import { LiveTree } from '../../../src/dev/live-tree.ts'
import type { StartupFailure } from '../../../src/errors.ts'

test('only what has changed is read anew [N5.1]', async () => {
  const folder = newFolder({
    'demo/GET/a.sql': 'SELECT 1',
    'demo/GET/b.sql': 'SELECT 1',
    'demo/POST/c.sql': 'SELECT 1',
  })
  const tree = new LiveTree(folder, new Set(['sqlite']))
  const first = await tree.read()
  deepStrictEqual(first.changed, ['demo/GET/a.sql', 'demo/GET/b.sql', 'demo/POST/c.sql'])
  const again = await tree.read()
  deepStrictEqual([again.changed, again.removed], [[], []])
  writeFiles(folder, { 'demo/GET/b.sql': 'SELECT 22' })
  rmSync(`${folder}/demo/POST`, { recursive: true })
  const second = await tree.read()
  deepStrictEqual([second.changed, second.removed], [['demo/GET/b.sql'], ['demo/POST/c.sql']])
  deepStrictEqual([...second.endpoints.keys()], ['GET /demo/a', 'GET /demo/b'])
  strictEqual(second.endpoints.get('GET /demo/a'), first.endpoints.get('GET /demo/a'))
  notStrictEqual(second.endpoints.get('GET /demo/b'), first.endpoints.get('GET /demo/b'))
})

test('files for one URL are both not served, a third one is named too [N5.1]', async () => {
  const files = ['demo/GET/A.sql', 'demo/GET/a.sql', 'demo/POST/x.sql', 'demo/POST/x/batch.sql', 'demo/POST/y.sql']
  const folder = newFolder(Object.fromEntries(files.map((file) => [file, 'SELECT 1'])))
  const tree = new LiveTree(folder, new Set(['postgres']))
  const { endpoints, refusals, unloaded } = await tree.read()
  deepStrictEqual([...endpoints.keys()], ['POST /demo/y'])
  deepStrictEqual(
    refusals.map((refusal) => refusal.files),
    [files.slice(0, 2), files.slice(2, 4)],
  )
  deepStrictEqual([...unloaded.keys()], ['GET /demo/a', 'POST /demo/x', 'POST /demo/x/batch'])
})

test('a tree that is not there is refused as at a start [N5.1]', async () => {
  const tree = new LiveTree('/nowhere/at/all', new Set(['sqlite']))
  await rejects(tree.read(), ({ name }: StartupFailure) => name === 'InvalidDirectoryException')
})
