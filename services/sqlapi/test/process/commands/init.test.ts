/** The command `init` through its process, and what the project that it writes does. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, type Ended, newFolder, untilListening, writeFiles } from '@services/testing'
import { spawnSqlapi } from '../../support/process.ts'

function run(cwd: string, ...args: string[]): Promise<Ended> {
  return spawnSqlapi({ cwd, args }).ended
}

test('a project that runs at once: check, test, dev, request [N5.3]', async () => {
  const parent = newFolder()
  const made = await run(parent, 'init', 'my notes')
  deepStrictEqual([made.code, made.stderr], [0, ''])
  match(
    made.stdout,
    /Written into my notes:\n[^]*Next:\n {2}cd 'my notes'\n {2}npx --no-install sqlapi check .*\n {2}npx --no-install sqlapi test .*\n {2}npx --no-install sqlapi dev /,
  )
  const folder = join(parent, 'my notes')
  for (const path of made.stdout.split('Next:')[0]?.match(/^ {2}.*$/gm) ?? [])
    ok(existsSync(join(folder, path.trim())), path)
  const checked = await run(folder, 'check', '--strict')
  match(checked.stdout, /^2 files checked in .*: nothing to report\n$/)
  strictEqual(checked.code, 0)
  const tested = await run(folder, 'test')
  match(tested.stdout, /^tests\/notes\.test\.yaml\n(?: {2}ok .*\n){3}\n3 cases, 0 failed, /)
  strictEqual(tested.code, 0)
  // A port of its own, because the one that the project names may be taken.
  const config = readFileSync(join(folder, 'sqlapi.yaml'), 'utf8')
  writeFiles(folder, { 'sqlapi.yaml': config.replace('127.0.0.1:8080', '127.0.0.1:0') })
  const dev = await untilListening(spawnSqlapi({ cwd: folder, args: ['dev'] }))
  const added = await call(dev.port, '/notes/add', { body: { content: 'Water the plants' } })
  match(added.text, /^\[\{"noteId":3,"content":"Water the plants","writtenOn":"\d{4}-\d\d-\d\d"\}\]$/)
  const listed = await call(dev.port, '/notes/list?word=bank')
  strictEqual(listed.text, '[{"noteId":2,"content":"Call the bank","writtenOn":"2026-01-31"}]')
  strictEqual((await dev.stop()).code, 0)
})

test('the schemas for editors are those of the service, and the settings lead to them [N5.3]', async () => {
  const folder = newFolder()
  strictEqual((await run(folder, 'init')).code, 0)
  const settings = JSON.parse(readFileSync(join(folder, '.vscode/settings.json'), 'utf8')) as Record<string, object>
  for (const schema of Object.keys(settings['yaml.schemas'] ?? {})) {
    const { title } = JSON.parse(readFileSync(join(folder, schema), 'utf8')) as { title: string }
    match(title, /sqlapi/)
  }
  match(
    readFileSync(join(folder, 'sqlapi.yaml'), 'utf8'),
    /^# yaml-language-server: \$schema=\.vscode\/sqlapi\.schema\.json\n/,
  )
})

for (const there of ['sqlapi.yaml', 'application.yml', 'sql/other/GET/a.sql', 'schema.sql', 'notes.db']) {
  test(`where ${there} is already nothing is written [N5.3]`, async () => {
    const folder = newFolder({ [there]: 'mine' })
    const { code, stdout, stderr } = await run(folder, 'init')
    deepStrictEqual([code, stdout], [1, ''])
    match(stderr, new RegExp(`^sqlapi: \\. has ${there.split('/')[0]} already, so nothing was written; .*\\n$`))
    deepStrictEqual(readdirSync(folder), [there.split('/')[0]])
  })
}

test('files around a project stay as they are, and are named [N5.3]', async () => {
  const folder = newFolder({ '.gitignore': 'mine', '.vscode/settings.json': '{}', 'README.md': 'mine' })
  const { code, stdout } = await run(folder, 'init', '.')
  strictEqual(code, 0)
  match(stdout, /Left as it was:\n {2}\.gitignore\n {2}\.vscode\/settings\.json\nNext:/)
  strictEqual(readFileSync(join(folder, '.gitignore'), 'utf8'), 'mine')
  strictEqual(readFileSync(join(folder, '.vscode/settings.json'), 'utf8'), '{}')
})

test('a folder that cannot be one, and two folders, are refused [N5.3]', async () => {
  const folder = newFolder({ file: '' })
  mkdirSync(join(folder, 'x'))
  const inFile = await run(folder, 'init', 'file')
  strictEqual(inFile.code, 1)
  strictEqual(inFile.stderr, 'sqlapi: file is a file, so nothing was written; name a folder\n')
  strictEqual((await run(folder, 'init', 'x', 'y')).code, 2)
})

test('a place that takes no folders is told, and not waited for [N5.3]', async () => {
  const folder = newFolder({ file: '' })
  const place = process.platform === 'linux' ? '/proc/x' : join('file', 'x')
  const { code, stdout, stderr } = await run(folder, 'init', place)
  deepStrictEqual([code, stdout], [1, ''])
  match(stderr, /^sqlapi: \S+ cannot hold a project: ENO\w+: .*; name a folder that you may write to\n$/)
})
