/**
 * A name that leads nowhere -> why, in words: an undeclared prefix, or a prefix for a namespace other than that of the
 * name that was probably meant. Names come in as they are written; nothing is looked up here.
 */
import { localOf, namespaceOf, type QName } from '../xml/qname.ts'
import { prefixFor, resolveName, type XmlElement } from '../xml/xml.ts'

interface Written {
  /** What is named: `port type`, `message`, `element`. */
  readonly kind: string
  /** The name as it is written. */
  readonly text: string
  /** The element that names it. */
  readonly at: XmlElement
}

/** `known` are the names of this kind that do exist. */
export function describeMisnamed({ kind, text, at }: Written, known: Iterable<QName>): string {
  const written = text.trim()
  if (written === '') return `no ${kind} is named`
  const name = resolveName(written, at)
  const [prefix, local] = split(written)
  const namesakes = [...known].filter((other) => other !== name && localOf(other) === local)
  const meant =
    namesakes.length === 0
      ? ''
      : `; ${namesakes
          .slice(0, maxMeant)
          .map((namesake) => meantBy(namesake, at))
          .join(', or ')}`
  if (name === undefined) return `${kind} ${written} is missing: the prefix ${prefix} is declared nowhere${meant}`
  if (namesakes.length === 0) return `${kind} ${written} is missing`
  return `${kind} ${written} is missing: ${standsFor(prefix, namespaceOf(name))}${meant}`
}

const maxMeant = 3

/** Where else something of this name is declared; empty when it is nowhere. */
export function namespacesOf(name: QName, known: Iterable<QName>): string {
  const others = [...known].filter((other) => other !== name && localOf(other) === localOf(name))
  if (others.length === 0) return ''
  return `; ${localOf(name)} is declared in ${others
    .slice(0, maxMeant)
    .map((other) => quote(namespaceOf(other)))
    .join(' and ')}`
}

function standsFor(prefix: string, namespace: string): string {
  const subject = prefix === '' ? 'a name without a prefix' : `the prefix ${prefix}`
  return `${subject} stands for ${quote(namespace)} here`
}

function meantBy(name: QName, at: XmlElement): string {
  const namespace = namespaceOf(name)
  const prefix = prefixFor(namespace, at)
  const found = `${localOf(name)} is in ${quote(namespace)}`
  if (prefix === undefined) return `${found}: declare a prefix for that namespace and write it there`
  return `${found}: ${prefix === '' ? '' : `${prefix}:`}${localOf(name)} is probably meant`
}

function quote(namespace: string): string {
  return namespace === '' ? 'no namespace' : JSON.stringify(namespace)
}

function split(written: string): readonly [prefix: string, local: string] {
  const colon = written.indexOf(':')
  return colon < 0 ? ['', written] : [written.slice(0, colon), written.slice(colon + 1)]
}
