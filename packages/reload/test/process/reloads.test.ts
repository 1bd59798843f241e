/**
 * When files are read again, and what is reported about it. What is read is a folder here; what holds a reload up is a
 * gate.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type Files, newFolder, until } from '@services/testing'
import { type Reloadable, Reloads } from '../../src/index.ts'

class Broken extends Error {}

/** A service that serves what stands in the files of a folder; `bad` in one of them is wrong. */
class Folder implements Reloadable {
  readonly path: string
  readonly told: string[] = []
  /** How often somebody has looked. */
  looks = 0
  begun = 0
  served = ''
  #gate: Promise<void> = Promise.resolve()
  /** Further paths, which count from the next reload on. */
  more: readonly string[] = []
  #also: readonly string[] = []
  /** Called with each look. */
  looked: () => void = () => undefined
  readonly reloads: Reloads

  constructor(t: TestContext, files: Files, readAt?: number) {
    this.path = newFolder(files)
    this.reloads = new Reloads(this, this, readAt ?? Date.now(), { lookMs: 2, quietMs: 2 })
    t.after(() => this.reloads.close())
  }

  async reload(signal: AbortSignal): Promise<{ endpoints: number } | undefined> {
    this.begun++
    this.#also = this.more
    const texts = this.#names().map((name) => readFileSync(join(this.path, name), 'utf8'))
    await this.#gate
    if (signal.aborted) return undefined
    if (texts.includes('bad')) throw new Broken('it is bad')
    if (texts.includes('bug')) throw new TypeError('nobody thought of it')
    this.served = texts.join()
    return { endpoints: texts.length }
  }

  files(): Iterable<string> {
    this.looks++
    this.looked()
    return [...this.#names().map((name) => join(this.path, name)), ...this.#also]
  }

  explain(error: unknown): { error: string; reason: string } | undefined {
    return error instanceof Broken ? { error: 'Broken', reason: error.message } : undefined
  }

  emit(event: string, { trigger, ...fields }: { trigger: string; reason?: string; endpoints?: number }): void {
    this.told.push([event, trigger, fields.reason ?? fields.endpoints].join(' '))
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text)
  }

  /** Another path counts from now on. */
  know(path: string): void {
    this.#also = [path]
  }

  /** A reload is under way, and held up until the function is called that this gives. */
  async beginAndHold(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#gate = promise
    const { begun } = this
    this.reloads.request('SIGHUP')
    await until(() => this.begun > begun, 'one under way')
    return resolve
  }

  /** So many further looks, all of which have ended. */
  async looksOn(more = 5): Promise<void> {
    const { looks } = this
    await until(() => this.looks > looks + more, 'further looks')
  }

  #names(): string[] {
    return readdirSync(this.path).filter((name) => !name.startsWith('.'))
  }
}

function untilTold(folder: Folder, ...told: string[]): Promise<void> {
  return until(() => folder.told.join() === told.join(), told.join())
}

test('one reload at a time; a request that comes meanwhile is done afterwards, once [O3.1]', async (t) => {
  const folder = new Folder(t, { a: '1' })
  const release = await folder.beginAndHold()
  folder.write('a', '2')
  for (let i = 0; i < 5; i++) folder.reloads.request('SIGHUP')
  strictEqual(folder.begun, 1)
  release()
  await untilTold(folder, 'reloaded SIGHUP 1', 'reloaded SIGHUP 1')
  deepStrictEqual([folder.begun, folder.served], [2, '2'])
})

test('what is wrong is told each time that somebody asks, and what was served stays [O3.1]', async (t) => {
  const folder = new Folder(t, { a: '1' })
  folder.reloads.request('SIGHUP')
  await untilTold(folder, 'reloaded SIGHUP 1')
  folder.write('a', 'bad')
  folder.reloads.request('SIGHUP')
  await until(() => folder.told.length === 2, 'a failure')
  folder.reloads.request('SIGHUP')
  await untilTold(folder, 'reloaded SIGHUP 1', 'reloadFailed SIGHUP it is bad', 'reloadFailed SIGHUP it is bad')
  strictEqual(folder.served, '1')
})

test('an error that nobody expected is told with its stack, and the next request is done [O3.1]', async (t) => {
  const folder = new Folder(t, { a: 'bug' })
  folder.reloads.request('SIGHUP')
  await until(() => folder.told.length === 1, 'a failure')
  match(folder.told[0] ?? '', /^reloadFailed SIGHUP TypeError: nobody thought of it\n.* at /s)
  folder.write('a', 'good')
  folder.reloads.request('SIGHUP')
  await until(() => folder.served === 'good', 'the next')
})

test('once the end has begun nothing changes and nothing is told [O3.1]', async (t) => {
  const folder = new Folder(t, { a: '1' })
  await folder.reloads.follow('watch')
  const release = await folder.beginAndHold()
  const closed = folder.reloads.close()
  folder.reloads.request('SIGHUP')
  release()
  await closed
  folder.reloads.request('SIGHUP')
  await folder.reloads.follow('watch')
  deepStrictEqual([folder.begun, folder.served, folder.told], [1, '', []])
})

test('without a watch a change is not looked for [O3.1]', async (t) => {
  const folder = new Folder(t, { a: '1' })
  await folder.reloads.follow('off')
  folder.write('a', '2')
  folder.reloads.request('SIGHUP')
  await untilTold(folder, 'reloaded SIGHUP 1')
  strictEqual(folder.looks, 0)
})

test('files that change, come and go are read anew by a watch, once for each state [O3.1]', async (t) => {
  const folder = new Folder(t, { a: '1', b: '1' })
  await folder.reloads.follow('watch')
  await folder.reloads.follow('watch')
  await folder.looksOn()
  strictEqual(folder.begun, 0)
  folder.write('a', '2')
  await until(() => folder.served === '2,1', 'another content')
  folder.write('c', '3')
  await until(() => folder.served === '2,1,3', 'another file')
  rmSync(join(folder.path, 'a'))
  await until(() => folder.served === '1,3', 'a file less')
  await folder.looksOn()
  strictEqual(folder.begun, 3)
  await folder.reloads.follow('off')
  folder.write('b', 'unseen')
  const { looks } = folder
  folder.reloads.request('SIGHUP')
  await until(() => folder.served === 'unseen,3', 'what was asked for')
  ok(folder.looks <= looks + 1)
})

test('the same content, touched or written again, is not a change; another one of the same size and time is [O3.1]', async (t) => {
  const folder = new Folder(t, { a: '1' })
  const path = join(folder.path, 'a')
  utimesSync(path, 1, 1)
  await folder.reloads.follow('watch')
  await folder.looksOn()
  utimesSync(path, 2, 2)
  folder.write('a', '1')
  writeFileSync(`${path}.tmp`, '1')
  renameSync(`${path}.tmp`, path)
  await folder.looksOn(20)
  strictEqual(folder.served, '')
  writeFileSync(path, '2')
  utimesSync(path, 1, 1)
  await until(() => folder.served === '2', 'another content')
})

test('a state that is broken is told once; the next one is read again [O3.1]', async (t) => {
  const folder = new Folder(t, { a: '1' })
  await folder.reloads.follow('watch')
  folder.write('a', 'bad')
  await until(() => folder.told.length > 0, 'a failure')
  await folder.looksOn(20)
  deepStrictEqual(folder.told, ['reloadFailed watch it is bad'])
  folder.write('b', 'more')
  await until(() => folder.told.length > 1, 'another state')
  folder.write('a', '2')
  await until(() => folder.served === '2,more', 'a good state')
  strictEqual(folder.told.filter((line) => line.startsWith('reloadFailed')).length, 2)
})

test('files are read when they have been quiet [O3.1]', async (t) => {
  const folder = new Folder(t, { a: '0' })
  await folder.reloads.follow('watch')
  let writes = 0
  // With each look there is another content, as in a check-out that takes its time.
  folder.looked = () => {
    if (writes < 50) folder.write('a', String(++writes))
  }
  await until(() => folder.told.length > 0, 'a reload')
  deepStrictEqual([folder.served, folder.begun], ['50', 1])
})

test('what changes while it is read is read once more [O3.1]', async (t) => {
  const folder = new Folder(t, { a: '1' })
  await folder.reloads.follow('watch')
  const release = await folder.beginAndHold()
  folder.write('a', '2')
  release()
  await until(() => folder.served === '2', 'what came behind')
})

test('a link that is put in the place of another one, as mounts of Kubernetes do, is a change [O3.1]', async (t) => {
  const folder = new Folder(t, {})
  const versions = [1, 2].map((version) => join(folder.path, `..${version}`))
  for (const [index, path] of versions.entries()) {
    mkdirSync(path)
    writeFileSync(join(path, 'a'), `version ${index + 1}`)
  }
  symlinkSync('..1', join(folder.path, '..data'))
  symlinkSync(join('..data', 'a'), join(folder.path, 'a'))
  await folder.reloads.follow('watch')
  symlinkSync('..2', join(folder.path, '..data_tmp'))
  renameSync(join(folder.path, '..data_tmp'), join(folder.path, '..data'))
  rmSync(versions[0] ?? '', { recursive: true })
  await until(() => folder.served === 'version 2', 'the other version')
})

test('other files that count from a reload on are not a change by themselves: one reload, one failure [O3.1]', async (t) => {
  const folder = new Folder(t, { a: '1' })
  const others = newFolder({ b: '1' })
  for (const text of ['2', 'bad']) {
    await folder.reloads.follow('watch')
    // Older than any reload.
    utimesSync(join(others, 'b'), 1, 1)
    await until(() => statSync(join(others, 'b')).ctimeMs < Date.now(), 'the next moment')
    folder.more = text === 'bad' ? [] : [join(others, 'b'), join(others, 'none')]
    const { length } = folder.told
    folder.write('a', text)
    await until(() => folder.told.length > length, 'a reload')
    await folder.looksOn(20)
    strictEqual(folder.told.length, length + 1)
  }
})

test('one of them that comes or goes meanwhile is a change [O3.1]', async (t) => {
  const folder = new Folder(t, { a: '1', b: '1' })
  await folder.reloads.follow('watch')
  for (const [change, served] of [
    [(): void => folder.write('c', '3'), '1,1,3'],
    [(): void => rmSync(join(folder.path, 'b')), '1,3'],
  ] as const) {
    const release = await folder.beginAndHold()
    change()
    release()
    await until(() => folder.served === served, served)
  }
})

const withoutPipes = process.platform === 'win32' ? 'Windows has no pipes in folders' : false

test('what is not a file is not read [O3.1]', { skip: withoutPipes }, async (t) => {
  const folder = new Folder(t, { a: '1' })
  // It has no reader: opening it would wait for ever.
  execFileSync('mkfifo', [join(folder.path, '.pipe')])
  folder.more = [join(folder.path, '.pipe')]
  await folder.reloads.follow('watch')
  folder.write('a', '2')
  await until(() => folder.served === '2', 'a reload')
  await folder.looksOn()
  folder.write('a', '3')
  await until(() => folder.served === '3', 'the next one')
})

/** Rewrites a file until its time is later than `timeMs`; file times lag behind `Date.now()`. */
async function nextMoment(timeMs: number): Promise<void> {
  const path = join(newFolder({ a: '' }), 'a')
  await until(() => {
    writeFileSync(path, '')
    return statSync(path).ctimeMs > timeMs + 1
  }, 'a later time of a file')
}

test('what changes between reading and the beginning of the watch is read again [T4]', async (t) => {
  const readAt = Date.now()
  await nextMoment(readAt)
  // By now a start has read it, as something else.
  const folder = new Folder(t, { a: 'edited' }, readAt)
  await folder.reloads.follow('watch')
  await folder.reloads.hasRead()
  await untilTold(folder, 'reloaded watch 1')
  strictEqual(folder.served, 'edited')
})

test('what changes, comes and goes while a start reads is read again [T4]', async (t) => {
  for (const change of ['write', 'add', 'remove'] as const) {
    const folder = new Folder(t, { a: '1', b: '1' })
    await folder.reloads.follow('watch')
    if (change === 'write') folder.write('a', '2')
    else if (change === 'add') folder.write('c', '2')
    else rmSync(join(folder.path, 'b'))
    await folder.reloads.hasRead()
    const served = { write: '2,1', add: '1,1,2', remove: '1' }[change]
    await until(() => folder.served === served, change)
  }
})

test('what only a start makes known counts as read, unless it changed since [T4]', async (t) => {
  const others = newFolder({ b: '1' })
  await nextMoment(statSync(join(others, 'b')).ctimeMs)
  const folder = new Folder(t, { a: '1' })
  await folder.reloads.follow('watch')
  folder.know(join(others, 'b'))
  await folder.reloads.hasRead()
  await folder.looksOn(20)
  strictEqual(folder.begun, 0)
  writeFileSync(join(others, 'b'), '2')
  await until(() => folder.begun === 1, 'a reload')
})

test('a watch that a reload begins misses nothing since that reload began to read [T4]', async (t) => {
  const folder = new Folder(t, { a: '1' })
  const release = await folder.beginAndHold()
  const begun = Date.now()
  await nextMoment(begun)
  folder.write('a', '2')
  await folder.reloads.follow('watch')
  release()
  await until(() => folder.served === '2', 'what was written meanwhile')
})
