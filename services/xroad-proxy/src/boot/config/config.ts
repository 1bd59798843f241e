/**
 * The configuration file -> frozen values and warnings for the operator. Decides what involves more than one field: the
 * environment, what is unwise. The fields themselves belong to schema.ts; finding and reading the file, and the wording
 * of problems, to the package config-file.
 */
import { resolve } from 'node:path'
import {
  byLine,
  type ConfigFile,
  ConfigFileError,
  type Environment,
  findConfigFile,
  type Found,
  joinProblems,
  inWords,
  type Origins,
  originsOf,
  type Path,
  type Problem,
  readConfigFile,
  type Search,
  type StartEnvironment,
  unsetVariable,
  withoutFile,
} from '@services/config-file'
import { StartupFailure } from '../../errors.ts'
import { type Config, parseConfig, passwordField, proxyFile } from './schema.ts'
import type { NamedClient } from './client-fields.ts'

/** Where the file is looked for; without one every field has its default. */
export const search: Search = {
  variable: 'PROXY_CONFIG',
  paths: ['./proxy.yaml', './proxy.yml'],
  begin: 'begin with a copy of proxy.example.yaml of the package',
}

const builtIn = `built-in defaults (neither --config nor ${search.variable} names a file, and there is no ${search.paths.join(' or ')})`

export interface Loaded {
  readonly config: Config
  /** Where the file comes from, for the log. */
  readonly source: string
  /** Where each value comes from. */
  readonly origins: Origins
  /** What has no effect or is unwise; one WARN each. */
  readonly warnings: readonly string[]
  /** What is not set and often should be; one INFO each. */
  readonly notices: readonly string[]
}

/**
 * Code that opens no keystore needs no passwords: with `passwords: 'unneeded'` variables that should hold them may be
 * unset.
 */
export function loadConfig(
  environment: StartEnvironment,
  { passwords = 'needed' }: { readonly passwords?: 'needed' | 'unneeded' } = {},
): Loaded {
  const file = readConfig(environment)
  const { value: config, problems, unknown } = parseConfig(file.data)
  const tell = (problem: Problem): string => inWords(file, problem)
  if (config === undefined) return refuse(joinProblems([...problems, ...unknown], file.places, tell))
  requireOwnPort(config, file)
  if (passwords === 'needed') {
    const unset = unsetPasswords(config, environment.env)
    // The password may be there, in a field of another name.
    if (unset.length > 0)
      throw new StartupFailure('keystore_load_failed', joinProblems([...unset, ...unknown], file.places, tell))
    requireHashKey(config, environment.env, file)
  }
  const origins = originsOf(proxyFile, file)
  return {
    config,
    source: file.source,
    origins,
    notices: noticesOf(config, origins),
    warnings: byLine([...unknown, ...unwise(config)], file.places).map(tell),
  }
}

/** The default is the instance of no production environment. */
function noticesOf({ securityServer, instance }: Config, origins: Origins): readonly string[] {
  if (securityServer === undefined || origins['xroad_instance'] !== 'default') return []
  return [
    `xroad_instance is not set, so calls go to the instance ${instance}; set it to that of your environment, such as EE`,
  ]
}

/** The file as it is, right or wrong; that of the built-in defaults where there is none. */
export function readConfig(environment: StartEnvironment): ConfigFile {
  const found = findConfig(environment)
  if (found === undefined) return withoutFile(builtIn)
  try {
    return readConfigFile(found, environment, search)
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error
    return refuse(error.message)
  }
}

/**
 * A start without its file takes the defaults; a service that is running must not lose everything to a file that is
 * just being replaced.
 */
export function refuseLostFile(before: Pick<Loaded, 'source'>, { source }: Loaded): void {
  if (source !== builtIn || before.source === builtIn) return
  refuse(`${before.source} is gone; put it back, or restart the service to have it run with the built-in defaults`)
}

/** Where the file is, or where one would be found. */
export function possibleFiles(environment: StartEnvironment): readonly string[] {
  const found = findConfig(environment)
  const paths = found === undefined ? search.paths : [found.file]
  return paths.map((path) => resolve(environment.cwd, path))
}

export function findConfig(environment: StartEnvironment): Found | undefined {
  return findConfigFile(environment, search)
}

/** Callers must not reach what is there for operators. */
function requireOwnPort({ admin, port }: Config, file: ConfigFile): void {
  if (admin === undefined || port === 0 || admin.bind.port !== port) return
  const message = `port ${port} is that of the callers (port); choose another one`
  refuse(inWords(file, { path: ['admin', 'bind'], message }))
}

/** Of every keystore, whether an endpoint needs it yet or not. A file with a password is read with its keystore. */
function unsetPasswords({ securityServer, clients }: Config, env: Environment): Problem[] {
  if (securityServer === undefined) return []
  const own = passwordProblem(securityServer, ['security_server'], env)
  const others = clients.map((client) => passwordProblem(client, ['clients', client.name], env))
  return [own, ...others].filter((problem) => problem !== undefined)
}

/** There is no default password, and an empty one is nobody's intention. */
function passwordProblem(
  {
    keystorePasswordEnv: name,
    keystorePasswordFile: passwordFile,
    keystorePath,
  }: Omit<NamedClient, 'name' | 'identity'>,
  section: Path,
  env: Environment,
): Problem | undefined {
  if (passwordFile !== undefined || env[name]) return undefined
  const cure = `set it to the password of ${keystorePath}, or name a file that holds it in keystore_password_file`
  const message = unsetVariable({ name, value: env[name] }, passwordField, cure)
  return { path: [...section, 'keystore_password_env'], message }
}

/** Without its key users would be in the file as they are. */
function requireHashKey({ audit }: Config, env: Environment, file: ConfigFile): void {
  const name = audit?.hashKeyEnv
  if (name === undefined || env[name]) return
  const cure = 'set it to a long random text, the key of the hashes'
  const message = unsetVariable({ name, value: env[name] }, hashKeyField, cure)
  refuse(inWords(file, { path: ['audit', 'hash_key_env'], message }))
}

const hashKeyField = { name: 'hash_key_env', of: 'audit', example: 'PROXY_AUDIT_KEY' }

function unwise({ securityServer, clients, wsdl }: Config): Problem[] {
  const hosts = wsdl.upstreamHostAllowlist.flatMap(unmatchedHost)
  if (securityServer === undefined) return clients.length === 0 ? hosts : [useless, ...hosts]
  const { port, pathname } = new URL(securityServer.url)
  const path = ['security_server', 'url']
  const message = 'port 4000 is the administration of a Security Server; messages go to 8443, 443 or 5500'
  const twice = 'ends with /r1, which the service adds itself to calls of REST services; leave it out'
  return [
    ...(port === '4000' ? [{ path, message }] : []),
    ...(pathname.endsWith('/r1') ? [{ path, message: twice }] : []),
    ...hosts,
  ]
}

/** An entry that is no host name lets nobody through, and nobody would see why. */
function unmatchedHost(entry: string, index: number): Problem[] {
  // One colon is that of a port or a scheme; an address of IPv6 has more.
  if (!/[\s/?#\\@*[]|^[^:]*:[^:]*$/.test(entry.trim())) return []
  const message = `${JSON.stringify(entry.slice(0, 80))} is no host name and lets nobody through; write it without scheme, port, path and *`
  return [{ path: ['wsdl', 'upstream_host_allowlist', index], message }]
}

const useless: Problem = {
  path: ['clients'],
  message: 'has no effect without security_server, through which clients call',
}

function refuse(message: string): never {
  throw new StartupFailure('invalid_configuration', message)
}
