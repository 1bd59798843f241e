/** Values that comments declare -> as they are in the description, with all digits of their numbers. Pure. */
import type { JsonType } from '../endpoint-types/json-types.ts'
import type { JsonValue } from '../model.ts'

/** What `JSON.stringify` writes as these digits; TypeScript does not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(this: void, text: string): unknown }

export function plainValue(value: JsonValue): unknown {
  if (typeof value !== 'object' || value === null) return value
  return 'digits' in value ? plainNumber(value.digits) : JSON.parse(value.text, keepDigits)
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined ? plainNumber(context.source) : value
}

function plainNumber(digits: string): unknown {
  return String(Number(digits)) === digits ? Number(digits) : rawJSON(digits)
}

/** A choice is written as a text; of a number or a boolean it is that. */
export function plainChoice(choice: string, type: JsonType | undefined): unknown {
  switch (type?.type) {
    case 'integer':
    case 'number':
      return number.test(choice) ? plainNumber(choice) : choice
    case 'boolean':
      return choice === 'true' || choice === 'false' ? choice === 'true' : choice
    case 'string':
    case 'array':
    case 'any':
    case undefined:
      return choice
  }
}

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
