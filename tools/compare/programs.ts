/**
 * The programs of a side, as users start them: by their files in `bin`, with arguments, files, signals and a known
 * environment. Nothing else of a side is touched.
 */
import { join } from 'node:path'
import { type Ended, launchFlag, type Spawned, spawnProcess } from '@services/testing'
import type { Side } from './sides.ts'

export type Service = 'sqlapi' | 'xroad-proxy'

export interface ProgramOptions {
  /** The folder of the side unless given. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Leaves out the flag that saves a second start, as users do. */
  readonly isPlain?: boolean
}

export interface Running extends Spawned {
  readonly port: number
  /** Undefined without an admin listener. */
  readonly adminPort: number | undefined
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

const patienceMs = 60_000

export function spawnSide(
  { root, folder }: Pick<Side, 'root' | 'folder'>,
  service: Service,
  args: readonly string[],
  { cwd = folder, env = {}, isPlain = false }: ProgramOptions = {},
): Spawned {
  const program = join(root, 'services', service, 'bin', `${service}.js`)
  const flags = isPlain ? [] : [launchFlag]
  const command = [process.execPath, ...flags, program]
  return spawnProcess({ command, args, cwd, env: { PROXY_KEYSTORE_PASSWORD: 'mock', ...env } })
}

/** Runs a command to its end. One that serves is ended once it listens. */
export async function runCommand(
  side: Side,
  service: Service,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<Ended> {
  const spawned = spawnSide(side, service, args, options)
  const timer = setTimeout(() => spawned.kill('SIGKILL'), patienceMs)
  void spawned.line(listening).then(
    () => spawned.kill('SIGTERM'),
    () => undefined,
  )
  const ended = await spawned.ended
  clearTimeout(timer)
  notePorts(side, ended.stdout)
  return ended
}

/** Text or JSON: `Listening address=127.0.0.1:8080`, `"message":"Listening","address":"127.0.0.1:8080"`. */
const listening = /Listening\b.*:\d+/
const adminPages = /Admin pages\b.*:\d+/

/** Starts a service and waits until it listens. */
export async function startService(
  side: Side,
  service: Service,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<Running> {
  const spawned = spawnSide(side, service, args, options)
  const timer = setTimeout(() => spawned.kill('SIGKILL'), patienceMs)
  const line = await spawned.line(listening).finally(() => {
    clearTimeout(timer)
    notePorts(side, spawned.stdout())
  })
  const { port = portIn(line), adminPort } = notePorts(side, spawned.stdout())
  return {
    ...spawned,
    port,
    adminPort,
    stop(signal = 'SIGTERM') {
      spawned.kill(signal)
      return spawned.ended
    },
  }
}

function notePorts(
  side: Side,
  log: string,
): { readonly port: number | undefined; readonly adminPort: number | undefined } {
  const [port, adminPort] = [listening, adminPages].map((pattern) => {
    const found = pattern.exec(log)?.[0]
    return found === undefined ? undefined : portIn(found)
  })
  if (port !== undefined) side.ports.set(port, 'service')
  if (adminPort !== undefined) side.ports.set(adminPort, 'admin')
  return { port, adminPort }
}

function portIn(line: string): number {
  return Number(/:(\d+)\b(?!.*:\d)/.exec(line)?.[1])
}

/** What a program has left, as one text. */
export function shown({ code, signal, stdout, stderr }: Ended): string {
  const end = signal === null ? `exit code ${code}` : `ended by ${signal}`
  return `${end}\n--- stdout\n${stdout}--- stderr\n${stderr}`
}
