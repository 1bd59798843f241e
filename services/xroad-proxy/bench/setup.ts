/**
 * What the races run on: certificates, the upstream, DSL files and configuration, and how each contender is started
 * over them.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, type Server, startServer } from '@services/bench'
import { keystorePassword, writePki } from '../src/mock/pki.ts'
import { findHaproxy, haproxyCommand } from './contenders/haproxy.ts'
import type { Build, ContenderName, Scenario } from './scenarios.ts'

export interface Setup {
  /** For files of this run. */
  readonly folder: string
  readonly upstream: Server
  /** Why some contenders cannot take part here: lines for people. */
  readonly absences: ReadonlyMap<ContenderName, string>
  command(name: ContenderName, scenario: Scenario): Command | Promise<Command>
  /** The proxy over other DSL files, and over a directory of WSDL files if there is one. */
  proxy(build: Build, dslPath: string, wsdlDir?: string): Command
  remove(): Promise<void>
}

const here = import.meta.dirname

/** The file that starts each build; those that do not take part are left out. */
export type Programs = Readonly<Partial<Record<Build, string>>>

/** How the proxy is started from its sources. */
export const ownProgram = join(here, '../bin/xroad-proxy.js')

/**
 * @param makePrograms makes the builds that take part, in the folder of this run if they need one
 * @param profiles the folder that the proxy writes its CPU profiles to, if it is to make any
 */
export async function prepare(
  makePrograms: (folder: string) => Programs | Promise<Programs>,
  profiles?: string,
): Promise<Setup> {
  const folder = mkdtempSync(join(tmpdir(), 'xroad-proxy-bench-'))
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', removeFolder)
  const pki = join(folder, 'pki')
  writePki(pki)
  const env = { BENCH_PKI: pki, BENCH_PASSWORD: keystorePassword }
  // Before the upstream, which would keep this process if they cannot be made.
  const programs = await makePrograms(folder)
  const upstream = await startServer({ args: [join(here, 'upstream.ts')], env })
  const haproxy = findHaproxy()
  const proxy: Setup['proxy'] = (build, dslPath, wsdlDir) => {
    const program = programs[build]
    if (program === undefined) throw new Error(`${build} takes no part in this run`)
    const config = join(folder, `${Buffer.from(dslPath).toString('hex').slice(-100)}.yaml`)
    const more = wsdlDir === undefined ? '' : `wsdl_watch_dir: ${JSON.stringify(wsdlDir)}\n`
    writeFileSync(config, `${configText(dslPath, upstream.port, pki)}${more}`)
    return { args: [program, '--config', config], env: { PROXY_KEYSTORE_PASSWORD: keystorePassword } }
  }
  return {
    folder,
    upstream,
    absences: findAbsences(haproxy),
    proxy,
    command(name, scenario) {
      switch (name) {
        case 'package':
        case 'sources':
        case 'release': {
          const command = proxy(name, join(here, 'tree/DSL'))
          if (profiles === undefined) return command
          return { ...command, args: [...profileOptions(join(profiles, scenario.name, name)), ...command.args] }
        }
        case 'haproxy':
          return haproxyCommand(haproxy ?? '', { folder, pki, upstreamPort: upstream.port })
        case 'undici':
        case 'floor with context':
        case 'floor':
        case 'node-soap': {
          const isContext = name === 'floor with context'
          const place = {
            ...env,
            BENCH_UPSTREAM_PORT: String(upstream.port),
            BENCH_AGENT: isContext ? 'context' : 'pfx',
          }
          return { args: [join(here, 'contenders', isContext ? 'floor.ts' : `${name}.ts`)], env: place }
        }
      }
    },
    async remove() {
      await upstream.stop()
      removeFolder()
    },
  }
}

/** @param haproxy where it is, if it is anywhere */
export function findAbsences(haproxy: string | undefined): Map<ContenderName, string> {
  const line = 'no haproxy: neither on the PATH nor in /usr/sbin (Debian: apt install haproxy)'
  return new Map(haproxy === undefined ? [['haproxy', line]] : [])
}

/** Everything that is not named has its default, as most configurations have it. */
function configText(dslPath: string, upstreamPort: number, pki: string): string {
  return `dsl_path: ${JSON.stringify(dslPath)}
host: 127.0.0.1
port: 0
client_data:
  member_class: GOV
  member_code: "70000001"
  subsystem_code: bench
security_server:
  url: https://127.0.0.1:${upstreamPort}
  keystore_path: ${JSON.stringify(join(pki, 'client.p12'))}
  trust_ca_path: ${JSON.stringify(join(pki, 'ca.pem'))}
`
}

function profileOptions(folder: string): string[] {
  mkdirSync(folder, { recursive: true })
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}
