/**
 * The subcommand `init`: a folder in, a small project in it out, which runs as it is. Overwrites nothing: where a
 * project is already, nothing is written; a file around it (.gitignore, settings of an editor) that is there stays.
 */
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exitCodes, makeFolder } from '@services/command-line'
import { search } from '../boot/config/config.ts'
import type { InitAction } from '../boot/flags.ts'
import { configSchema } from '../boot/config/schema.ts'
import { makeDatabaseFile } from '../database/sqlite/new-file.ts'
import { testFileSchema } from '../testing/test-file.ts'
import { projectFiles, schemaScript, surroundings, toJson } from './project-files.ts'

const databaseFile = 'notes.db'

export function runInit({ path: folder = '.' }: InitAction): void {
  const around = {
    ...surroundings,
    '.vscode/sqlapi.schema.json': toJson(configSchema()),
    '.vscode/sqlapi-test.schema.json': toJson(testFileSchema()),
  }
  const files = { ...projectFiles, ...around }
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
      return refuse(`${folder} is a file, so nothing was written; name a folder`)
    }
    const inTheWay = [...Object.keys(projectFiles), 'sql', databaseFile, ...configurations()].filter((path) =>
      existsSync(join(folder, path)),
    )
    if (inTheWay.length > 0) {
      const names = [...new Set(inTheWay)].join(', ')
      return refuse(`${folder} has ${names} already, so nothing was written; name a folder without them`)
    }
    const [there, missing] = partition(Object.keys(files), (path) => existsSync(join(folder, path)))
    for (const path of missing) write(join(folder, path), files[path as keyof typeof files])
    makeDatabaseFile(join(folder, databaseFile), schemaScript)
    process.stdout.write(report(folder, [...missing, databaseFile], there))
  } catch (error) {
    refuse(`${folder} cannot hold a project: ${(error as Error).message}; name a folder that you may write to`)
  }
}

/** Files that a start in the folder would take before the new one, or beside it. */
function configurations(): string[] {
  return search.paths.filter((path) => path.startsWith('./')).map((path) => path.slice('./'.length))
}

/** Never over a file that somebody has written in the meantime. */
function write(path: string, text: string): void {
  makeFolder(dirname(path))
  writeFileSync(path, text, { flag: 'wx' })
}

function report(folder: string, written: readonly string[], left: readonly string[]): string {
  const enter = folder === '.' ? [] : [`  cd ${inShell(folder)}`]
  return [
    `Written${folder === '.' ? '' : ` into ${folder}`}:`,
    ...written.map((path) => `  ${path}`),
    ...(left.length === 0 ? [] : ['Left as it was:', ...left.map((path) => `  ${path}`)]),
    'Next:',
    ...enter,
    '  npx --no-install sqlapi check    looks for mistakes in the files',
    '  npx --no-install sqlapi test     runs the cases of tests/notes.test.yaml',
    '  npx --no-install sqlapi dev      serves them, and tells where to look: /docs',
    '',
  ].join('\n')
}

function inShell(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

function refuse(problem: string): void {
  process.stderr.write(`sqlapi: ${problem}\n`)
  process.exitCode = exitCodes.failure
}
