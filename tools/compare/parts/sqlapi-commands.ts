/**
 * Commands of sqlapi over a project that `init` writes: what they print, the files that they write, how they end, and
 * what a running service makes of signals.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, until } from '@services/testing'
import type { Part } from '../part.ts'
import { type Running, shown, startService } from '../programs.ts'
import type { Recording } from '../recording.ts'
import type { Side } from '../sides.ts'
import { type Commands, runCommands } from '../running/command.ts'
import { recordFiles } from '../running/files.ts'

const names = ['run', 'check', 'openapi', 'health', 'dev', 'test', 'init']

const usage = [
  '--help',
  '-h',
  '--version',
  '-V',
  'help',
  'nonsense',
  'chek',
  '--nonsense',
  '--config',
  'run extra',
  'check --format xml',
  'check --config nowhere.yaml',
  'health --config nowhere.yaml',
  'openapi --config nowhere.yaml',
  'test nowhere',
  'check --strict=1',
  ...names.map((name) => `${name} --help`),
  ...names.map((name) => `${name} --nonsense`),
]

const checks = [
  'check',
  'check --format json',
  'check --format github',
  'check --strict',
  'check --explain',
  'check --offline',
  'check --write',
  'check --offline --format json',
  'check --datasource notes',
  'check --datasource nowhere',
  'openapi',
  'test',
  'test tests --format junit',
]

export const sqlapiCommands: Part = {
  name: 'commands of sqlapi',
  async run(side, recording) {
    const cwd = join(side.folder, 'sqlapi-commands')
    mkdirSync(cwd)
    const commands = { side, recording, service: 'sqlapi', cwd } as const
    await runCommands({ ...commands, title: 'usage', isPlain: true }, [...usage, ''])
    await runCommands({ ...commands, title: 'new project' }, ['init project', 'init project', 'init'])
    recordFiles(recording, 'new project', join(cwd, 'project'), /\.db$/)
    await useProject(commands, join(cwd, 'project'))
    await runSignals(side, recording, join(cwd, 'project'))
    await runDev(side, recording, join(cwd, 'project'))
  },
}

async function useProject(given: Omit<Commands, 'title'>, cwd: string): Promise<void> {
  const commands = { ...given, cwd }
  const port = await freePort()
  given.side.ports.set(port, 'nobody')
  bind(cwd, port)
  await runCommands({ ...commands, title: 'project' }, [...checks, 'health'])
  recordFiles(given.recording, 'project after check', cwd, /\.db$/)
  const bad = join(cwd, 'sql/notes/GET')
  for (const [name, text] of Object.entries(badFiles)) writeFileSync(join(bad, `${name}.sql`), text)
  await runCommands({ ...commands, title: 'findings' }, [...checks, 'run --config sqlapi.yaml'])
  // Left as `init` has made it, with the lock file.
  cpSync(bad, join(cwd, 'findings'), { recursive: true })
  for (const name of Object.keys(badFiles)) writeFileSync(join(bad, `${name}.sql`), 'SELECT 1 AS one')
}

const badFiles: Readonly<Record<string, string>> = {
  empty: '',
  syntax: 'SELECT FROM WHERE\n',
  column: '-- @param word text\nSELECT contnt\nFROM note WHERE content LIKE :word',
  table: 'SELECT * FROM nots',
  star: 'SELECT * FROM note',
  write: 'DELETE FROM note',
  declared: '-- @parm word text\n-- @param\nSELECT :word AS word, :other AS other',
  twice: 'SELECT note_id AS a, content AS a FROM note',
}

function bind(cwd: string, port: number): void {
  const file = join(cwd, 'sqlapi.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/bind: .*/, `bind: 127.0.0.1:${port}`))
}

const endings = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const
const ignored = ['SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const

async function runSignals(side: Side, recording: Recording, cwd: string): Promise<void> {
  bind(cwd, 0)
  const args = ['--config', 'sqlapi.yaml']
  for (const signal of endings) {
    const running = await startService(side, 'sqlapi', args, { cwd })
    for (const each of ignored) running.kill(each)
    recording.addText('log', signal, `sqlapi, then ${ignored.join(', ')}, ${signal}`, shown(await running.stop(signal)))
  }
  const running = await startService(side, 'sqlapi', args, { cwd, isPlain: true })
  const config = readFileSync(join(cwd, 'sqlapi.yaml'), 'utf8')
  for (const text of [config, `${config}\nnonsense: 1\n`, `${config}\nerrors: full\n`]) {
    writeFileSync(join(cwd, 'sqlapi.yaml'), text)
    await hangUp(running)
  }
  writeFileSync(join(cwd, 'sqlapi.yaml'), config)
  recording.addText('log', 'SIGHUP', 'sqlapi, reloaded three times', shown(await running.stop()))
}

async function hangUp(running: Running): Promise<void> {
  const seen = occurrences(running, /trigger=SIGHUP/g)
  running.kill('SIGHUP')
  await until(() => occurrences(running, /trigger=SIGHUP/g) > seen, 'the end of a reload')
}

function occurrences(running: Running, pattern: RegExp): number {
  return running.stdout().match(pattern)?.length ?? 0
}

async function runDev(side: Side, recording: Recording, cwd: string): Promise<void> {
  const running = await startService(side, 'sqlapi', ['dev'], { cwd })
  for (const text of ['SELECT contnt FROM note', 'SELECT content FROM note']) {
    const seen = occurrences(running, /one\.sql/g)
    writeFileSync(join(cwd, 'sql/notes/GET/one.sql'), text)
    await until(() => occurrences(running, /one\.sql/g) > seen, 'a look at the changed file')
  }
  recording.addText(
    'log',
    'dev',
    'sqlapi dev, with a file that is broken and mended',
    shown(await running.stop('SIGINT')),
  )
}
