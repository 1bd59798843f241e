/**
 * The subcommand `test`: a folder with `*.test.yaml` files in, a report on stdout and the exit code out. Runs on
 * nothing but databases that it has made for the purpose.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { EventStream } from '@services/observe'
import { type ExitCode, exitCodes, handleSignals } from '@services/command-line'
import { type Datasource, type Loaded, loadConfig } from '../boot/config/config.ts'
import { maskUrl } from '../boot/config/url.ts'
import { type Endpoints, loadEndpoints } from '../boot/endpoints.ts'
import type { TestAction } from '../boot/flags.ts'
import { prepareDatabase } from '../database/copies.ts'
import type { PreparedDatabase } from '../database/prepared-database.ts'
import { dialects } from '../dialects.ts'
import { StartupFailure } from '../errors.ts'
import { type EventFields, eventTable } from '../events.ts'
import { datasourcesByProject, projectRules } from '../project-datasource.ts'
import { reports } from './reports.ts'
import { endpointOf, runCases } from './run.ts'
import { readTestFile, type TestCase } from './test-file.ts'

/** Why the tests cannot be run. */
class Hindrance extends Error {}

interface Found {
  readonly cases: readonly { readonly file: string; readonly given: TestCase }[]
  readonly problems: readonly string[]
}

export async function runTests({ config, path: folder = '.', report }: TestAction): Promise<void> {
  process.stdout.on('error', () => undefined)
  try {
    const loaded = loadConfig({ flag: config, env: process.env, cwd: process.cwd() })
    const found = findCases(folder)
    for (const problem of found.problems) tell(problem)
    const code = await runAll(loaded, found.cases, report)
    process.exitCode = found.problems.length > 0 ? exitCodes.unable : code
  } catch (error) {
    if (error instanceof StartupFailure) tell(`${error.name}: ${error.message}`)
    else if (error instanceof Hindrance) tell(error.message)
    else throw error
    process.exitCode = exitCodes.unable
  }
}

function tell(problem: string): void {
  process.stderr.write(`sqlapi: ${problem}\n`)
}

function findCases(folder: string): Found {
  const files = testFiles(folder)
  if (files.length === 0) throw new Hindrance(`there is no *.test.yaml file in ${folder} or below`)
  const read = files.map((file) => ({ file, ...readTestFile(file, process.cwd()) }))
  return {
    cases: read.flatMap(({ file, cases }) => cases.map((given) => ({ file, given }))),
    problems: read.flatMap(({ problems }) => problems),
  }
}

const cures: Readonly<Record<string, string>> = {
  ENOENT: '; it does not exist, name the folder of the *.test.yaml files',
  ENOTDIR: '; it is a file, name the folder in which it is',
}

/**
 * In the order of names, as a person in the working directory names them. Not those of packages, nor in hidden folders.
 */
function testFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const path = join(folder, entry.name)
        if (entry.isDirectory())
          return entry.name === 'node_modules' || entry.name.startsWith('.') ? [] : testFiles(path)
        return entry.name.endsWith('.test.yaml') ? [relative('.', path).replaceAll(sep, '/')] : []
      })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Hindrance(`${folder} cannot be read (${code})${cures[code ?? ''] ?? ''}`)
  }
}

async function runAll(loaded: Loaded, cases: Found['cases'], format: keyof typeof reports): Promise<ExitCode> {
  const begun = performance.now()
  const { config } = loaded
  const { datasource, script } = readTestConfig(loaded)
  const endpoints = await loadEndpoints(config.sqlDir, new Set([datasource.dialect]), {
    origin: loaded.origins['sql_dir'],
  })
  refuseServed(loaded, datasource, endpoints)
  const ending = new AbortController()
  // Before anything is made that has to be removed.
  handleSignals({ end: () => ending.abort(), reload: () => undefined })
  const prepared = await prepare(datasource, script, config.test.schema)
  try {
    const events = new EventStream<EventFields>(eventTable)
    const outcomes = await runCases(cases, { config, datasource, endpoints, prepared, events, signal: ending.signal })
    const called = new Set(cases.map(({ given }) => endpointOf(given, endpoints)))
    const all = Array.from(endpoints.values(), ({ method, path }) => `${method} ${path}`)
    const uncalled = all.filter((endpoint) => !called.has(endpoint))
    const { where } = prepared
    process.stdout.write(reports[format]({ outcomes, uncalled, where, ms: performance.now() - begun }))
    if (outcomes.length < cases.length) tell(`ended by a signal, after ${outcomes.length} of ${cases.length} cases`)
    const isWrong = outcomes.length < cases.length || outcomes.some(({ problems }) => problems.length > 0)
    return isWrong ? exitCodes.failure : exitCodes.success
  } finally {
    await prepared.remove()
  }
}

function readTestConfig({ config, datasources, file }: Loaded): { datasource: Datasource; script: string } {
  const { datasource: name, schema } = config.test
  const datasource = datasources.find((each) => each.name === name)
  if (datasource === undefined || schema === '') {
    const missing = datasource === undefined ? 'datasource' : 'schema'
    const meaning = datasource === undefined ? 'the name of a datasource' : 'a file of SQL that fills an empty database'
    throw new Hindrance(`${file}: test.${missing} is missing, expected ${meaning}; tests run on nothing else`)
  }
  try {
    return { datasource, script: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(resolve(schema))) }
  } catch (error) {
    const { code = 'no UTF-8 text' } = error as NodeJS.ErrnoException
    throw new Hindrance(`${file}: test.schema: ${schema} cannot be read (${code})`)
  }
}

/**
 * The databases are new ones. Where there is a server they are on it, and their script could reach whatever its user
 * can.
 */
function refuseServed({ config, file }: Loaded, { name, dialect }: Datasource, endpoints: Endpoints): void {
  const datasourceOf = datasourcesByProject(projectRules(config))
  const served = Array.from(endpoints.values(), ({ project }) => project).find(
    (project) => datasourceOf(project) === name,
  )
  if (served === undefined || dialects[dialect].lacks.server !== undefined) return
  throw new Hindrance(
    `${file}: test.datasource: the files of project ${served} are served from ${name}; add a datasource for tests only`,
  )
}

/** `schema` is the name of the file that the script is in: what is wrong may be there. */
async function prepare({ name, dialect, url }: Datasource, script: string, schema: string): Promise<PreparedDatabase> {
  try {
    return await prepareDatabase(dialect, url, script)
  } catch (error) {
    const { message } = error as Error
    throw new Hindrance(`datasource ${name} (${maskUrl(url)}) cannot be prepared: ${message} (test.schema: ${schema})`)
  }
}
