/**
 * Errors as Security Servers and services word them: code and text in, a SOAP Fault or a REST error out. The codes of
 * X-Road are written as X-Road 7.8 and later do, `client.missing_header`; `spell` gives the form of the versions
 * before, `Client.MissingHeader`.
 */
import { randomUUID } from 'node:crypto'
import { prolog } from './failures/oddities.ts'
import type { MockReply } from './wire.ts'
import { escapeXml } from './read/xml.ts'

/** Which versions of X-Road the error codes are spelled for. */
export type Spelling = 'before-7.8' | 'since-7.8'

/** An error that a Security Server answers itself. The code is spelled as since 7.8. */
export class Refusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const components: Readonly<Record<string, string>> = { clientproxy: 'ClientProxy', serverproxy: 'ServerProxy' }

export function spell(code: string, spelling: Spelling): string {
  if (spelling === 'since-7.8') return code
  return code
    .split('.')
    .map((part) => components[part] ?? part.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    .join('.')
}

export const soapNamespace = 'http://schemas.xmlsoap.org/soap/envelope/'

/** The envelope of a Fault; the detail is a random number for the search in the server's log, as on a real server. */
export function faultEnvelope(code: string, text: string): string {
  return (
    `${prolog.plain}<SOAP-ENV:Envelope xmlns:SOAP-ENV="${soapNamespace}"><SOAP-ENV:Body>` +
    `<SOAP-ENV:Fault><faultcode>${escapeXml(code)}</faultcode><faultstring>${escapeXml(text)}</faultstring>` +
    `<faultactor></faultactor><detail><faultDetail xmlns="">${randomUUID()}</faultDetail></detail></SOAP-ENV:Fault>` +
    `</SOAP-ENV:Body></SOAP-ENV:Envelope>`
  )
}

/** As a Security Server sends it, the empty SOAPAction included. */
export function soapFault(envelope: string, status = 200): MockReply {
  return { status, type: 'text/xml; charset=utf-8', headers: [['SOAPAction', '']], body: Buffer.from(envelope) }
}

export const soap12Namespace = 'http://www.w3.org/2003/05/soap-envelope'

/** A fault of SOAP 1.2; `texts` are the reason by language. */
export function soapFault12(code: string, texts: Readonly<Record<string, string>>, status: number): MockReply {
  const reason = Object.entries(texts).map(([language, text]) => {
    return `<env:Text xml:lang="${language}">${escapeXml(text)}</env:Text>`
  })
  const envelope =
    `${prolog.plain}<env:Envelope xmlns:env="${soap12Namespace}"><env:Body><env:Fault><env:Code>` +
    `<env:Value>${escapeXml(code)}</env:Value></env:Code><env:Reason>${reason.join('')}</env:Reason>` +
    `<env:Detail><mock:detail xmlns:mock="urn:mock">more</mock:detail></env:Detail></env:Fault></env:Body></env:Envelope>`
  return { status, type: 'application/soap+xml; charset=utf-8', headers: [], body: Buffer.from(envelope) }
}

export function faultOnDemand12(code: string): MockReply {
  return soapFault12(code, { et: 'Soovitud viga', en: 'A failure that was asked for' }, 500)
}

/** What is in an error of the REST protocol, to be written as JSON or XML. */
export interface RestError {
  readonly status: number
  /** Of the header X-Road-Error: only what a header can hold. */
  readonly flag: string
  readonly type: string
  readonly message: string
  readonly detail: string
}

export function toRestError(code: string, message: string): RestError {
  const status = /^server\./i.test(code) ? 500 : 400
  const flag = code.replaceAll(/[^\u0020-\u007E]/g, '?')
  return { status, flag, type: code, message, detail: randomUUID() }
}
