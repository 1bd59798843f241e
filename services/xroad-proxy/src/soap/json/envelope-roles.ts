/**
 * What an element is to SOAP, by its local name and by what its parent is, and the parts of a fault as they come up;
 * also the id of the message in its X-Road header. Knows SOAP 1.1 and 1.2; it ignores their namespaces. Elements
 * without a meaning in SOAP have no role.
 */
import type { Fault } from '../../model.ts'
import type { Json } from './json-text.ts'

export type Role = 'envelope' | 'header' | 'body' | 'id' | 'fault' | 'code' | 'reason' | FaultRole

type FaultRole = 'fault code' | 'fault string' | 'fault text' | 'detail'

/** Collected on the way; each part counts where it is first. */
export interface EnvelopeParts {
  /** What `id` of the X-Road header says, if it says anything. */
  messageId?: string
  isSeen?: boolean
  code?: string
  string?: string
  isEnglish?: boolean
  detail?: string
}

/** Its attributes are members of a JSON object. */
interface OpenElement {
  readonly name: string
  readonly attributes: Json
}

/** An element that has just ended. */
interface Element extends OpenElement {
  readonly role: Role
  /** Trimmed. */
  readonly text: string
  readonly value: Json
  /** Value of `xml:lang`. */
  readonly language: string | undefined
}

/** Parent -> local name -> role. */
const roles: ReadonlyMap<Role | 'document', ReadonlyMap<string, Role>> = new Map<
  Role | 'document',
  ReadonlyMap<string, Role>
>([
  [
    'document',
    new Map<string, Role>([
      ['Envelope', 'envelope'],
      ['Fault', 'fault'],
    ]),
  ],
  [
    'envelope',
    new Map<string, Role>([
      ['Header', 'header'],
      ['Body', 'body'],
    ]),
  ],
  ['header', new Map<string, Role>([['id', 'id']])],
  ['body', new Map<string, Role>([['Fault', 'fault']])],
  [
    'fault',
    new Map<string, Role>([
      ['faultcode', 'fault code'],
      ['faultstring', 'fault string'],
      ['detail', 'detail'],
      ['Code', 'code'],
      ['Reason', 'reason'],
      ['Detail', 'detail'],
    ]),
  ],
  ['code', new Map<string, Role>([['Value', 'fault code']])],
  ['reason', new Map<string, Role>([['Text', 'fault text']])],
])

export function roleOf(name: string, parent: Role | 'document' | undefined): Role | undefined {
  if (parent === undefined) return undefined
  return roles.get(parent)?.get(name.slice(name.lastIndexOf(':') + 1))
}

/** `around` are the elements around it, the root first. */
export function readPart(parts: EnvelopeParts, element: Element, around: readonly OpenElement[]): void {
  const { role, text, value, language } = element
  switch (role) {
    case 'fault':
      parts.isSeen = true
      break
    case 'fault code':
      parts.code ??= text
      break
    case 'fault string':
      parts.string ??= text
      break
    case 'fault text':
      readReason(parts, text, /^en(?:-|$)/i.test(language ?? ''))
      break
    case 'detail':
      parts.detail ??= String(value)
      break
    case 'id':
      if (text !== '' && parts.messageId === undefined && isXRoads(element, around)) parts.messageId = text
      break
    case 'envelope':
    case 'header':
    case 'body':
    case 'code':
    case 'reason':
  }
}

/** Begins and ends with a quote, as in JSON. */
const xroadNamespace = JSON.stringify('http://x-road.eu/xsd/xroad.xsd')

/** Whether an element is in that namespace. In JSON no quote inside a value stands alone. */
function isXRoads(element: OpenElement, around: readonly OpenElement[]): boolean {
  const colon = element.name.lastIndexOf(':')
  const declaration = `"@xmlns${colon === -1 ? '' : `:${element.name.slice(0, colon)}`}":`
  for (let place = around.length; place >= 0; place--) {
    const attributes = String((around[place] ?? element).attributes)
    if (attributes.startsWith(declaration)) return attributes.startsWith(xroadNamespace, declaration.length)
    const at = attributes.indexOf(`,${declaration}`)
    if (at !== -1) return attributes.startsWith(xroadNamespace, at + 1 + declaration.length)
  }
  return false
}

/** One fault may tell its reason in several languages. */
function readReason(parts: EnvelopeParts, text: string, isEnglish: boolean): void {
  if (parts.string !== undefined && (parts.isEnglish || !isEnglish)) return
  parts.string = text
  parts.isEnglish = isEnglish
}

export function toFault({ isSeen, code = '', string = '', detail }: EnvelopeParts): Fault | undefined {
  return isSeen ? { code, string, detail } : undefined
}
