/**
 * haproxy with one thread, where it is installed: what a proxy in C, made for nothing else, does in front of the same
 * upstream. It knows one service, as the floor does, and has no log.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, findProgram } from '@services/bench'
import { freePort } from '@services/testing'
import forge from 'node-forge'
import { keystorePassword } from '../../src/mock/pki.ts'
import { client, servicePath } from './service-path.ts'

/** Debian keeps it where only root looks. */
export function findHaproxy(): string | undefined {
  return findProgram('haproxy', ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'])
}

export interface HaproxySetup {
  /** For its configuration and its key. */
  readonly folder: string
  readonly pki: string
  readonly upstreamPort: number
}

export async function haproxyCommand(program: string, { folder, pki, upstreamPort }: HaproxySetup): Promise<Command> {
  const port = await freePort()
  const identity = join(folder, 'haproxy.pem')
  writeFileSync(identity, toPem(readFileSync(join(pki, 'client.p12'))), { mode: 0o600 })
  const config = join(folder, `haproxy-${port}.cfg`)
  writeFileSync(config, configText({ port, identity, ca: join(pki, 'ca.pem'), upstreamPort }))
  return { file: program, args: ['-db', '-f', config], port }
}

/** Key and certificate one after the other, as haproxy wants them. */
function toPem(pfx: Buffer): string {
  const opened = forge.pkcs12.pkcs12FromAsn1(forge.asn1.fromDer(pfx.toString('binary')), keystorePassword)
  const bagOf = (bagType = ''): forge.pkcs12.Bag | undefined => opened.getBags({ bagType })[bagType]?.[0]
  const key = bagOf(forge.pki.oids['pkcs8ShroudedKeyBag'])?.key
  const certificate = bagOf(forge.pki.oids['certBag'])?.cert
  if (!key || !certificate) throw new Error('client.p12 has no key or no certificate')
  return forge.pki.privateKeyToPem(key) + forge.pki.certificateToPem(certificate)
}

interface Config {
  readonly port: number
  readonly identity: string
  readonly ca: string
  readonly upstreamPort: number
}

/** It compares the names of a certificate, and no addresses. Connections are kept while others have their turn. */
function configText({ port, identity, ca, upstreamPort }: Config): string {
  return `global
  nbthread 1
  maxconn 4096

defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always

frontend callers
  bind 127.0.0.1:${port}
  http-request replace-path /bench/(.*) ${servicePath}/\\1
  http-request set-header x-road-client ${client}
  http-request set-header x-road-id %[uuid()] unless { req.hdr(x-road-id) -m found }
  default_backend upstream

backend upstream
  server upstream 127.0.0.1:${upstreamPort} ssl verify required verifyhost localhost ca-file ${ca} crt ${identity} pool-purge-delay 300s
`
}
