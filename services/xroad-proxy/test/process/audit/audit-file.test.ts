/**
 * The audit file as a file: what may be one, disks that are full, files that move, several processes; and what callers
 * get while it cannot be written.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { call, errorOf, newFolder, until } from '@services/testing'
import { AuditFile } from '../../../src/audit/audit-file.ts'
import { auditFileProblem } from '../../../src/audit/open-file.ts'
import type { EventFields } from '../../../src/events.ts'
import { startMock } from '../../../src/mock/mock.ts'
import { keystorePassword } from '../../../src/mock/pki.ts'
import { rest } from '../../support/exchange.ts'
import { type Lanes, sharedPki, startLanes } from '../../support/lanes.ts'
import { startProxy } from '../../support/process.ts'
import { startRaw } from '../../support/upstreams/raw-upstream.ts'
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts'

type Told = { [Name in keyof EventFields]: readonly [Name, EventFields[Name]] }[keyof EventFields]

function openFile(path: string): { readonly file: AuditFile; readonly told: Told[] } {
  const told: Told[] = []
  const file = new AuditFile(path, { emit: (event, fields) => void told.push([event, fields] as unknown as Told) })
  return { file, told }
}

/** The first one that was told. */
function problemIn(told: readonly Told[]): string {
  const [found] = told
  ok(found?.[0] === 'auditFailed')
  return found[1].problem
}

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1)
const isRoot = process.geteuid?.() === 0
const notHere = process.platform === 'win32' && 'Windows has no such files'

/** Makes what stands at the path, and gives what is told of it. */
const oddFiles: Readonly<Record<string, readonly [make: (path: string) => void, problem: RegExp]>> = {
  'a directory': [(path) => mkdirSync(path), /^is a directory, expected a file$/],
  'a symbolic link': [
    (path) => symlinkSync(`${path}.target`, path),
    /^is a symbolic link, expected a plain file: name the/,
  ],
  'a link to a file that is there': [
    (path) => {
      writeFileSync(`${path}.target`, '')
      symlinkSync(`${path}.target`, path)
    },
    /^is a symbolic link/,
  ],
  'a pipe': [(path) => execFileSync('mkfifo', [path]), /^is not a regular file$/],
  'a path through a file': [(path) => writeFileSync(join(path, '..', '..', 'd'), ''), /^has no directory/],
}

describe('what may be an audit file', { skip: notHere }, () => {
  for (const [name, [make, problem]] of Object.entries(oddFiles)) {
    test(`not ${name} [P5.2]`, () => {
      const isBelow = name === 'a path through a file'
      const path = isBelow ? join(newFolder(), 'd', 'audit.jsonl') : join(newFolder(), 'audit.jsonl')
      if (isBelow) writeFileSync(join(path, '..'), '')
      else make(path)
      const { file, told } = openFile(path)
      strictEqual(file.isReady(), false)
      deepStrictEqual(
        told.map(([event]) => event),
        ['auditFailed'],
      )
      match(problemIn(told), problem)
      match(auditFileProblem(path) ?? '', problem)
      file.close()
    })
  }

  test('no device, however well it takes bytes [P5.2]', () => {
    for (const path of ['/dev/null', '/dev/full']) {
      const { file, told } = openFile(path)
      strictEqual(file.isReady(), false)
      match(problemIn(told), /^is not a regular file$/)
      file.close()
    }
  })

  test('nothing in a directory that is not there [P5.2]', () => {
    const path = join(newFolder(), 'none', 'audit.jsonl')
    const { file, told } = openFile(path)
    match(problemIn(told), /^has no directory: make the one/)
    match(auditFileProblem(path) ?? '', /^has no directory/)
    ok(!existsSync(join(path, '..')))
    // As soon as there is one, there is a file.
    file.append('1\n')
    mkdirSync(join(path, '..'))
    file.append('2\n')
    deepStrictEqual(linesOf(path), ['1', '2'])
    deepStrictEqual(told.at(-1), ['auditRestored', { file: path, lost: 0 }])
    file.close()
  })

  test('no file of another user [P5.2]', { skip: !isRoot && 'only root may give files away' }, () => {
    const path = join(newFolder(), 'audit.jsonl')
    writeFileSync(path, '')
    chownSync(path, 12_345, 12_345)
    const { file, told } = openFile(path)
    match(problemIn(told), /^belongs to another user \(12345\), expected the one of this process \(0\)$/)
    match(auditFileProblem(path) ?? '', /^belongs to another user/)
    file.close()
  })

  test('no file that this user may not write [P5.2]', { skip: isRoot && 'root may write everything' }, () => {
    const path = join(newFolder(), 'audit.jsonl')
    writeFileSync(path, '')
    chmodSync(path, 0o400)
    const { file, told } = openFile(path)
    match(problemIn(told), /^may not be opened by the user of this process$/)
    match(auditFileProblem(path) ?? '', /^may not be opened/)
    file.close()
  })

  test('is 0600 whatever the mask and whatever it was, and keeps what is in it [P5.2]', () => {
    const folder = newFolder()
    const mask = process.umask(0)
    try {
      openFile(join(folder, 'new')).file.close()
    } finally {
      process.umask(mask)
    }
    writeFileSync(join(folder, 'old'), 'old\n', { mode: 0o666 })
    chmodSync(join(folder, 'old'), 0o666)
    const { file } = openFile(join(folder, 'old'))
    file.append('new\n')
    file.close()
    deepStrictEqual(
      ['new', 'old'].map((name) => statSync(join(folder, name)).mode & 0o777),
      [0o600, 0o600],
    )
    deepStrictEqual(linesOf(join(folder, 'old')), ['old', 'new'])
  })

  test('the doctor says of a path what a start would say [P5.2 P7]', () => {
    const folder = newFolder({ 'logs.sh': '' })
    chmodSync(join(folder, 'logs.sh'), 0o755)
    for (const name of ['logs.sh/audit.jsonl', 'audit/', 'none/audit/', 'none/audit.jsonl']) {
      const path = `${folder}/${name}`
      const { file, told } = openFile(path)
      strictEqual(auditFileProblem(path), problemIn(told), name)
      file.close()
    }
  })

  test('the doctor makes none when it looks [P5.2]', () => {
    const path = join(newFolder(), 'audit.jsonl')
    strictEqual(auditFileProblem(path), undefined)
    ok(!existsSync(path))
    strictEqual(auditFileProblem(join(path, '..', '.')), 'is a directory, expected a file')
  })
})

describe('a file that moves', { skip: notHere }, () => {
  test('is followed until it is opened anew, and no line is lost [P5.2]', () => {
    const path = join(newFolder(), 'audit.jsonl')
    const { file, told } = openFile(path)
    file.append('1\n')
    renameSync(path, `${path}.1`)
    file.append('2\n')
    file.reopen()
    file.append('3\n')
    file.close()
    deepStrictEqual([linesOf(`${path}.1`), linesOf(path)], [['1', '2'], ['3']])
    deepStrictEqual(told, [['auditReopened', { file: path }]])
  })

  test('goes on into the old one where the new one cannot be opened, which is told [P5.2]', () => {
    const path = join(newFolder(), 'audit.jsonl')
    const { file, told } = openFile(path)
    renameSync(path, `${path}.1`)
    mkdirSync(path)
    file.reopen()
    file.append('1\n')
    strictEqual(file.isReady(), true)
    deepStrictEqual(linesOf(`${path}.1`), ['1'])
    deepStrictEqual(told, [
      [
        'auditFailed',
        {
          file: path,
          problem: 'is a directory, expected a file; lines still go into the file that was open',
          waiting: 0,
          lost: 0,
        },
      ],
    ])
    rmSync(path, { recursive: true })
    file.reopen()
    file.append('2\n')
    file.close()
    deepStrictEqual(linesOf(path), ['2'])
  })

  test('is made anew when it was removed [P5.2]', async () => {
    const path = join(newFolder(), 'audit.jsonl')
    const { file } = openFile(path)
    file.append('1\n')
    rmSync(path)
    await until(() => {
      file.append('2\n')
      return existsSync(path)
    }, 'a new file')
    file.close()
    ok(linesOf(path).every((line) => line === '2'))
  })

  test('is emptied in its place by others without a gap of zeros [P5.2]', () => {
    const path = join(newFolder(), 'audit.jsonl')
    const { file } = openFile(path)
    file.append('1\n')
    writeFileSync(path, '')
    file.append('2\n')
    file.close()
    deepStrictEqual(readFileSync(path, 'utf8'), '2\n')
  })

  test('ends a line that somebody left in the middle [P5.2]', () => {
    const path = join(newFolder(), 'audit.jsonl')
    writeFileSync(path, '{"time":"20')
    const { file } = openFile(path)
    file.append('1\n')
    file.append('2\n')
    file.close()
    deepStrictEqual(linesOf(path), ['{"time":"20', '1', '2'])
  })
})

test('several processes may write one file: every line is whole [P5.2]', async () => {
  const path = join(newFolder(), 'audit.jsonl')
  const script = `
    const { AuditFile } = await import(process.argv[1])
    const file = new AuditFile(process.argv[2], { emit() {} })
    for (let i = 0; i < 500; i++) {
      file.append(JSON.stringify({ by: process.argv[3], i, text: 'x'.repeat(i * 7) }) + '\\n')
      if (i % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    file.close()
  `
  const module = new URL('../../../src/audit/audit-file.ts', import.meta.url).href
  const names = ['a', 'b', 'c', 'd']
  const children = names.map((name) =>
    spawn(process.execPath, ['--input-type=module', '-e', script, module, path, name], { stdio: 'inherit' }),
  )
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as number))
  deepStrictEqual(codes, [0, 0, 0, 0])
  const lines = linesOf(path).map((line) => JSON.parse(line) as { by: string; i: number })
  for (const name of names) {
    deepStrictEqual(
      lines.filter(({ by }) => by === name).map(({ i }) => i),
      Array.from({ length: 500 }, (_, index) => index),
    )
  }
})

const noDisk = whyNoSmallDisk()

describe('a full disk', { skip: noDisk }, () => {
  test('lines wait in their order, none is there by halves, and the log is told once [P5.2]', async () => {
    const disk = mountSmallDisk()
    try {
      const path = join(disk.folder, 'audit.jsonl')
      const { file, told } = openFile(path)
      const line = (index: number): string => `${JSON.stringify({ index, text: 'x'.repeat(300) })}\n`
      file.append(line(0))
      disk.fill()
      // The last page takes some of them, and one by halves.
      for (let index = 1; index < 100; index++) file.append(line(index))
      const written = linesOf(path)
      ok(written.length < 100 && readFileSync(path, 'utf8').endsWith('\n'))
      for (const each of written) JSON.parse(each)
      deepStrictEqual(
        told.map(([event]) => event),
        ['auditFailed'],
      )
      match(problemIn(told), /^has no room left: the disk is full$/)
      strictEqual(file.isReady(), false)
      disk.free()
      await until(() => linesOf(path).length === 100, 'the lines that waited')
      deepStrictEqual(told.at(-1), ['auditRestored', { file: path, lost: 0 }])
      strictEqual(file.isReady(), true)
      file.append(line(100))
      file.close()
      deepStrictEqual(
        linesOf(path).map((each) => (JSON.parse(each) as { index: number }).index),
        Array.from({ length: 101 }, (_, index) => index),
      )
    } finally {
      disk.unmount()
    }
  })

  test('what waits is bounded, and what is lost is counted [P5.2]', () => {
    const disk = mountSmallDisk()
    try {
      const path = join(disk.folder, 'audit.jsonl')
      const { file, told } = openFile(path)
      disk.fill()
      const line = `${'x'.repeat(1023)}\n`
      const memory = process.memoryUsage().arrayBuffers
      for (let index = 0; index < 20_000; index++) file.append(line)
      ok(process.memoryUsage().arrayBuffers - memory < 30_000_000)
      file.close()
      const [, last] = told
      deepStrictEqual(last?.[0], 'auditFailed')
      const { problem, lost, waiting } = last[1]
      deepStrictEqual(
        [problem, waiting, lost + linesOf(path).length],
        ['could not be written before the end', 0, 20_000],
      )
    } finally {
      disk.unmount()
    }
  })

  for (const required of [false, true]) {
    test(`calls are ${required ? '503 before anything is sent' : 'answered'} with required: ${required} [P5.2]`, async () => {
      const disk = mountSmallDisk()
      const file = join(disk.folder, 'audit.jsonl')
      const lanes = await startLanes({ dsl: { 'g/s.yml': rest('GET') }, config: { audit: { file, required } } })
      try {
        strictEqual((await lanes.call('/g/s')).status, 200)
        disk.fill()
        // What is left of the last page of the file.
        const { length } = readFileSync(file)
        writeFileSync(file, ' '.repeat(4096 - length - 1), { flag: 'a' })
        const sent = lanes.events.length
        const got = await lanes.call('/g/s')
        if (required) {
          deepStrictEqual([got.status, errorOf(got), lanes.events.length], [503, 'audit_unavailable', sent])
        } else {
          deepStrictEqual([got.status, lanes.events.length], [200, sent + 1])
        }
        strictEqual(lanes.log.filter(({ event }) => event === 'auditFailed').length, 1)
        disk.free()
        strictEqual((await lanes.call('/g/s')).status, 200)
        strictEqual(linesOf(file).length, required ? 2 : 3)
        strictEqual(lanes.log.filter(({ event }) => event === 'auditRestored').length, 1)
      } finally {
        await lanes.close()
        disk.unmount()
      }
    })
  }

  test('an answer is given although its line cannot be written [P5.2]', async () => {
    const disk = mountSmallDisk()
    const file = join(disk.folder, 'audit.jsonl')
    const upstream = await startRaw(async (peer) => {
      disk.fill()
      peer.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
    })
    const config = { audit: { file, required: true }, security_server: { url: upstream.url } }
    const lanes = await startLanes({ dsl: { 'g/s.yml': rest('GET') }, config })
    try {
      const given = await lanes.call('/g/s')
      deepStrictEqual([given.status, given.text], [200, '{}'])
      strictEqual(lanes.log.filter(({ event }) => event === 'auditFailed').length, 1)
      strictEqual((await lanes.call('/g/s')).status, 503)
      strictEqual(upstream.requests.length, 1)
    } finally {
      await lanes.close()
      await upstream.close()
      disk.unmount()
    }
  })
})

describe('a file that cannot be opened', { skip: notHere }, () => {
  async function startWith(audit: object): Promise<Lanes> {
    return startLanes({
      dsl: { 'g/s.yml': rest('GET'), 'g/soap.yml': 'method: POST\nenvelope: <q/>\n' },
      config: { audit },
    })
  }

  test('is one ERROR at the start, and calls are answered [P5.2]', async () => {
    const file = join(newFolder(), 'none', 'audit.jsonl')
    const lanes = await startWith({ file })
    try {
      const failed = lanes.log.filter(({ event }) => event === 'auditFailed')
      deepStrictEqual(
        failed.map(({ level, file: named }) => [level, named]),
        [['error', file]],
      )
      for (let count = 0; count < 5; count++) strictEqual((await lanes.call('/g/s')).status, 200)
      strictEqual(lanes.log.filter(({ event }) => event === 'auditFailed').length, 1)
    } finally {
      await lanes.close()
    }
    const [, last] = lanes.log.filter(({ event }) => event === 'auditFailed')
    deepStrictEqual([last?.['problem'], last?.['lost']], ['could not be written before the end', 5])
  })

  test('refuses calls where it is required, on both lanes, until it can [P5.2]', async () => {
    const file = join(newFolder(), 'none', 'audit.jsonl')
    const lanes = await startWith({ file, required: true })
    try {
      for (const [path, method] of [
        ['/g/s', 'GET'],
        ['/g/soap', 'POST'],
      ] as const) {
        const got = await lanes.call(path, { method, ...(method === 'POST' ? { body: '{}' } : {}) })
        deepStrictEqual([got.status, errorOf(got)], [503, 'audit_unavailable'])
        ok(!got.text.includes(file))
      }
      deepStrictEqual(lanes.events, [])
      // What is wrong with a request is said first.
      strictEqual((await lanes.call('/g/none')).status, 404)
      strictEqual((await lanes.call('/g/soap', { method: 'POST', body: Buffer.alloc(1_048_577) })).status, 413)
      strictEqual((await lanes.call('/health')).status, 200)
      mkdirSync(join(file, '..'))
      strictEqual((await lanes.call('/g/s')).status, 200)
      strictEqual(linesOf(file).length, 1)
    } finally {
      await lanes.close()
    }
  })

  test('has its error in /api where it is required, and only there [P5.2]', async () => {
    for (const audit of [{ required: true }, { required: false }, undefined]) {
      const file = join(newFolder(), 'audit.jsonl')
      const lanes = await startLanes({
        dsl: { 'g/s.yml': rest('GET'), 'g/soap.yml': 'method: POST\nenvelope: <q/>\n', 'g/odd.yml': rest('PURGE') },
        config: audit === undefined ? {} : { audit: { file, ...audit } },
      })
      const { text } = await lanes.call('/api')
      await lanes.close()
      const isThere = audit?.required === true
      deepStrictEqual([text.includes('audit_unavailable'), text.includes('"503"')], [isThere, isThere])
    }
  })

  for (const [name, env, message] of [
    ['is not set', {}, /audit\.hash_key_env: environment variable AUDIT_KEY is not set; set it to a long random text/],
    ['is empty', { AUDIT_KEY: '' }, /audit\.hash_key_env: environment variable AUDIT_KEY is empty; set it/],
  ] as const) {
    test(`a start without the key of the hashes is refused: it ${name} [P5.2]`, async () => {
      const file = join(newFolder(), 'audit.jsonl')
      let told = ''
      await startLanes({ dsl: {}, config: { audit: { file, hash_key_env: 'AUDIT_KEY' } }, env }).catch(
        (error: unknown) => {
          told = String(error)
        },
      )
      match(told, message)
      ok(!existsSync(file))
    })
  }
})

describe('a process', { skip: notHere }, () => {
  test('opens the file anew on SIGHUP, and loses no line of many while files move [P5.2]', async () => {
    const folder = newFolder()
    const file = join(folder, 'audit.jsonl')
    const mock = await startMock({ host: '127.0.0.1', port: 0, folder: sharedPki().folder })
    const running = await startProxy({
      files: { 'g/s.yml': rest('GET') },
      config: {
        audit: { file },
        security_server: { url: mock.url, keystore_path: mock.files.keystore, trust_ca_path: mock.files.ca },
      },
      env: { PROXY_KEYSTORE_PASSWORD: keystorePassword },
    })
    try {
      const end = new AbortController()
      let calls = 0
      const caller = async (): Promise<void> => {
        while (!end.signal.aborted) {
          const id = `r-${(calls += 1)}`
          strictEqual((await call(running.port, '/g/s', { headers: { 'X-Road-Id': id } })).status, 200)
        }
      }
      const callers = Array.from({ length: 8 }, caller)
      const moved: string[] = []
      for (let round = 0; round < 5; round++) {
        await until(() => existsSync(file) && statSync(file).size > 2000, 'some lines')
        const to = join(folder, `audit.jsonl.${round}`)
        renameSync(file, to)
        moved.push(to)
        running.kill('SIGHUP')
        await until(() => existsSync(file), 'a new file')
      }
      end.abort()
      await Promise.all(callers)
      const ids = [...moved, file].flatMap(linesOf).map((line) => (JSON.parse(line) as { id: string }).id)
      strictEqual(ids.length, calls)
      strictEqual(new Set(ids).size, calls)
      const { code, stdout } = await running.stop()
      strictEqual(code, 0)
      strictEqual(stdout.match(/The audit file was opened anew/g)?.length, 5)
    } finally {
      running.kill('SIGKILL')
      await mock.close()
    }
  })

  test(
    'that may make no larger file says so, refuses calls and goes on living [P5.2]',
    { skip: process.platform !== 'linux' && 'the shell of this system counts otherwise' },
    async () => {
      const file = join(newFolder(), 'audit.jsonl')
      writeFileSync(file, `${' '.repeat(1_048_576 - 10)}\n`)
      const mock = await startMock({ host: '127.0.0.1', port: 0, folder: sharedPki().folder })
      const running = await startProxy({
        files: { 'g/s.yml': rest('GET') },
        config: {
          audit: { file, required: true },
          security_server: { url: mock.url, keystore_path: mock.files.keystore, trust_ca_path: mock.files.ca },
        },
        env: { PROXY_KEYSTORE_PASSWORD: keystorePassword },
        before: ['/bin/sh', '-c', 'ulimit -f 2048; exec "$0" "$@"'],
      })
      try {
        // Its line fails after the exchange.
        strictEqual((await call(running.port, '/g/s')).status, 200)
        strictEqual((await call(running.port, '/g/s')).status, 503)
        match(
          await running.line(/ERROR/),
          /The audit file cannot be written .*as large as this process may make a file/,
        )
        deepStrictEqual([statSync(file).size, readFileSync(file, 'utf8').endsWith('\n')], [1_048_567, true])
      } finally {
        running.kill('SIGKILL')
        await running.ended
        await mock.close()
      }
    },
  )
})
