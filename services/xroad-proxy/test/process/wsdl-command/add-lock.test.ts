/**
 * Several `wsdl add` in one directory: one after the other, none loses a file of another, and a killed one stands in
 * nobody's way.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder, until } from '@services/testing'
import { lock } from '../../../src/wsdl-command/add/lock.ts'
import { spawnProxy } from '../../support/process.ts'
import { wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

const silent = (): void => undefined

/** The file of a process that works in the directory, as that process would have named it. */
function fileOf(folder: string): string {
  return readdirSync(folder).find((each) => each.startsWith('.wsdl-add.')) ?? ''
}

test('who comes second waits, and is told once [P1.3]', async () => {
  const folder = newFolder()
  const first = await lock(folder, silent)
  const told: string[] = []
  let isSecond = false
  const second = lock(folder, (sentence) => void told.push(sentence)).then((held) => {
    isSecond = true
    return held
  })
  await until(() => told.length > 0, 'somebody waits')
  match(told[0] ?? '', /^another wsdl add works in .*; waiting for its end \(if there is none, remove .*\.lock\)$/)
  ok(!isSecond)
  first.release()
  const held = await second
  strictEqual(told.length, 1)
  held.release()
  deepStrictEqual(readdirSync(folder), [])
})

test('of many at once one works at a time [P1.3]', async () => {
  const folder = newFolder()
  let atWork = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      const held = await lock(folder, silent)
      atWork += 1
      most = Math.max(most, atWork)
      await new Promise((resolve) => setImmediate(resolve))
      atWork -= 1
      held.release()
    }),
  )
  deepStrictEqual([most, readdirSync(folder)], [1, []])
})

test('what a killed process left behind counts for nothing; that of another machine does, for an hour [P1.3]', async () => {
  const folder = newFolder()
  const held = await lock(folder, silent)
  const own = fileOf(folder)
  held.release()
  const { pid } = spawnSync(process.execPath, ['--version'])
  const killed = own.replace(`.${process.pid}.`, `.${pid}.`)
  const strange = own.replace(/\.[0-9a-f]{12}\./, '.000000000000.')
  writeFileSync(join(folder, killed), '')
  const next = await lock(folder, silent)
  ok(!existsSync(join(folder, killed)))
  next.release()
  writeFileSync(join(folder, strange), '')
  let isTold = false
  const waiting = lock(folder, () => (isTold = true))
  await until(() => isTold, 'somebody waits')
  const old = new Date(Date.now() - 3_700_000)
  utimesSync(join(folder, strange), old, old)
  const last = await waiting
  last.release()
  deepStrictEqual(readdirSync(folder), [])
})

test('a directory is made for it, and goes again where nothing was put; one that cannot be written is told', async () => {
  const folder = newFolder({ file: '' })
  const held = await lock(join(folder, 'a/b'), silent)
  ok(existsSync(join(folder, 'a/b')))
  held.release()
  ok(!existsSync(join(folder, 'a')))
  const kept = await lock(join(folder, 'c'), silent)
  mkdirSync(join(folder, 'c/d'))
  kept.release()
  ok(existsSync(join(folder, 'c/d')))
  await rejects(lock(join(folder, 'file'), silent), {
    name: 'AddProblem',
    message: /file cannot be written \(ENOTDIR\)$/,
  })
})

test('two that add to one place at once: one adds all of its files, the other says what is there [P1.3]', async () => {
  const schema = '<x:include schemaLocation="types.xsd"/>'
  const types = (name: string): string =>
    `<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"><!-- ${name} --></x:schema>`
  const folder = newFolder({
    'proxy.yaml': 'wsdl_watch_dir: wsdl\nclient_data: {member_class: GOV, member_code: "70000000"}\n',
    'one/api.wsdl': wsdlOf(['find'], { schema }),
    'one/types.xsd': types('one'),
    'two/api.wsdl': wsdlOf(['find', 'add'], { schema }),
    'two/types.xsd': types('two'),
  })
  const add = (source: string, code: string, ...flags: readonly string[]) =>
    spawnProxy({ args: ['wsdl', 'add', `${source}/api.wsdl`, '--provider', `GOV/${code}/reg`, ...flags], cwd: folder })
      .ended
  const put = (): string[] =>
    ['api.wsdl', 'types.xsd', 'api.meta.yaml'].map((name) => readFileSync(join(folder, 'wsdl/reg', name), 'utf8'))
  const whose = ([wsdl = '', xsd = '', sidecar = '']: string[]): string[] => [
    wsdl.includes('name="add"') ? 'two' : 'one',
    xsd.includes('two') ? 'two' : 'one',
    sidecar.includes('"2"') ? 'two' : 'one',
  ]
  const ended = await Promise.all([add('one', '1'), add('two', '2')])
  deepStrictEqual(new Set(ended.map(({ code }) => code)), new Set([0, 1]))
  strictEqual(new Set(whose(put())).size, 1, whose(put()).join())
  match(ended.find(({ code }) => code === 1)?.stderr ?? '', /(?:already).*; nothing was added\n$/)
  // Replacing, the last one wins whole.
  const forced = await Promise.all([add('one', '1', '--force'), add('two', '2', '--force')])
  deepStrictEqual(
    forced.map(({ code }) => code),
    [0, 0],
    forced.map(({ stderr }) => stderr).join(''),
  )
  strictEqual(new Set(whose(put())).size, 1, whose(put()).join())
  deepStrictEqual(readdirSync(join(folder, 'wsdl')), ['reg'])
})
