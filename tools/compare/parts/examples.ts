/**
 * The two examples that `npm start` serves, with the requests of the manuals and with what callers do wrong. The proxy
 * calls the mock Security Server of its own version.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Part } from '../part.ts'
import { shown } from '../programs.ts'
import type { Recording } from '../recording.ts'
import { repository, type Side } from '../sides.ts'
import { createDatabase } from '../running/databases.ts'
import { commonRequests } from '../inputs/edges.ts'
import { rawRequests } from '../inputs/raw.ts'
import { startMock } from '../running/mock.ts'
import { askAll, askRaw, type Question, withService } from '../running/service.ts'

export const examples: Part = {
  name: 'examples',
  async run(side, recording) {
    await runSqlapi(side, recording)
    await runProxy(side, recording)
  },
}

/** Fields of a second start, beside those of `server`. */
const other = 'errors: full\ncors: {allowed_origins: https://a.example}\ntrace: {enabled: true}\n'
const otherServer = 'bind: 127.0.0.1:0\n  fast_reader: false\n  compression: true'

async function runSqlapi(side: Side, recording: Recording): Promise<void> {
  const cwd = join(side.folder, 'example-sqlapi')
  cpSync(join(repository, 'examples/sqlapi'), cwd, { recursive: true })
  const url = await createDatabase(side, 'sqlite', 'example-sqlapi/demo', readFileSync(join(cwd, 'schema.sql'), 'utf8'))
  const text = readFileSync(join(cwd, 'sqlapi.yaml'), 'utf8')
    .replace('127.0.0.1:8080', '127.0.0.1:0')
    .replace(/sql_dir: .*/, 'sql_dir: sql')
    .replace(/url: sqlite:.*/, `url: ${url}`)
  const questions = [...requestsIn('services/sqlapi/README.md'), ...commonRequests('/demo/permits/list')]
  for (const [index, more] of ['', other].entries()) {
    const title = `sqlapi ${index}`
    const own = index === 0 ? text : text.replace('bind: 127.0.0.1:0', otherServer)
    writeFileSync(join(cwd, 'sqlapi.yaml'), `${own}\nadmin: {bind: "127.0.0.1:0"}\nlogging: {requests: all}\n${more}`)
    const args = ['--config', 'sqlapi.yaml']
    await withService({ side, recording, service: 'sqlapi', args, title, cwd, isPlain: true }, async (running) => {
      await askAll(running, recording, titled(title, questions))
      await askRaw(running, recording, title, rawRequests('/demo/permits/summary'))
    })
  }
}

async function runProxy(side: Side, recording: Recording): Promise<void> {
  const cwd = join(side.folder, 'example-proxy')
  cpSync(join(repository, 'examples/xroad-proxy'), cwd, { recursive: true })
  mkdirSync(join(cwd, '.data'), { recursive: true })
  cpSync(side.certificates, join(cwd, '.data'), { recursive: true })
  const mock = await startMock(side, cwd, ['--folder', '.data', '--answers', 'answers'])
  const text = readFileSync(join(cwd, 'proxy.yaml'), 'utf8')
    .replace('port: 8090', 'port: 0')
    .replace('127.0.0.1:5500', `127.0.0.1:${mock.port}`)
    .replaceAll('examples/xroad-proxy/', '')
  // With `off` the service looks at a body once a second, so the log would depend on the clock.
  const more = 'admin: {bind: "127.0.0.1:0"}\naudit: {file: audit.jsonl}\nvalidate_requests: warn\n'
  writeFileSync(join(cwd, 'proxy.yaml'), `${text}\n${more}`)
  const questions = [
    ...requestsIn('services/xroad-proxy/README.md'),
    ...requestsIn('services/xroad-proxy/docs/rest.md'),
    ...commonRequests('/population/person'),
    ...commonRequests('/business/companies'),
  ]
  const args = ['--config', 'proxy.yaml']
  const given = { side, recording, service: 'xroad-proxy', args, title: 'proxy', cwd, isPlain: true } as const
  await withService(given, async (running) => {
    await askAll(running, recording, titled('proxy', questions))
    await askRaw(running, recording, 'proxy soap', rawRequests('/population/person'))
    await askRaw(running, recording, 'proxy rest', rawRequests('/business/companies'))
  })
  recording.addText('file', 'audit.jsonl', 'audit.jsonl', readFileSync(join(cwd, 'audit.jsonl'), 'utf8'))
  recording.addText('log', 'mock: log', 'xroad-proxy mock', shown(await mock.stop()))
}

function titled(title: string, questions: readonly Omit<Question, 'title'>[]): Question[] {
  return questions.map((question) => ({ title: `${title} ${question.method} ${question.path}`, ...question }))
}

/** The calls by curl that a page of the manual shows. */
export function requestsIn(page: string): Omit<Question, 'title'>[] {
  const lines = readFileSync(join(repository, page), 'utf8').split('\n')
  return lines.filter((line) => /^curl .*'http:/.test(line)).map(fromCurl)
}

function fromCurl(line: string): Omit<Question, 'title'> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  const after = (flag: string): string[] => words.filter((_, index) => words[index - 1] === flag)
  const [body] = [...after('-d'), ...after('--data'), ...after('--data-binary')]
  const url = words.find((word) => word.startsWith('http://')) ?? ''
  const path = url.replace(/^http:\/\/[^/]*/, '')
  const given = Object.fromEntries(after('-H').map((text) => text.split(/: ?(.*)/s).slice(0, 2) as [string, string]))
  const type = body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }
  const [method = body === undefined ? 'GET' : 'POST'] = after('-X')
  return { method, path, headers: { Accept: '*/*', ...type, ...given }, body }
}
