/** Warnings of Node.js as log lines: real processes with a module loaded ahead that causes real warnings. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, linesOf, newFolder, until } from '@services/testing'
import { type Running, startSqlapi } from '../../support/process.ts'

/** As soon as somebody listens for warnings, in whichever thread, there are some. */
const preload = `
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
const { isMainThread, Worker } = threads
if (isMainThread) {
  // A thread of SQLite gets no module that is loaded ahead, but here.
  threads.Worker = class extends Worker {
    constructor(file, options) {
      super(file, { ...options, execArgv: ['--import', import.meta.url] })
    }
  }
  syncBuiltinESMExports()
}
let done = false
process.on('newListener', (name) => {
  if (name !== 'warning' || done) return
  done = true
  setImmediate(() => {
    const emitter = new EventEmitter()
    for (let i = 0; i < 12; i++) emitter.on(isMainThread ? 'first' : 'second', () => undefined)
    for (let i = 0; i < 5; i++) process.emitWarning('old\\nfashioned', 'ThreadWarning' + isMainThread, 'OLD1')
  })
})`

async function start(server: object): Promise<Running> {
  const folder = newFolder({ 'preload.mjs': preload })
  const running = await startSqlapi({
    folder,
    files: { 'demo/GET/one.sql': 'SELECT 1 AS one' },
    config: { server, logging: { format: 'json' }, datasources: [{ name: 'demo', url: 'sqlite:demo.db' }] },
    env: { NODE_OPTIONS: `--import=${join(folder, 'preload.mjs')}` },
  })
  strictEqual((await call(running.port, '/demo/one')).status, 200)
  return running
}

function warningsIn(text: string): Record<string, unknown>[] {
  return linesOf(text)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === 'processWarning')
}

const both = ['MaxListenersExceededWarning', 'ThreadWarningfalse', 'ThreadWarningtrue']

for (const workers of [1, 2]) {
  test(`warnings of every thread are log lines, and stderr stays empty: server.workers ${workers} [S14]`, async () => {
    const running = await start({ workers })
    const names = (): unknown[] => warningsIn(running.stdout()).map(({ warning }) => warning)
    await until(() => both.every((name) => names().includes(name)), 'a line for each warning')
    const { stderr, stdout } = await running.stop()
    strictEqual(stderr, '')
    const warnings = warningsIn(stdout)
    const exceeded = warnings.find(({ warning }) => warning === both[0])
    match(String(exceeded?.['message']), /^Possible EventEmitter memory leak detected\. 11 \w+ listeners added/)
    match(String(exceeded?.['stack']), /preload\.mjs/)
    deepStrictEqual([exceeded?.['level'], exceeded?.['target']], ['warn', 'sqlapi'])
    const old = warnings.filter(({ code }) => code === 'OLD1')
    ok(old.length >= 2)
    for (const { message } of old) strictEqual(message, 'old\nfashioned')
  })
}
