/**
 * WSDL files of real registers, if they are there: what is generated from them, the description, what `explain` and
 * `doctor` say, and for each endpoint the envelope of two requests with the JSON of an answer that echoes them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Part } from '../part.ts'
import type { Recording } from '../recording.ts'
import { repository, type Side } from '../sides.ts'
import { Connection } from '../wire.ts'
import { runCommands } from '../running/command.ts'
import { recordFiles } from '../running/files.ts'
import { withProxy } from '../running/proxy.ts'
import { sampleRequests } from '../inputs/samples.ts'
import { askAll } from '../running/service.ts'
import { toAnswer } from '../running/upstream.ts'

/** Outside the repository, because they are other people's files. */
const corpus = process.env['XROAD_PROXY_REAL_WSDLS'] ?? findCorpus()

/** Beside the repository or a worktree of it. */
function findCorpus(): string {
  const places = ['../shared/corpus/wsdl', '../../shared/corpus/wsdl'].map((path) => join(repository, path))
  return places.find((path) => existsSync(path)) ?? (places[0] as string)
}

export const wsdls: Part = {
  name: 'real WSDLs',
  skipped: () =>
    existsSync(corpus) ? undefined : `${corpus} does not exist, and XROAD_PROXY_REAL_WSDLS names no folder`,
  async run(side, recording) {
    const files = readAll(corpus)
    await runAll(side, recording, 'plain', files, {})
    await runAll(side, recording, 'typed', files, { soap_response: 'schema', validate_requests: 'refuse' })
    const cwd = join(side.folder, 'plain')
    await runCommands({ side, recording, service: 'xroad-proxy', cwd, title: 'commands' }, [
      'wsdl explain wsdl --config proxy.yaml',
      'wsdl explain wsdl --config proxy.yaml --format json',
      'doctor --config proxy.yaml --format json',
    ])
  },
}

async function runAll(
  side: Side,
  recording: Recording,
  title: string,
  wsdl: Readonly<Record<string, Buffer>>,
  config: Readonly<Record<string, unknown>>,
): Promise<void> {
  await withProxy({ side, recording, title, dsl: () => ({}), wsdl, config }, async ({ running, security, folder }) => {
    security.answer = echo
    const connection = new Connection(running.port)
    const api = await connection.send({ method: 'GET', path: '/api' })
    connection.leave()
    recording.add('request', `${title} /api`, 'GET /api', api)
    const description = Buffer.from(api.slice(api.indexOf('\r\n\r\n') + 4), 'latin1').toString()
    for (const question of sampleRequests(title, description)) {
      await askAll(running, recording, [question])
      security.record(recording, question.title)
    }
    recordFiles(recording, title, join(folder, 'DSL'))
  })
}

/** The request with the name of an answer: `findResponse` for `find`. */
function echo(request: string): Buffer {
  const envelope = request.slice(request.indexOf('\r\n\r\n') + 4)
  const [whole = '', name] = /<\w+:Body>\s*<([\w.:-]+)/.exec(envelope) ?? []
  if (name === undefined) return toAnswer(Buffer.from(envelope, 'latin1'))
  const start = envelope.indexOf(whole)
  const body = envelope
    .slice(start)
    .replaceAll(/(<\/?)([\w.:-]+)/g, (tag, mark: string, each: string) =>
      each === name ? `${mark}${each}Response` : tag,
    )
  return toAnswer(Buffer.from(envelope.slice(0, start) + body, 'latin1'))
}

function readAll(folder: string): Record<string, Buffer> {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted()
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path)]))
}
