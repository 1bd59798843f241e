/**
 * The rules of the start that take more than one field, such as names that lead nowhere: a configuration in, what is
 * wrong out, with the field and the remedy. What one field may hold is in schema.ts, what files hold in passwords.ts.
 */
import { type Environment, nearest, type Problem, unsetVariable } from '@services/config-file'
import { dialectOf, dialects } from '../../dialects.ts'
import { codeNames, isCode } from '../../findings/codes.ts'
import type { Dialect } from '../../model.ts'
import { passwordFileProblems } from './passwords.ts'
import { type Config, type DatasourceConfig, passwordField } from './schema.ts'
import { isInMemory, pooledProblems, timeoutProblems } from './url.ts'

/** All of them, so that the operator repairs the file once. Without an environment nothing is said of its variables. */
export function ruleProblems(config: Config, env: Environment | undefined): Problem[] {
  const known = config.datasources.map(({ name }) => name)
  return [
    ...adminProblems(config),
    ...config.datasources.flatMap((datasource, index) => [
      ...datasourceProblems(datasource, index, known, env),
      ...workerProblems(datasource, index, config.server.workers),
      ...pooledProblems(datasource, index),
      ...timeoutProblems(datasource, index),
      ...replicaProblems(datasource, index),
    ]),
    ...Object.entries(config.projectDatasourceMap)
      .filter(([, name]) => !known.includes(name))
      .map(([project, name]) => ({
        path: ['project_datasource_map', project],
        message: noDatasource(name, known),
      })),
    ...(config.defaultDatasource === '' || known.includes(config.defaultDatasource)
      ? []
      : [{ path: ['default_datasource'], message: noDatasource(config.defaultDatasource, known) }]),
    ...(config.test.datasource === '' || known.includes(config.test.datasource)
      ? []
      : [{ path: ['test', 'datasource'], message: noDatasource(config.test.datasource, known) }]),
    ...Object.keys(config.check.rules).flatMap(codeProblems),
  ]
}

/** Callers must not reach what is there for operators. */
function adminProblems({ admin, server: { bind } }: Config): Problem[] {
  if (admin === undefined || admin.bind.port === 0 || admin.bind.port !== bind.port) return []
  const message = `port ${bind.port} is that of the callers (server.bind); choose another one`
  return [{ path: ['admin', 'bind'], message }]
}

function codeProblems(name: string): Problem[] {
  if (isCode(name)) return []
  const meant = nearest(name, codeNames)
  const cure = meant === undefined ? `the codes are ${codeNames.join(', ')}` : `did you mean ${meant}?`
  return [{ path: ['check', 'rules', name], message: `there is no such code; ${cure}` }]
}

function noDatasource(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return `there is no datasource ${JSON.stringify(name)}; ${meant === undefined ? tellNames(known) : `did you mean ${meant}?`}`
}

function datasourceProblems(
  { name, username, passwordEnv, passwordFile }: DatasourceConfig,
  index: number,
  known: readonly string[],
  env: Environment | undefined,
): Problem[] {
  const problems: Problem[] = []
  const first = known.indexOf(name)
  if (first < index) {
    const message = `${JSON.stringify(name)} is the name of datasources[${first}] already; names must be unique`
    problems.push({ path: ['datasources', index, 'name'], message })
  }
  const path = ['datasources', index, 'password_env']
  if (username !== '' && passwordEnv === '' && passwordFile === '') {
    const message = 'required beside username; name the environment variable that holds the password'
    problems.push({ path, message })
  }
  if (passwordFile !== '') problems.push(...passwordFileProblems({ passwordFile, passwordEnv }, index, env))
  if (env !== undefined && passwordEnv !== '' && !env[passwordEnv]) {
    const variable = { name: passwordEnv, value: env[passwordEnv] }
    problems.push({ path, message: unsetVariable(variable, passwordField) })
  }
  return problems
}

/** Replicas are standbys of the datasource's server. */
function replicaProblems({ url, replicas }: DatasourceConfig, index: number): Problem[] {
  if (replicas.length === 0) return []
  const path = ['datasources', index, 'replicas']
  // The schema lets no URL of another kind pass.
  const expected = dialects[dialectOf(url) as Dialect]
  if (expected.lacks.replicas !== undefined) return [{ path, message: `${expected.lacks.replicas}; remove the field` }]
  return replicas.flatMap((replica, at) => {
    const found = dialects[dialectOf(replica) as Dialect]
    const message = `found a URL of ${found.title}, expected one of ${expected.title}`
    return found === expected ? [] : [{ path: [...path, at], message }]
  })
}

/** What several processes cannot share. */
function workerProblems({ url, maxConnections }: DatasourceConfig, index: number, workers: number): Problem[] {
  if (workers === 1) return []
  const problems: Problem[] = []
  if (isInMemory(url)) {
    const message = `a database in memory belongs to one process, and server.workers is ${workers}; name a file`
    problems.push({ path: ['datasources', index, 'url'], message })
  }
  if (maxConnections < workers) {
    const message = `${maxConnections} cannot be divided among ${workers} processes (server.workers); raise it or configure fewer workers`
    problems.push({ path: ['datasources', index, 'max_connections'], message })
  }
  return problems
}

function tellNames(names: readonly string[]): string {
  return names.length === 0
    ? 'none is configured'
    : `configured: ${names.map((name) => JSON.stringify(name)).join(', ')}`
}
