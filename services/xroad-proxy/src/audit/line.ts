/**
 * What an exchange was -> its line in the audit file, one JSON object. Every value is text of one line however it came
 * in: JSON escapes line breaks, and what is left that nobody sees is escaped as well. Pure.
 */
import { createHmac } from 'node:crypto'
import { escapeUnseen } from '@services/observe'
import type { FailureSource } from '../model.ts'

/** One message to X-Road, or to a service that is called directly, and its response. Undefined for what nobody said. */
export interface AuditRecord {
  /** When the request came. */
  readonly time: Date
  /** That of the message. */
  readonly id: string | undefined
  readonly caller: string | undefined
  /** `EE/GOV/70000001/my-system` */
  readonly client: string | undefined
  /** `EE/GOV/70000002/registry/companies`; of a direct call `group/service`, its endpoint. */
  readonly service: string | undefined
  readonly version: string | undefined
  readonly lane: 'soap' | 'rest' | 'direct'
  readonly user: string | undefined
  /** That of the Security Server. */
  readonly requestHash: string | undefined
  /** Of the bodies, as the caller sent and got them. */
  readonly bytesIn: number
  readonly bytesOut: number
  readonly ms: number
  readonly upstreamMs: number
  readonly outcome: string
  readonly source: FailureSource | undefined
}

/** Characters of one value: some are as long as a caller likes. */
const maxLength = 4096

/** With its end. A key makes a hash of the user. */
export function toLine(record: AuditRecord, hashKey: string | undefined): string {
  const { user } = record
  const fields = {
    time: record.time.toISOString(),
    id: shown(record.id),
    caller: shown(record.caller),
    client: shown(record.client),
    service: shown(record.service),
    version: shown(record.version),
    lane: record.lane,
    ...(hashKey === undefined ? { user: shown(user) } : { user_hash: hashUser(user, hashKey) }),
    request_hash: shown(record.requestHash),
    bytes_in: record.bytesIn,
    bytes_out: record.bytesOut,
    ms: record.ms,
    upstream_ms: record.upstreamMs,
    outcome: record.outcome,
    source: record.source ?? null,
  }
  return `${escapeUnseen(JSON.stringify(fields))}\n`
}

function shown(text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  return text.length > maxLength ? `${text.slice(0, maxLength)}… (truncated)` : text
}

/** Of the whole text, in hexadecimal digits. */
function hashUser(user: string | undefined, key: string): string | null {
  return user ? createHmac('sha256', key).update(user).digest('hex') : null
}
