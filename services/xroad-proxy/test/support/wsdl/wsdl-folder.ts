/** Folders of WSDL files and what the ingest makes of them, without a process. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Files, newFolder } from '@services/testing'
import { type Ingested, type IngestOptions, ingestWsdls } from '../../../src/boot/ingest/ingest.ts'
import { loadEndpoints } from '../../../src/boot/dsl/endpoints.ts'
import type { Endpoint } from '../../../src/model.ts'

interface WsdlOptions {
  /** Location of the port; none when it is left out. */
  readonly address?: string | undefined
  /** Stands before the elements of the requests. */
  readonly schema?: string
  /** Type of the request elements. */
  readonly type?: string
  /** Stands before `types`. */
  readonly before?: string
}

/** A WSDL of these operations, each with a request of one text, `a`. */
export function wsdlOf(operations: readonly string[], options: WsdlOptions = {}): string {
  const { address, schema = '', type = 't:T', before = '' } = options
  const each = (make: (name: string) => string): string => operations.map(make).join('\n')
  return `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">${before}
<wsdl:types><x:schema targetNamespace="urn:t">${schema}
<x:complexType name="T"><x:sequence><x:element name="a" type="x:string"/></x:sequence></x:complexType>
${each((name) => `<x:element name="${name}" type="${type}"/>`)}</x:schema></wsdl:types>
${each((name) => `<wsdl:message name="${name}"><wsdl:part name="p" element="t:${name}"/></wsdl:message>`)}
<wsdl:portType name="pt">
${each((name) => `<wsdl:operation name="${name}"><wsdl:input message="t:${name}"/></wsdl:operation>`)}</wsdl:portType>
<wsdl:binding name="b" type="t:pt"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
${each((name) => `<wsdl:operation name="${name}"><wsdl:input><soap:body use="literal"/></wsdl:input></wsdl:operation>`)}
</wsdl:binding>${
    address === undefined
      ? ''
      : `<wsdl:service name="s"><wsdl:port name="p" binding="t:b"><soap:address location="${address}"/></wsdl:port></wsdl:service>`
  }
</wsdl:definitions>`
}

export const nobody = { instance: 'ee-test', memberClass: '', memberCode: '', subsystemCode: '' }
export const demo = { instance: 'ee-test', memberClass: 'GOV', memberCode: '70000000', subsystemCode: 'demo' }

export interface Dropped extends Ingested {
  readonly folder: string
  readonly dsl: string
  /** Files of the DSL directory by their path below it. */
  readonly files: () => Readonly<Record<string, string>>
  readonly endpoints: () => readonly Endpoint[]
  readonly again: (options?: Partial<IngestOptions>) => Ingested
}

/** Puts files into a folder and reads `wsdl` below it into `DSL`. */
export function drop(files: Files, options: Partial<IngestOptions> = {}): Dropped {
  const folder = newFolder(files)
  const dsl = join(folder, 'DSL')
  const all = {
    dir: join(folder, 'wsdl'),
    dslPath: dsl,
    client: nobody,
    allowHttp: false,
    hostAllowlist: [],
    write: true,
  }
  const again = (more: Partial<IngestOptions> = {}): Ingested => ingestWsdls({ ...all, ...options, ...more })
  return {
    ...again(),
    folder,
    dsl,
    files: () => filesBelow(dsl),
    endpoints: () => loadEndpoints(dsl).endpoints,
    again,
  }
}

function filesBelow(folder: string): Record<string, string> {
  try {
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    // What a start remembers is no matter of those who look for DSL files.
    const names = found.filter((name) => !name.startsWith('.xroad-proxy')).toSorted()
    const files = names.filter((name) => statSync(join(folder, name)).isFile())
    return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  } catch {
    return {}
  }
}

/** Warnings without the folder in front. */
export function plain(warnings: readonly string[], folder: string): string[] {
  return warnings.map((warning) => warning.replaceAll(`${folder}/`, ''))
}
