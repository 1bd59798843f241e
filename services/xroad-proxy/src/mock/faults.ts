/**
 * Errors as a Security Server words them: code and text in, a SOAP Fault or a REST error out. The codes are written as
 * X-Road 7.8 and later do, `client.missing_header`; `spell` gives the form of the versions before, `Client.MissingHeader`.
 */
import { randomUUID } from 'node:crypto'
import { escapeXml } from './xml-reader.ts'

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

const soapNamespace = 'http://schemas.xmlsoap.org/soap/envelope/'

/** The envelope of a Fault; the detail is a random number for the search in the server's log, as on a real server. */
export function faultEnvelope(code: string, text: string): string {
  return (
    `<?xml version="1.0" encoding="UTF-8"?><SOAP-ENV:Envelope xmlns:SOAP-ENV="${soapNamespace}"><SOAP-ENV:Body>` +
    `<SOAP-ENV:Fault><faultcode>${escapeXml(code)}</faultcode><faultstring>${escapeXml(text)}</faultstring>` +
    `<faultactor></faultactor><detail><faultDetail xmlns="">${randomUUID()}</faultDetail></detail></SOAP-ENV:Fault>` +
    `</SOAP-ENV:Body></SOAP-ENV:Envelope>`
  )
}

/** What stands in an error of the REST protocol, to be written as JSON or XML. */
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
