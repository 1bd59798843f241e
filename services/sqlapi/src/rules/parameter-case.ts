/**
 * A file -> the parameters whose names another parameter has in other letters. Both are asked for, because names are
 * case-sensitive, and hardly anybody means that.
 */
import type { Script } from '../model.ts'
import type { Position } from '../sql/position.ts'
import { Reading } from './reading.ts'
import type { TokenRules } from '../sql/grammar.ts'

export interface AlikeParameter extends Position {
  readonly name: string
  /** The one that the file has first. */
  readonly other: string
}

export function findAlikeParameters({ statements, parameters }: Script, rules: TokenRules): AlikeParameter[] {
  const firsts = new Map<string, string>()
  return parameters.flatMap((name) => {
    const key = name.toLowerCase()
    const other = firsts.get(key)
    if (other === undefined) {
      firsts.set(key, name)
      return []
    }
    const statement = statements.find(({ names }) => names.includes(name))
    if (statement === undefined) return []
    const reading = new Reading(statement, rules)
    const at = reading.tokens.findIndex(
      ({ kind }, index) => kind === 'parameter' && reading.textAt(index).slice(1) === name,
    )
    return [{ name, other, ...reading.positionOf(at) }]
  })
}
