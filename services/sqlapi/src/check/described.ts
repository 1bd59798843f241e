/** What a database has said of the statements of a file -> remarks. Pure. */
import { dialects } from '../dialects.ts'
import type { CatalogNames, DescribedColumn, OfflineDescription, StatementDescription } from '../description.ts'
import { codes } from '../findings/codes.ts'
import type { Remark } from '../findings/finding.ts'
import type { Dialect, Script, Statement } from '../model.ts'
import { Reading } from '../rules/reading.ts'
import { cureOfName } from './nearest-name.ts'
import { usualCure } from './usual-cures.ts'

export interface DescribedFile {
  readonly script: Script
  readonly dialect: Dialect
  /** Of each statement. */
  readonly descriptions: readonly (StatementDescription | OfflineDescription)[]
  /** Of the database; undefined where they are not known. */
  readonly names: CatalogNames | undefined
}

type Failed = Extract<StatementDescription, { outcome: 'failed' }>

export function remarksOf(file: DescribedFile): Remark[] {
  const { script, descriptions } = file
  return [
    ...descriptions.flatMap((description, index) => remarkOf(description, script.statements[index] as Statement, file)),
    ...duplicateKeys(file),
  ]
}

function remarkOf(
  description: StatementDescription | OfflineDescription,
  statement: Statement,
  file: DescribedFile,
): Remark[] {
  // What is refused without asking is a rule's affair (rules/judge.ts).
  if (statement.refusal !== undefined || description.outcome === 'parsed') return []
  if (description.outcome !== 'failed') {
    const message = description.outcome === 'described' ? description.doubt : description.reason
    const { line, column } = statement
    return message === undefined ? [] : [{ code: 'not-checked', line, column, message }]
  }
  const { mistake, line, column, detail } = description
  const message = withNames(
    detail === undefined ? description.message : `${description.message} (${detail})`,
    statement,
    file.dialect,
  )
  return [{ code: mistake, line, column, message, cure: cureOf(description, statement, file) }]
}

/** Nobody knows `$2` or `?2`, which is what the database was given. */
function withNames(message: string, { names }: Statement, dialect: Dialect): string {
  return message.replaceAll(dialects[dialect].grammar.numbered, (number, digits: string) => {
    const name = names[Number(digits) - 1]
    return name === undefined ? number : `:${name}`
  })
}

/** Hints of servers that say more than the table of codes. */
const guesses = /"[^"]+"|«[^»]+»|„[^“]+“/

function cureOf(failed: Failed, statement: Statement, file: DescribedFile): string {
  const { mistake, message, line, column, hint } = failed
  if (hint !== undefined && (mistake === 'unknown-column' || mistake === 'unknown-table') && guesses.test(hint)) {
    return asCure(hint)
  }
  const { dialect, names } = file
  const at = { line, column }
  const meant = names === undefined ? undefined : cureOfName(statement, dialect, { mistake, message, at, names })
  if (meant !== undefined) return meant
  const usual = usualCure(mistake, statement, dialect, at)
  if (usual !== undefined) return usual
  // The hint would be about casts.
  return hint === undefined || mistake === 'unknown-function' ? codes[mistake].cure : asCure(hint)
}

function asCure(hint: string): string {
  return hint.replace(/\.$/, '')
}

/** Whether names of the catalogue may help with any of these. */
export function isAboutNames(description: StatementDescription): boolean {
  return description.outcome === 'failed' && description.mistake.startsWith('unknown-')
}

/**
 * Of the statement that answers: the last one with a result. Not where one behind it may have a result that nobody
 * knows.
 */
function duplicateKeys({ script, descriptions, dialect }: DescribedFile): Remark[] {
  const index = descriptions.findLastIndex((each) => each.outcome !== 'described' || each.columns !== undefined)
  const description = descriptions[index]
  if (description?.outcome !== 'described') return []
  const statement = script.statements[index] as Statement
  const groups = Map.groupBy(description.columns ?? [], ({ key }) => key)
  const doubled = Array.from(groups.values()).filter(({ length }) => length > 1)
  // Where several come from a `*` one remark is enough.
  const places = Map.groupBy(doubled, (own) => {
    const { line, column } = positionOfColumn(statement, dialect, own.at(-1) as DescribedColumn)
    return `${line}:${column}`
  })
  return Array.from(places, ([place, keys]): Remark => {
    const [line = 1, column = 1] = place.split(':').map(Number)
    return { code: 'duplicate-key', line, column, message: keys.map(tellKey).join('; ') }
  })
}

function tellKey(own: readonly DescribedColumn[]): string {
  const spelled = [...new Set(own.map(({ column }) => column))].join(', ')
  return `${own.length} columns (${spelled}) have the key ${own[0]?.key}, which gets the value of the last one`
}

/** Where the select list ends with an item of this name, if it does; else the beginning of the statement. */
function positionOfColumn(
  statement: Statement,
  dialect: Dialect,
  { column }: DescribedColumn,
): { line: number; column: number } {
  const reading = new Reading(statement, dialects[dialect].grammar)
  let found = 0
  for (let at = 0; at < reading.tokens.length; at++) {
    const text = reading.textAt(at)
    if (text === '(' || text === '[') at = reading.closingOf(at)
    else if (reading.wordAt(at) === 'FROM') break
    else if (reading.nameAt(at) === column.toLowerCase()) found = at
  }
  return reading.positionOf(found)
}
