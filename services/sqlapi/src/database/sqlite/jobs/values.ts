/** Parameters of a request -> what SQLite binds. */
import { compact } from '../../../json/read.ts'
import type { JsonValue } from '../../../model.ts'
import { requireInt64 } from '../../int64.ts'
import type { SqliteValue } from '../worker-messages.ts'

/** Booleans become 0 and 1, arrays and objects compact JSON text. Throws for an integer that SQLite cannot hold. */
export function toSqlite(name: string, value: JsonValue): SqliteValue {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 1n : 0n
  if ('text' in value) return compact(value.text)
  if (value.kind === 'float') return Number(value.digits)
  requireInt64(name, value.digits)
  return BigInt(value.digits)
}
