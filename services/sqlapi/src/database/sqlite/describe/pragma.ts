/** Whether a statement is a PRAGMA, which may act when it is only prepared. */
import type { Statement } from '../../../model.ts'

const gap = String.raw`(?:\s|--[^\n]*\n|/\*[^]*?\*/)+`
const pragma = new RegExp(`^(?:EXPLAIN${gap}(?:QUERY${gap}PLAN${gap})?)?PRAGMA\\b`, 'i')

export function isPragma({ pieces }: Statement): boolean {
  return pragma.test(pieces[0] as string)
}
