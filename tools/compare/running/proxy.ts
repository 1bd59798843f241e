/** The proxy of a side in front of two upstreams of ours: the Security Server, and a service for direct calls. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Files, writeFiles } from '@services/testing'
import type { Running } from '../programs.ts'
import type { Recording } from '../recording.ts'
import type { Side } from '../sides.ts'
import { withService } from './service.ts'
import { startUpstream, type Upstream } from './upstream.ts'

export interface ProxySetting {
  readonly side: Side
  readonly recording: Recording
  /** Names the folder too. */
  readonly title: string
  /** `direct` is the address of the upstream for direct calls. */
  readonly dsl: (direct: string) => Files
  /** Files below `wsdl_watch_dir`. */
  readonly wsdl?: Files
  readonly config?: Readonly<Record<string, unknown>>
  readonly format?: 'text' | 'json'
}

export interface Proxy {
  readonly running: Running
  readonly folder: string
  readonly security: Upstream
  readonly direct: Upstream
}

export async function withProxy(setting: ProxySetting, use: (proxy: Proxy) => Promise<void>): Promise<void> {
  const { side, recording, title, dsl, wsdl, config = {}, format = 'text' } = setting
  const folder = join(side.folder, title.replaceAll(/\W+/g, '-'))
  mkdirSync(join(folder, 'DSL'), { recursive: true })
  const [security, direct] = await Promise.all([
    startUpstream(side, { isTls: true }),
    startUpstream(side, { isTls: false }),
  ])
  writeFiles(join(folder, 'DSL'), dsl(direct.url))
  if (wsdl !== undefined) writeFiles(join(folder, 'wsdl'), wsdl)
  const all = {
    host: '127.0.0.1',
    port: 0,
    dsl_path: 'DSL',
    admin: { bind: '127.0.0.1:0' },
    client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' },
    security_server: {
      url: security.url,
      keystore_path: join(side.certificates, 'client.p12'),
      trust_ca_path: join(side.certificates, 'ca.pem'),
    },
    ...(wsdl === undefined ? {} : { wsdl_watch_dir: 'wsdl' }),
    ...config,
  }
  writeFileSync(join(folder, 'proxy.yaml'), JSON.stringify(all, null, 2))
  const env = { RUST_LOG: 'debug', PROXY_LOG_FORMAT: format }
  const args = ['--config', 'proxy.yaml']
  await withService({ side, recording, service: 'xroad-proxy', args, title, cwd: folder, env }, (running) =>
    use({ running, folder, security, direct }),
  )
  await Promise.all([security.close(), direct.close()])
}
