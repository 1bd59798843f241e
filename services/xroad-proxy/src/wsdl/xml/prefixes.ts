/**
 * A tag as it is written -> its expanded name, its attributes and the prefixes that it declares, by the rules of
 * Namespaces in XML 1.0. A fault goes to `fail`, which throws.
 */
import { namespaces, type QName, toQName } from './qname.ts'

/** Prefix -> namespace, as declared on one element; further ones on those around it. */
export interface Bindings {
  readonly declared: ReadonlyMap<string, string>
  readonly outer: Bindings | undefined
}

export interface Tag {
  readonly namespace: string
  readonly local: string
  readonly attributes: ReadonlyMap<QName, string>
  readonly bindings: Bindings
}

type Fail = (message: string) => never

/** A tag from the parser. */
interface Written {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

/** Most elements declare nothing, and a file has hundreds of thousands. */
const emptyMap: ReadonlyMap<string, string> = new Map()
const noBindings: Bindings = { declared: emptyMap, outer: undefined }

export function readTag({ name, attributes }: Written, outer: Bindings | undefined, fail: Fail): Tag {
  const names = Object.keys(attributes)
  const declared = readDeclarations(names, attributes, fail)
  const bindings = declared.size === 0 ? (outer ?? noBindings) : { declared, outer }
  const { prefix, local } = split(name, fail)
  if (prefix === 'xmlns') fail('tags may not have "xmlns" as prefix')
  const namespace = prefix === '' ? (namespaceOfPrefix('', bindings) ?? '') : bound(prefix, bindings, fail)
  if (names.length === 0) return { namespace, local, attributes: emptyMap, bindings }
  const byName = new Map<QName, string>()
  for (const written of names) {
    const expanded = expandAttribute(written, bindings, fail)
    if (byName.has(expanded)) fail(`duplicate attribute: ${expanded}`)
    byName.set(expanded, attributes[written] as string)
  }
  return { namespace, local, attributes: byName, bindings }
}

export function namespaceOfPrefix(prefix: string, bindings: Bindings): string | undefined {
  if (prefix === 'xml') return namespaces.xml
  for (let scope: Bindings | undefined = bindings; scope !== undefined; scope = scope.outer) {
    const namespace = scope.declared.get(prefix)
    if (namespace !== undefined) return namespace
  }
  return prefix === '' ? '' : undefined
}

function readDeclarations(
  names: readonly string[],
  attributes: Written['attributes'],
  fail: Fail,
): ReadonlyMap<string, string> {
  let declared: Map<string, string> | undefined
  for (const name of names) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue
    const prefix = name.slice('xmlns:'.length)
    const namespace = (attributes[name] as string).trim()
    checkDeclaration(prefix, namespace, fail)
    declared ??= new Map()
    declared.set(prefix, namespace)
  }
  return declared ?? emptyMap
}

function checkDeclaration(prefix: string, namespace: string, fail: Fail): void {
  const { xml, xmlns } = namespaces
  if (prefix !== '' && namespace === '') fail('invalid attempt to undefine prefix in XML 1.0')
  if (prefix === 'xml' && namespace !== xml) fail(`xml prefix must be bound to ${xml}`)
  if (prefix === 'xmlns' && namespace !== xmlns) fail(`xmlns prefix must be bound to ${xmlns}`)
  if (namespace !== xml && namespace !== xmlns) return
  if (prefix === '') fail(`the default namespace may not be set to ${namespace}`)
  if (namespace === xmlns) fail(`may not assign a prefix (even "xmlns") to the URI ${xmlns}`)
  if (prefix !== 'xml') fail('may not assign the xml namespace to another prefix')
}

/** The default namespace does not hold for attributes. */
function expandAttribute(name: string, bindings: Bindings, fail: Fail): QName {
  if (name === 'xmlns') return toQName(namespaces.xmlns, name)
  const { prefix, local } = split(name, fail)
  if (prefix === '') return name
  return toQName(prefix === 'xmlns' ? namespaces.xmlns : bound(prefix, bindings, fail), local)
}

function bound(prefix: string, bindings: Bindings, fail: Fail): string {
  return namespaceOfPrefix(prefix, bindings) ?? fail(`unbound namespace prefix: ${JSON.stringify(prefix)}`)
}

function split(name: string, fail: Fail): { readonly prefix: string; readonly local: string } {
  const colon = name.indexOf(':')
  if (colon < 0) return { prefix: '', local: name }
  const [prefix, local] = [name.slice(0, colon), name.slice(colon + 1)]
  if (prefix === '' || local === '' || local.includes(':')) fail(`malformed name: ${name}`)
  return { prefix, local }
}
