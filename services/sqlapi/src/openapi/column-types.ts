/** The type of a column -> what its values are in the rows of a datasource, which may have shapes of its own. Pure. */
import type { Datasource } from '../boot/config/config.ts'
import type { DatabaseType } from '../description.ts'
import { dialects } from '../dialects.ts'
import { type JsonType, jsonTypeOfResult } from '../endpoint-types/json-types.ts'
import type { ColumnType } from './document/operation.ts'

/** Nothing where a value may be anything. */
export function columnType(
  type: DatabaseType | undefined,
  { dialect, results }: Pick<Datasource, 'dialect' | 'results'>,
): ColumnType | undefined {
  if (type === undefined) return undefined
  const { name, base = name } = type
  const plain = withoutLength(base)
  const element = plain.replace(/(?:\[\])+$/, '')
  const hasShapes = dialects[dialect].lacks.shapedValues === undefined
  const inShape = hasShapes ? shaped(element, results, plain !== element) : undefined
  if (inShape === undefined) return jsonTypeOfResult(type, dialect)
  return plain === element || inShape === 'pgobject' ? inShape : { type: 'array', items: inShape, mayNest: true }
}

/** `numeric(10,2)` and `timestamp(3) without time zone` are types with a length. */
export function withoutLength(name: string): string {
  return name.replaceAll(/\(\d+(?:,-?\d+)?\)/g, '')
}

function shaped(
  name: string,
  { numeric, json }: Datasource['results'],
  isElement: boolean,
): JsonType | 'pgobject' | undefined {
  // NaN and the infinities stay texts.
  if (name === 'numeric' && numeric === 'number') return { type: 'number', others: ['string'] }
  if ((name !== 'json' && name !== 'jsonb') || json === 'value') return undefined
  return isElement ? { type: 'string' } : 'pgobject'
}
