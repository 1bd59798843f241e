/**
 * Names with namespaces -> names with prefixes, for one envelope: each namespace gets one prefix when it is first used,
 * and all are declared on the Envelope. Those of the WSDL are kept where they are plain, so that a person finds them
 * again.
 */
import type { SoapVersion } from '../../model.ts'
import { soapVersions } from '../../soap-versions.ts'
import { escapeText } from './template-text.ts'
import { localOf, namespaceOf, namespaces, type QName } from '../xml/qname.ts'

/** Prefixes that mean the same in every envelope of a version. */
const own = {
  soapenv: soapVersions['1.1'].envelope,
  xroad: namespaces.xroad,
  id: namespaces.identifiers,
  xsi: namespaces.instance,
} as const

export type OwnPrefix = keyof typeof own

const plain = /^(?!xml)[A-Za-z][A-Za-z0-9_-]{0,30}$/iu

export class Prefixes {
  readonly #ofWsdl: ReadonlyMap<string, string>
  /** Namespace -> prefix, in the order of first use. */
  readonly #used: Map<string, string>

  readonly #own: Readonly<Record<OwnPrefix, string>>

  constructor(ofWsdl: ReadonlyMap<string, string>, used: readonly OwnPrefix[], soapVersion: SoapVersion) {
    this.#ofWsdl = ofWsdl
    this.#own = { ...own, soapenv: soapVersions[soapVersion].envelope }
    this.#used = new Map(used.map((prefix) => [this.#own[prefix], prefix]))
  }

  nameOf(name: QName): string {
    const namespace = namespaceOf(name)
    return namespace === '' ? localOf(name) : `${this.#prefixOf(namespace)}:${localOf(name)}`
  }

  declarations(): string {
    return [...this.#used].map(([namespace, prefix]) => `\n    xmlns:${prefix}="${escapeText(namespace)}"`).join('')
  }

  #prefixOf(namespace: string): string {
    if (namespace === namespaces.xml) return 'xml'
    const known = this.#used.get(namespace)
    if (known !== undefined) return known
    const prefix = this.#choose(namespace)
    this.#used.set(namespace, prefix)
    return prefix
  }

  #choose(namespace: string): string {
    const [reserved] = Object.entries(this.#own).find(([, known]) => known === namespace) ?? []
    if (reserved !== undefined) return reserved
    const taken = new Set([...this.#used.values(), ...Object.keys(own)])
    const wished = this.#ofWsdl.get(namespace)
    if (wished !== undefined && plain.test(wished) && !taken.has(wished)) return wished
    let count = 1
    while (taken.has(`ns${count}`)) count++
    return `ns${count}`
  }
}
