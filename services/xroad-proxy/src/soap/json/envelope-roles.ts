/**
 * What an element is to SOAP, by its local name and by what its parent is, and the parts of a fault as they come up.
 * Knows SOAP 1.1 and 1.2; it ignores namespaces. Elements without a meaning in SOAP have no role.
 */
import type { Fault } from '../../model.ts'
import type { Json } from './json-text.ts'

export type Role = 'envelope' | 'header' | 'body' | 'fault' | 'code' | 'reason' | FaultRole

type FaultRole = 'fault code' | 'fault string' | 'fault text' | 'detail'

/** Collected on the way; each part counts where it is first. */
export interface FaultParts {
  isSeen?: boolean
  code?: string
  string?: string
  isEnglish?: boolean
  detail?: string
}

/** An element that has just ended. */
interface Element {
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

export function readFaultPart(parts: FaultParts, { role, text, value, language }: Element): void {
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
    case 'envelope':
    case 'header':
    case 'body':
    case 'code':
    case 'reason':
  }
}

/** One fault may tell its reason in several languages. */
function readReason(parts: FaultParts, text: string, isEnglish: boolean): void {
  if (parts.string !== undefined && (parts.isEnglish || !isEnglish)) return
  parts.string = text
  parts.isEnglish = isEnglish
}

export function toFault({ isSeen, code = '', string = '', detail }: FaultParts): Fault | undefined {
  return isSeen ? { code, string, detail } : undefined
}
