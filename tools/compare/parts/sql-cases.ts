/**
 * The SQL cases of sqlapi: files and requests of each folder, on each engine that it names. Cases that only have
 * endpoints of `demo` share a process: each gets a project and a database of its own there. The others run alone.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Files, writeFiles } from '@services/testing'
import type { Part } from '../part.ts'
import { runCommand, shown } from '../programs.ts'
import type { Recording } from '../recording.ts'
import type { Side } from '../sides.ts'
import { runCommands } from '../running/command.ts'
import { createDatabase, dropDatabase, type Engine } from '../running/databases.ts'
import { askAll, type Question, withService } from '../running/service.ts'
import { readSqlCases, type SqlCase } from '../inputs/sql-case.ts'

export const sqlCases: Part = {
  name: 'SQL cases',
  async run(side, recording) {
    for (const engine of ['sqlite', 'postgres'] as const) {
      const cases = readSqlCases(engine)
      const groups = Map.groupBy(cases.filter(mayShare), ({ config }) => JSON.stringify(config))
      for (const sharing of groups.values()) {
        for (let at = 0; at < sharing.length; at += mostTogether) {
          await runTogether(side, recording, engine, sharing.slice(at, at + mostTogether))
        }
      }
      for (const each of cases.filter((one) => !mayShare(one))) await runAlone(side, recording, engine, each)
    }
  },
}

/** Bounds the connections to PostgreSQL. */
const mostTogether = 60
const isDemo = /^demo\//
const atDemo = /(?<=^\w+ \/)demo(?=\/)/

function mayShare({ files, datasources, datasource, config, links, isRefused, requests }: SqlCase): boolean {
  return (
    !isRefused &&
    datasources === undefined &&
    links === undefined &&
    config['project_datasource_map'] === undefined &&
    config['sql_dir'] === undefined &&
    datasource['url'] === undefined &&
    Object.keys(files).every((path) => isDemo.test(path)) &&
    requests.every(({ request, headers }) => atDemo.test(request) && !JSON.stringify(headers ?? {}).includes('demo'))
  )
}

async function runTogether(side: Side, recording: Recording, engine: Engine, cases: readonly SqlCase[]): Promise<void> {
  const [first] = cases
  if (first === undefined) return
  const folder = `${engine}-${first.name}`
  const files: Record<string, string | Uint8Array> = {}
  const datasources: object[] = []
  const questions: Question[] = []
  for (const [index, each] of cases.entries()) {
    const { name, datasource, schema } = each
    const project = `case${index}`
    for (const [path, text] of Object.entries(each.files)) files[path.replace(isDemo, `${project}/`)] = text
    const url = await createDatabase(side, engine, `${folder}/${project}`, schema)
    datasources.push({ name: project, url, ...patient, ...datasource })
    questions.push(...questionsOf(name, each, engine, project))
  }
  await serve(side, recording, { folder, files, datasources, config: first.config, questions, title: folder })
  const commands = { side, recording, service: 'sqlapi', cwd: join(side.folder, folder), title: folder } as const
  await runCommands(commands, ['check --format json', 'openapi'])
  if (engine === 'postgres') for (const index of cases.keys()) await dropDatabase(side, `${folder}/case${index}`)
}

async function runAlone(side: Side, recording: Recording, engine: Engine, given: SqlCase): Promise<void> {
  const { name, files, schema, datasource, config, links = {}, isRefused } = given
  const folder = `${engine}-${name}-alone`
  const datasources: object[] = []
  const named = Object.entries(given.datasources ?? { demo: '' })
  for (const [each, own] of named) {
    const setUp = [schema, own].filter(Boolean).join(';\n')
    const url = datasource['url'] ?? (await createDatabase(side, engine, `${folder}/${each}`, setUp))
    datasources.push({ name: each, url, ...patient, ...datasource })
  }
  const root = join(side.folder, folder, 'sql')
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    symlinkSync(target, join(root, path))
  }
  const questions = questionsOf(name, given, engine, 'demo')
  const title = `${name} (${engine})`
  if (isRefused) {
    const file = writeService(side, { folder, files, datasources, config })
    recording.addText(
      'command',
      title,
      `sqlapi --config ${file}`,
      shown(await runCommand(side, 'sqlapi', ['--config', file])),
    )
  } else await serve(side, recording, { folder, files, datasources, config, questions, title })
  if (engine === 'postgres') for (const [each] of named) await dropDatabase(side, `${folder}/${each}`)
}

/** What is wrong should be in the answers, and not that a busy machine opens connections slowly. */
const patient = { acquire_timeout_seconds: 300 }

interface Setting {
  /** Below the folder of the side. */
  readonly folder: string
  readonly files: Files
  readonly datasources: readonly object[]
  readonly config: Readonly<Record<string, unknown>>
}

function writeService(side: Side, { folder, files, datasources, config }: Setting): string {
  const root = join(side.folder, folder)
  mkdirSync(join(root, 'sql'), { recursive: true })
  writeFiles(join(root, 'sql'), files)
  const { server, ...others } = config as { server?: object }
  const all = {
    sql_dir: join(root, 'sql'),
    server: { bind: '127.0.0.1:0', ...server },
    admin: { bind: '127.0.0.1:0' },
    openapi: true,
    logging: { requests: 'all', level: 'info,sqlapi=debug', format: folder.length % 2 === 0 ? 'text' : 'json' },
    datasources,
    ...others,
  }
  const file = join(root, 'sqlapi.yaml')
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(all, null, 2))
  return file
}

async function serve(
  side: Side,
  recording: Recording,
  { questions, title, ...setting }: Setting & { readonly questions: readonly Question[]; readonly title: string },
): Promise<void> {
  const file = writeService(side, setting)
  await withService({ side, recording, service: 'sqlapi', args: ['--config', file], title }, (running) =>
    askAll(running, recording, [
      ...questions,
      { title: `${title} /openapi.json`, method: 'GET', path: '/openapi.json' },
    ]),
  )
}

function questionsOf(name: string, { requests, repeat }: SqlCase, engine: Engine, project: string): Question[] {
  const once = requests
    .filter(({ only = engine }) => only === engine)
    .map(({ request, headers, body }): Question => {
      const [method = '', path = ''] = request.replace(atDemo, project).split(/ (.*)/s)
      return { title: `${name} (${engine}) ${method} ${path}`, method, path, headers, body }
    })
  return Array.from({ length: repeat }, () => once).flat()
}
