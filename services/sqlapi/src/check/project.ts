/** What is to be checked, read as the service reads it at start. Throws a StartupFailure where nothing can be read. */
import { relative, resolve, sep } from 'node:path'
import { nearest, type StartEnvironment } from '@services/config-file'
import { type Datasource, type Loaded, loadConfig } from '../boot/config/config.ts'
import { type Endpoints, loadEndpoints } from '../boot/endpoints.ts'
import type { FileRefusal } from '../boot/file-refusal.ts'
import { strayKeys } from '../boot/project-names.ts'
import type { Ignored } from '../boot/ignored.ts'
import { StartupFailure } from '../errors.ts'
import type { Weights } from '../findings/weights.ts'
import { lockFileBeside } from '../lock/lock-file.ts'
import type { Endpoint } from '../model.ts'
import { datasourceFinder } from '../project-datasource.ts'

export interface Project {
  readonly datasources: readonly Datasource[]
  readonly endpoints: Endpoints
  /** In the tree, and not published. */
  readonly ignored: readonly Ignored[]
  /** Files that cannot be loaded, with which the service would not start. */
  readonly refusals: readonly FileRefusal[]
  readonly weights: Weights
  /** Where a file runs; nothing where no datasource is configured for it. */
  readonly datasourceOf: (endpoint: Endpoint) => Datasource | undefined
  readonly pathOf: (endpoint: Endpoint) => string
  /** A path below `sql_dir` -> as a person in the working directory names it. */
  readonly shown: (file: string) => string
  /** Path of the lock file, whether it is there or not. */
  readonly lockFile: string
  /** All files are looked at on one datasource, wherever the service runs them. */
  readonly isRedirected: boolean
  /** What the start says of the configuration, one WARN each. */
  readonly diagnostics: readonly string[]
}

export interface Reach {
  /** Name of the one that all files are to be checked on; without it each runs where the service runs it. */
  readonly datasource?: string | undefined
  /** No database will be asked. */
  readonly offline?: boolean
}

export async function readProject(
  start: StartEnvironment,
  { datasource, offline = false }: Reach = {},
): Promise<Project> {
  const loaded = loadConfig(start, { passwords: offline ? 'unneeded' : 'needed' })
  const only = datasource === undefined ? undefined : named(datasource, loaded.datasources)
  return readFilesOf(loaded, { cwd: start.cwd, only })
}

interface CheckSetting {
  readonly cwd: string
  /** All files are looked at on this one. */
  readonly only?: Datasource | undefined
}

/** Of a configuration that has been read. */
export async function readFilesOf(loaded: Loaded, setting: CheckSetting): Promise<Project> {
  const ignored: Ignored[] = []
  const dialects = new Set(loaded.datasources.map(({ dialect }) => dialect))
  const refusals: FileRefusal[] = []
  const endpoints = await loadEndpoints(loaded.config.sqlDir, dialects, {
    ignored: (what) => ignored.push(what),
    refused: (refusal) => refusals.push(refusal),
    origin: loaded.origins['sql_dir'],
  })
  return toProject(loaded, { endpoints, ignored, refusals }, setting)
}

/** Of files that have been read. */
export function toProject(
  { config, datasources, file: configuration, origins, diagnostics }: Loaded,
  { endpoints, ignored, refusals = [] }: Pick<Project, 'endpoints' | 'ignored'> & Partial<Pick<Project, 'refusals'>>,
  { cwd, only }: CheckSetting,
): Project {
  const sqlDir = resolve(cwd, config.sqlDir)
  const refused = refusals.flatMap(({ files }) => files.map((file) => file.split('/', 1)[0] ?? ''))
  const projects = [...Array.from(endpoints.values(), ({ project }) => project), ...refused]
  const datasourceOf = datasourceFinder({ config, datasources })
  return {
    datasources,
    endpoints,
    ignored,
    refusals,
    weights: config.check.rules,
    datasourceOf: ({ project }) => only ?? datasourceOf(project),
    pathOf: ({ file }) => resolve(sqlDir, file),
    shown: (file) => relative(cwd, resolve(sqlDir, file)).replaceAll(sep, '/'),
    lockFile: lockFileBeside(configuration, cwd),
    isRedirected: only !== undefined,
    diagnostics: [...diagnostics, ...strayKeys({ config, origins }, projects)],
  }
}

function named(name: string, datasources: readonly Datasource[]): Datasource {
  const found = datasources.find((each) => each.name === name)
  if (found !== undefined) return found
  const names = datasources.map((each) => each.name)
  const meant = nearest(name, names)
  const configured = names.length === 0 ? 'none is configured' : `configured: ${names.join(', ')}`
  const cure = meant === undefined ? configured : `did you mean ${meant}?`
  throw new StartupFailure(
    'InvalidConfigurationException',
    `--datasource: there is no datasource ${JSON.stringify(name)}; ${cure}`,
  )
}
