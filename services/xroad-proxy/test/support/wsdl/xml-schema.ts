/**
 * The schemas of a WSDL as files that a validator reads, cut out of its text and not out of what the service understood
 * of it; and xmllint, where it is installed.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { newFolder } from '@services/testing'

/** Why there is no xmllint; false where there is one. */
export function whyNoXmllint(): string | false {
  const { error } = spawnSync('xmllint', ['--version'])
  return error === undefined ? false : 'xmllint is not installed (in Debian the package libxml2-utils)'
}

export interface Schemas {
  /** Documents by name -> what is wrong with each, nothing for a valid one. */
  validate(documents: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]>
}

/** `text` is the WSDL in `path`; schemas beside it are found there. */
export function openSchemas(path: string, text: string): Schemas {
  const folder = newFolder()
  for (const name of readdirSync(dirname(path))) {
    if (!name.endsWith('.wsdl')) cpSync(join(dirname(path), name), join(folder, name), { recursive: true })
  }
  const namespaces = Map.groupBy(cutOut(text), namespaceOf)
  for (const [namespace, schema] of frameworks) if (!namespaces.has(namespace)) namespaces.set(namespace, [schema])
  const drivers = new Map([...namespaces.keys()].map((namespace, index) => [namespace, `namespace-${index}.xsd`]))
  for (const [namespace, schemas] of namespaces) {
    const driver = drivers.get(namespace) ?? ''
    const parts = schemas.map((_, index) => driver.replace('.', `-${index}.`))
    for (const [index, schema] of schemas.entries()) {
      writeFileSync(join(folder, parts[index] ?? ''), linkImports(schema, namespace, drivers))
    }
    const includes = parts.map((part) => `<xs:include schemaLocation="${part}"/>`)
    writeFileSync(join(folder, driver), toSchema(namespace, includes))
  }
  const imports = [...drivers].map(([namespace, file]) => `<xs:import ${named(namespace)} schemaLocation="${file}"/>`)
  writeFileSync(join(folder, 'all.xsd'), toSchema('urn:all', imports))
  return { validate: (documents) => validate(folder, documents) }
}

/**
 * What is wrong with a value only because its pattern is anchored: authors mean the whole value by `^..$`, XML Schema
 * the two characters, so no useful value fits such a pattern.
 */
export const anchored = /\[facet 'pattern'\] .* the pattern '\^.*\$'|is not a valid value of the (?:local )?atomic type/

/** Why no document can be judged; undefined where the schemas are whole. */
export function whyNotCompiled(path: string, text: string): string | undefined {
  try {
    openSchemas(path, text).validate(new Map([['empty', '<empty/>']]))
    return undefined
  } catch (error) {
    const [line = ''] = /.*Schemas parser error.*/.exec((error as Error).message) ?? []
    return `xmllint cannot read its schemas: ${line}`
  }
}

/** What the Body of an envelope holds, with the prefixes that the envelope declares. */
export function standAlone(envelope: string): string {
  const [head = ''] = /<soapenv:Envelope[^>]*>/.exec(envelope) ?? []
  const body = /<soapenv:Body>\s*([\s\S]*?)\s*<\/soapenv:Body>/.exec(envelope)?.[1] ?? ''
  const [tag = ''] = /^<[^\s/>]+/.exec(body) ?? []
  const start = /^<[^>]*>/.exec(body)?.[0] ?? ''
  const own = new Set(Array.from(start.matchAll(/\s(xmlns(?::\S+?)?)=/g), ([, name]) => name))
  const declared = Array.from(head.matchAll(/\s(xmlns(?::\S+?)?)="[^"]*"/g)).filter(([, name]) => !own.has(name))
  return `${tag}${declared.map(([text]) => text).join('')}${body.slice(tag.length)}`
}

const open = '<xs:sequence><xs:any minOccurs="0" maxOccurs="unbounded" processContents="skip"/></xs:sequence>'
const identifiers = ['Service', 'Client', 'CentralService', 'SecurityServer'].map((each) => {
  return `<xs:complexType name="XRoad${each}IdentifierType">${open}<xs:anyAttribute processContents="skip"/></xs:complexType>`
})
/** Of the schemas that stand nowhere but on the network, what requests lean on. */
const frameworks: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'http://ws-i.org/profiles/basic/1.1/xsd': [
      '<xs:simpleType name="swaRef"><xs:restriction base="xs:anyURI"/></xs:simpleType>',
    ],
    'http://schemas.xmlsoap.org/soap/encoding/': [
      `<xs:complexType name="Array">${open}<xs:anyAttribute processContents="skip"/></xs:complexType>`,
      '<xs:attribute name="arrayType" type="xs:string"/>',
      '<xs:simpleType name="base64"><xs:restriction base="xs:base64Binary"/></xs:simpleType>',
    ],
    'http://x-road.eu/xsd/identifiers': identifiers,
    'http://x-road.eu/xsd/xroad.xsd': [],
  }).map(([namespace, content]) => [namespace, toSchema(namespace, content)]),
)

function validate(folder: string, documents: ReadonlyMap<string, string>): Map<string, string[]> {
  const files = new Map([...documents.keys()].map((name, index) => [`document-${index}.xml`, name]))
  for (const [file, name] of files) writeFileSync(join(folder, file), documents.get(name) ?? '')
  const args = ['--noout', '--nonet', '--schema', 'all.xsd', ...files.keys()]
  const { stderr } = spawnSync('xmllint', args, { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 })
  // A value that is told may have line breaks of its own.
  const lines = stderr.trimEnd().split(/\n(?=[\w.-]+\.(?:xml|xsd)[: ])/)
  if (!lines.some((line) => / (?:validates|fails to validate)$/.test(line))) throw new Error(stderr.slice(0, 4000))
  const told = Map.groupBy(lines, (line) => basename(/^(document-\d+\.xml)[: ]/.exec(line)?.[1] ?? ''))
  return new Map(
    [...files].map(([file, name]) => {
      const about = told.get(file) ?? []
      return [name, about.includes(`${file} validates`) ? [] : about.filter((line) => line.includes(':'))]
    }),
  )
}

/** Inline schemas, each with the namespaces that were declared around it. */
function cutOut(text: string): string[] {
  const clean = text.replaceAll(/<!--[\s\S]*?-->/g, '')
  const outer = [...clean.matchAll(/<(?:[\w-]+:)?(?:definitions|types)\b[^>]*>/g)].flatMap(([tag]) => declarations(tag))
  const schemas = clean.matchAll(/<((?:[\w-]+:)?)schema\b([^>]*?)(?:\/>|>[\s\S]*?<\/\1schema\s*>)/g)
  return Array.from(schemas, ([schema, prefix = '', attributes = '']) => {
    const own = new Set(declarations(`<a ${attributes}>`).map(([name]) => name))
    const missing = new Map(outer.filter(([name]) => !own.has(name)))
    const added = Array.from(missing, ([name, value]) => ` ${name}="${value}"`).join('')
    return schema.replace(`<${prefix}schema`, `<${prefix}schema${added}`)
  })
}

function declarations(tag: string): [name: string, value: string][] {
  return Array.from(tag.matchAll(/\s(xmlns(?::[\w.-]+)?)\s*=\s*(?:"([^"]*)"|'([^']*)')/g), ([, name = '', a, b]) => [
    name,
    a ?? b ?? '',
  ])
}

function namespaceOf(schema: string): string {
  return attributeOf(/^<[^>]*>/.exec(schema)?.[0] ?? '', 'targetNamespace')
}

function attributeOf(tag: string, name: string): string {
  const [, a, b] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag) ?? []
  return a ?? b ?? ''
}

/** An import of a namespace that is here leads here; one that was forgotten is added, as most tools look it over. */
function linkImports(schema: string, own: string, drivers: ReadonlyMap<string, string>): string {
  const imported = new Set([own])
  const linked = schema.replaceAll(/<(?:[\w-]+:)?import\b[^>]*>/g, (tag) => {
    const namespace = attributeOf(tag, 'namespace')
    const file = drivers.get(namespace)
    imported.add(namespace)
    if (file === undefined) return tag
    const bare = tag.replace(/\sschemaLocation\s*=\s*(?:"[^"]*"|'[^']*')/, '')
    return bare.replace(/\s*\/?>$/, (end) => ` schemaLocation="${file}"${end}`)
  })
  const [start = '', prefix = ''] = /^<([\w-]+:|)schema[^>]*>/.exec(linked) ?? []
  const declared = new Set(declarations(start).map(([, namespace]) => namespace))
  const forgotten = [...declared].filter((namespace) => !imported.has(namespace))
  const added = forgotten.map((namespace) => {
    const file = drivers.get(namespace)
    return file === undefined ? '' : `<${prefix}import namespace="${namespace}" schemaLocation="${file}"/>`
  })
  return start.endsWith('/>') ? linked : `${start}${added.join('')}${linked.slice(start.length)}`
}

function toSchema(namespace: string, content: readonly string[]): string {
  const target = namespace === '' ? '' : ` targetNamespace="${namespace}"`
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"${target}>${content.join('')}</xs:schema>`
}

function named(namespace: string): string {
  return namespace === '' ? '' : `namespace="${namespace}"`
}
