/** A configuration, its files and its environment -> what the doctor finds, without a process. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Files, newFolder, writeFiles } from '@services/testing'
import { issueClient, makeAuthority, makeSelfSigned, toPkcs12 } from '@services/testing/certificates'
import { runChecks } from '../../src/doctor/checks.ts'
import { withDescriptions } from '../../src/doctor/facts/description-facts.ts'
import { type Facts, gatherFacts } from '../../src/doctor/facts/facts.ts'
import { findWsdls, type WsdlFinding } from '../../src/doctor/facts/wsdl-facts.ts'
import type { Finding } from '../../src/doctor/finding.ts'

export interface Situation {
  /**
   * Fields over those of `sound`, or the text of the file; null for no file. `@` at the start of a text is the folder.
   */
  readonly config?: Readonly<Record<string, unknown>> | string | null
  /** Below the DSL directory; null for no directory. */
  readonly dsl?: Files | null
  /** Files below the folder. */
  readonly files?: Files
  /** 0600 unless given. */
  readonly keystoreMode?: number
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly flag?: string
  readonly now?: Date
  /** Beside those of the files below `wsdl_watch_dir`. */
  readonly wsdl?: readonly WsdlFinding[]
  readonly probe?: Facts['probe']
}

export const password = 'Very secret/word'
const authority = makeAuthority()
export const trust: string = authority.certificate

/** Ends a whole number of seconds from now, as certificates do. */
const now: Date = new Date(Math.floor(Date.now() / 1000) * 1000)
const dayMs = 86_400_000

export function inDays(days: number, seconds: number = 0): Date {
  return new Date(now.getTime() + days * dayMs + seconds * 1000)
}

export function keystore(dates: { notBefore?: Date; notAfter?: Date } = {}): Buffer {
  const client = issueClient(authority, { notAfter: inDays(90), ...dates })
  return toPkcs12(client.key, [client.certificate], password)
}

const soundKeystore = keystore()

/** What `trust_ca_path` may name: a Security Server's own certificate with these dates. */
export function serverCertificate(dates: { notBefore?: Date; notAfter?: Date } = {}): string {
  return makeSelfSigned({ notAfter: inDays(90), ...dates }).certificate
}

export const server = { url: 'https://server.example.org:5500', keystore_path: '@/client.p12' }

/** Draws no finding but INFO. */
const sound = {
  dsl_path: '@/DSL',
  client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' },
}

export const restFile = `kind: rest
method: GET
target: { member_class: GOV, member_code: "70000001", subsystem_code: registry, service_code: companies }
`
export const soapFile = `service: https://service.example.org/soap
method: POST
envelope: <e/>
`

export function examine(situation: Situation = {}): readonly Finding[] {
  return runChecks(gather(situation))
}

export function gather(situation: Situation): Facts {
  const { config = {}, dsl = { 'a/b.yml': soapFile }, files = {}, env = {}, flag } = situation
  const folder = newFolder({ 'client.p12': soundKeystore, ...files })
  chmodSync(join(folder, 'client.p12'), situation.keystoreMode ?? 0o600)
  if (dsl !== null) writeFiles(join(folder, 'DSL'), dsl)
  if (config !== null) {
    const text = typeof config === 'string' ? config : JSON.stringify({ ...sound, ...config })
    writeFileSync(join(folder, 'proxy.yaml'), text.replaceAll('@/', `${folder}/`))
  }
  const variables = { PROXY_KEYSTORE_PASSWORD: password, ...env }
  const facts = gatherFacts({
    flag,
    env: variables,
    cwd: folder,
    now: situation.now ?? now,
    readWsdls: (settings) => {
      const wsdls = findWsdls(settings)
      return { ...wsdls, findings: [...wsdls.findings, ...(situation.wsdl ?? [])] }
    },
  })
  const isDescribed = facts.dsl.described.length > 0
  return { ...(isDescribed ? withDescriptions(facts, variables) : facts), probe: situation.probe }
}

export function codesOf(findings: readonly Finding[]): string[] {
  return findings.map(({ code }) => code)
}
