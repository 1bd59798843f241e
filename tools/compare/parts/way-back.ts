/**
 * Whether each version works with what the other one has written: a project with its lock file and database, generated
 * DSL files with what a start remembers of them, an audit file, and the certificates of the mock.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Part } from '../part.ts'
import type { Recording } from '../recording.ts'
import { repository, type Side } from '../sides.ts'
import { runCommands } from '../running/command.ts'
import { recordFiles } from '../running/files.ts'
import { startMock } from '../running/mock.ts'
import { askAll, type Question, withService } from '../running/service.ts'

const folder = 'way-back'

export const wayBack: Part = {
  name: 'way back',
  async run(side, recording) {
    const cwd = join(side.folder, folder)
    mkdirSync(join(cwd, 'proxy'), { recursive: true })
    await writeProject(side, recording, cwd)
    await writeProxy(side, recording, join(cwd, 'proxy'))
    const mock = await startMock(side, cwd, ['--folder', 'mock'])
    await mock.stop()
  },
  back: {
    folder,
    async read(side, recording) {
      const cwd = join(side.folder, folder)
      await readProject(side, recording, join(cwd, 'project'))
      await serveProxy(side, recording, join(cwd, 'proxy'))
      await runCommands({ side, recording, service: 'xroad-proxy', cwd: join(cwd, 'proxy'), title: 'proxy' }, [
        'doctor --config proxy.yaml --format json',
        'wsdl explain wsdl --config proxy.yaml --format json',
      ])
      recordFiles(recording, 'DSL', join(cwd, 'proxy/DSL'))
      await readMock(side, recording, cwd)
    },
  },
}

async function writeProject(side: Side, recording: Recording, cwd: string): Promise<void> {
  await runCommands({ side, recording, service: 'sqlapi', cwd, title: 'project' }, ['init project'])
  const project = join(cwd, 'project')
  const config = join(project, 'sqlapi.yaml')
  writeFileSync(config, readFileSync(config, 'utf8').replace(/bind: .*/, 'bind: 127.0.0.1:0'))
  await runCommands({ side, recording, service: 'sqlapi', cwd: project, title: 'project' }, ['check --write'])
  await serveProject(side, recording, project)
}

async function readProject(side: Side, recording: Recording, cwd: string): Promise<void> {
  await runCommands({ side, recording, service: 'sqlapi', cwd, title: 'project' }, [
    'check --offline --format json',
    'check --format json',
    'check --write',
    'openapi',
    'test',
  ])
  await serveProject(side, recording, cwd)
  recordFiles(recording, 'project', cwd, /\.db/)
}

async function serveProject(side: Side, recording: Recording, cwd: string): Promise<void> {
  const add = (content: string): Question => ({
    title: 'add',
    method: 'POST',
    path: '/notes/add',
    body: JSON.stringify({ content }),
  })
  const list = { title: 'list', method: 'GET', path: '/notes/list' }
  await withService({ side, recording, service: 'sqlapi', args: [], title: 'project', cwd }, (running) =>
    askAll(running, recording, [list, add('one'), add('two'), list, { ...list, path: '/openapi.json' }]),
  )
}

async function writeProxy(side: Side, recording: Recording, cwd: string): Promise<void> {
  const cases = join(repository, 'services/xroad-proxy/test/cases/wsdl')
  for (const entry of readdirSync(cases, { withFileTypes: true })) {
    if (entry.isDirectory()) cpSync(join(cases, entry.name), join(cwd, 'wsdl', entry.name), { recursive: true })
  }
  const config = {
    host: '127.0.0.1',
    port: 0,
    dsl_path: 'DSL',
    wsdl_watch_dir: 'wsdl',
    audit: { file: 'audit.jsonl' },
    client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' },
  }
  writeFileSync(join(cwd, 'proxy.yaml'), JSON.stringify(config))
  await serveProxy(side, recording, cwd)
}

async function serveProxy(side: Side, recording: Recording, cwd: string): Promise<void> {
  const args = ['--config', 'proxy.yaml']
  await withService({ side, recording, service: 'xroad-proxy', args, title: 'proxy', cwd }, (running) =>
    askAll(running, recording, [
      { title: '/api', method: 'GET', path: '/api' },
      { title: 'a call', method: 'POST', path: '/optional/find', body: '{}' },
    ]),
  )
}

/** The mock keeps certificates that it finds in order. */
async function readMock(side: Side, recording: Recording, cwd: string): Promise<void> {
  const certificate = (): string => readFileSync(join(cwd, 'mock/client.pem'), 'utf8')
  const before = certificate()
  const mock = await startMock(side, cwd, ['--folder', 'mock'])
  await mock.stop()
  recording.addText('file', 'certificates', 'xroad-proxy mock', certificate() === before ? 'kept' : 'made again')
}
