/**
 * A real pgbouncer (Debian's package) in front of a PostgreSQL server, listening on loopback; for tests and benches.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from './network/free-port.ts'
import { startBeside } from './process/beside.ts'
import { newFolder } from './process/folder.ts'

const program = '/usr/sbin/pgbouncer'

/** Why there is none on this machine; undefined where there is one. */
export const withoutPgbouncer: string | undefined = existsSync(program) ? undefined : `${program} is not installed`

export interface Pgbouncer {
  readonly port: number
  /** Changes the port of a URL to that of the pooler. */
  readonly through: (url: string) => string
  stop(): Promise<void>
}

/** `settings` are lines of its section [pgbouncer]. */
export async function startPgbouncer(url: string, settings: Readonly<Record<string, string>>): Promise<Pgbouncer> {
  const folder = newFolder()
  chmodSync(folder, 0o777)
  const { hostname, port: server, username, password } = new URL(url)
  const port = await freePort()
  const users = join(folder, 'users.txt')
  writeFileSync(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`)
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    pool_mode: 'session',
    ...settings,
  }
  const file = join(folder, 'pgbouncer.ini')
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(file, `[databases]\n* = host=${hostname} port=${server}\n[pgbouncer]\n${lines.join('\n')}\n`)
  const isRoot = process.getuid?.() === 0
  const { child, stop } = startBeside(program, [...(isRoot ? ['-u', 'nobody'] : []), file])
  await untilListening(port, child)
  return {
    port,
    through: (each) => each.replace(/:\d+(?=\/[^/]*$)/, `:${port}`),
    stop,
  }
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`)
    const socket = connect({ port, host: '127.0.0.1' })
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
