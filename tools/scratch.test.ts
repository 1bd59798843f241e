/** Where a test run keeps its temporary files, by real runs of `tools/test.ts`. */
import { ok, strictEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '@services/testing'
import { memory, prefix, scratchInMemory } from './scratch.ts'

/** Tells where it was asked to put its files, and leaves one there. */
const tells = `import { test } from 'node:test'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
test('a', () => {
  writeFileSync(join(tmpdir(), 'left'), '')
  writeFileSync(new URL('seen', import.meta.url), tmpdir())
})
`

/** Runs one file; returns the folder that it was given. */
function folderOfRun(given: string | undefined): string {
  const cwd = newFolder({ 'package.json': '{"type":"module"}', 'tools/a.test.ts': tells })
  const { TMPDIR: _, NODE_TEST_CONTEXT: __, ...env } = process.env
  const runner = join(import.meta.dirname, 'test.ts')
  const added = given === undefined ? {} : { TMPDIR: given }
  const { status, stdout } = spawnSync(process.execPath, [runner], { cwd, env: { ...env, ...added }, encoding: 'utf8' })
  strictEqual(status, 0, stdout)
  return readFileSync(join(cwd, 'tools/seen'), 'utf8')
}

// Looking whether there is room makes a folder, which goes with this process.
const isHere = scratchInMemory() !== undefined
const skip = isHere ? false : `${memory} has no room for the files of a test run`

test('the temporary files of a run are in memory, and gone with it', { skip }, () => {
  const folder = folderOfRun(undefined)
  ok(folder.startsWith(join(memory, prefix)), folder)
  ok(!existsSync(folder))
})

test('what a killed run has left goes with the next one', { skip }, () => {
  const { pid } = spawnSync('true')
  const left = join(memory, `${prefix}${pid}-left`)
  const running = join(memory, `${prefix}${process.pid}-running`)
  for (const folder of [left, running]) mkdirSync(join(folder, 'files'), { recursive: true })
  try {
    folderOfRun(undefined)
    ok(!existsSync(left))
    ok(existsSync(running))
  } finally {
    for (const folder of [left, running]) rmSync(folder, { recursive: true, force: true })
  }
})

test('a folder that was asked for is taken, and its files are left alone', () => {
  const asked = newFolder()
  strictEqual(folderOfRun(asked), asked)
  ok(existsSync(join(asked, 'left')))
})
