/**
 * SQL trees of other projects, which `SQLAPI_REAL_TREES` names (folders, separated as in PATH, with folders called
 * `Resql` below them): their findings, lock file and description, and calls of every endpoint, on tables that the
 * changelog beside the tree makes. They stay outside the repository.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join, relative } from 'node:path'
import type { Part } from '../part.ts'
import { runCommand, shown } from '../programs.ts'
import type { Recording } from '../recording.ts'
import type { Side } from '../sides.ts'
import { runCommands } from '../running/command.ts'
import { createDatabase, runEach } from '../running/databases.ts'
import { recordFiles } from '../running/files.ts'
import { readChangelog } from '../inputs/liquibase.ts'
import { sampleRequests } from '../inputs/samples.ts'
import { askAll, withService } from '../running/service.ts'

const variable = 'SQLAPI_REAL_TREES'

export const realTrees: Part = {
  name: 'real SQL trees',
  skipped: () => (process.env[variable] ? undefined : `${variable} names no folder`),
  async run(side, recording) {
    for (const tree of findTrees()) await runTree(side, recording, tree)
  },
}

function findTrees(): string[] {
  const folders = (process.env[variable] ?? '').split(delimiter).filter(Boolean)
  return folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isDirectory() && entry.name === 'Resql')
      .map(({ parentPath, name }) => join(parentPath, name))
      .toSorted(),
  )
}

async function runTree(side: Side, recording: Recording, tree: string): Promise<void> {
  // DSL/Resql of a check-out.
  const title = basename(dirname(dirname(tree)))
  const cwd = join(side.folder, `tree-${title}`)
  copyTree(tree, join(cwd, 'sql'))
  const url = await createDatabase(side, 'postgres', `tree-${title}`, '')
  const made = await runEach(url, readChangelog(join(dirname(tree), 'Liquibase')))
  const config = {
    sql_dir: 'sql',
    server: { bind: '127.0.0.1:0' },
    admin: { bind: '127.0.0.1:0' },
    openapi: true,
    datasources: [{ name: 'main', url, acquire_timeout_seconds: 300 }],
    default_datasource: 'main',
  }
  writeFileSync(join(cwd, 'sqlapi.yaml'), JSON.stringify(config))
  await runCommands({ side, recording, service: 'sqlapi', cwd, title: `${title} (${made} statements)` }, [
    'check',
    'check --format json --explain',
    'check --write',
    'check --offline --strict',
  ])
  recordFiles(recording, title, cwd)
  // The service describes endpoints as its databases answer; the command waits for all of them.
  const description = await runCommand(side, 'sqlapi', ['openapi'], { cwd })
  recording.addText('command', `${title}: openapi`, 'sqlapi openapi', shown(description))
  // Counts of bytes depend on the digits of times.
  const given = {
    side,
    recording,
    service: 'sqlapi',
    args: ['--config', 'sqlapi.yaml'],
    title,
    cwd,
    pages: [],
  } as const
  await withService(given, (running) => askAll(running, recording, sampleRequests(title, description.stdout)))
}

/** A file that is in no folder of a method gets both. */
function copyTree(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.sql')) continue
    const file = join(entry.parentPath, entry.name)
    const path = relative(from, file)
    const places = /^[^/]+\/(GET|POST)\//.test(path) ? [path] : [`flat/GET/${path}`, `flat/POST/${path}`]
    for (const place of places) {
      mkdirSync(dirname(join(to, place)), { recursive: true })
      if (readFileSync(file, 'utf8').trim() !== '') cpSync(file, join(to, place))
    }
  }
}
