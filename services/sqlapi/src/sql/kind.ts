/** A script -> what calling it may do to the data, by its words: nothing, change data, change the schema. */
import type { Script, Statement } from '../model.ts'
import type { Grammar } from './grammar.ts'
import { lex } from './lex.ts'

const kinds = ['read', 'write', 'definition'] as const

export type Kind = (typeof kinds)[number]

/** That of the statement that does most. */
export function kindOf({ statements }: Script, grammar: Grammar): Kind {
  const all = new Set(statements.map((statement) => kindOfStatement(statement, grammar)))
  return kinds.findLast((kind) => all.has(kind)) ?? 'read'
}

const definitions = new Set(['CREATE', 'ALTER', 'DROP'])
const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'REPLACE'])

/** First words of statements of the session that change no data. */
const reads = new Set(
  'SELECT VALUES WITH TABLE SHOW SET RESET BEGIN START COMMIT END ROLLBACK ABORT SAVEPOINT RELEASE DECLARE FETCH MOVE CLOSE LISTEN UNLISTEN LOCK DISCARD DEALLOCATE PREPARE ATTACH DETACH'.split(
    ' ',
  ),
)

function kindOfStatement({ effect, pieces }: Statement, grammar: Grammar): Kind {
  if (effect !== 'session') return effect
  const text = pieces.join(' ')
  const words = lex(text, grammar)
    .filter(({ kind }) => kind === 'word')
    .map(({ start, end }) => text.slice(start, end).toUpperCase())
  const [first = ''] = words
  if (definitions.has(first)) return 'definition'
  if (words.some((word) => changes.has(word))) return 'write'
  // Setting one has a sign; asking for one may have parentheses.
  if (first === 'PRAGMA') return text.includes('=') ? 'write' : 'read'
  return reads.has(first) ? 'read' : 'write'
}
