/** A real haproxy (Debian's package) that balances over services by what their `/ready` says; for tests. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { call } from './network/call.ts'
import { freePort } from './network/free-port.ts'
import { startBeside } from './process/beside.ts'
import { newFolder } from './process/folder.ts'
import { until } from './timing/until.ts'

const program = '/usr/sbin/haproxy'

/** Why there is none on this machine; undefined where there is one. */
export const withoutHaproxy: string | undefined = existsSync(program) ? undefined : `${program} is not installed`

export interface Behind {
  readonly port: number
  /** Of its admin listener. */
  readonly adminPort: number
}

export interface Balancer {
  readonly port: number
  stop(): Promise<void>
}

/** Between two questions; a connection for one has to be open within that time too, whatever `timeout connect` says. */
const interMs = 1000

/**
 * Waits until all of them are in the balance. A request that found no connection goes to another one. Connections are
 * kept, unless `settings`, lines of its defaults, say otherwise.
 */
export async function startBalancer(behind: readonly Behind[], settings: readonly string[] = []): Promise<Balancer> {
  const port = await freePort()
  const servers = behind.map(
    (each, index) =>
      `  server s${index} 127.0.0.1:${each.port} check port ${each.adminPort} inter ${interMs}ms fall 1 rise 1`,
  )
  const folder = newFolder({
    'haproxy.cfg': `global
  nbthread 1
defaults
  mode http
  timeout connect 60s
  timeout client 300s
  timeout server 300s
  timeout check 60s
  retries 3
  option redispatch 1
${settings.map((line) => `  ${line}\n`).join('')}frontend callers
  bind 127.0.0.1:${port}
  monitor-uri /balancer
  monitor fail if { nbsrv(services) lt ${behind.length} }
  default_backend services
backend services
  balance roundrobin
  option httpchk GET /ready
${servers.join('\n')}
`,
  })
  const { child, stop } = startBeside(program, ['-db', '-f', join(folder, 'haproxy.cfg')])
  const isBalanced = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}`)
    return call(port, '/balancer').then(
      ({ status }) => status === 200,
      () => false,
    )
  }
  await until(isBalanced, 'haproxy to balance over all of them')
  return { port, stop }
}
