/**
 * A statement -> which columns of its result may be null although they come straight from a column that is not: those
 * from the nullable side of an outer join, of a query that stands for a value, or of one that makes one row of many.
 * SQLite says from which table a column comes even then, and looks through views. There is no parser of it to ask, so
 * words decide; where they leave a doubt, a column may be null. Tables are distinguished by their names, as on
 * PostgreSQL.
 */
import { compounds, cutAt, holds, isQuery, mentions, type Word, wordTree } from './word-tree.ts'

/** What is known of the database, names in lower case. */
export interface Known {
  readonly views: ReadonlySet<string>
  readonly aggregates: ReadonlySet<string>
}

export interface Nullability {
  /**
   * Whether column number `index` of the result may be null, where it comes from a column of this table that is not.
   */
  mayBeNull(index: number, table: string): boolean
}

const unknown: Nullability = { mayBeNull: () => true }

export function findNullability(text: string, known: Known): Nullability {
  const words = wordTree(text)
  const tables = new NullableTables(known)
  tables.addStatement(words)
  if (tables.isDoubtful) return unknown
  return {
    mayBeNull(index, table) {
      const column = tables.columns[index]
      if (column?.isQuery === true) return true
      const isNullableAlias = column?.alias === undefined ? undefined : tables.aliases.get(column.alias)
      return isNullableAlias ?? tables.nullable.has(table.toLowerCase())
    },
  }
}

/** A column of the result, as the statement has it. */
interface ResultColumn {
  readonly isQuery: boolean
  /** `a` of a plain `a.b`. */
  readonly alias: string | undefined
}

interface Side {
  readonly isNullable: boolean
  /** The query of the statement itself. */
  readonly isTop: boolean
}

const top: Side = { isNullable: false, isTop: true }
const below: Side = { isNullable: false, isTop: false }

const clauses = new Set(['FROM', 'WHERE', 'GROUP', 'HAVING', 'WINDOW', 'ORDER', 'LIMIT'])
const joins = new Set([',', 'NATURAL', 'LEFT', 'RIGHT', 'FULL', 'INNER', 'CROSS', 'JOIN'])
const joinWords = new Set([...joins, 'OUTER'])

class NullableTables {
  readonly #known: Known
  /** Names of tables, and of queries in WITH. */
  readonly nullable = new Set<string>()
  /** Aliases in the FROM of the statement -> whether they stand on a nullable side. */
  readonly aliases = new Map<string, boolean>()
  /** Up to a star, behind which it is unclear which is which. */
  columns: readonly ResultColumn[] = []
  isDoubtful = false
  readonly #queries = new Map<string, (readonly Word[])[]>()

  constructor(known: Known) {
    this.#known = known
  }

  addStatement(words: readonly Word[]): void {
    const rest = this.#addQueries(words)
    const [first] = rest
    if (first?.word === 'SELECT') this.#addQuery(rest, top)
    else if (['INSERT', 'REPLACE', 'UPDATE', 'DELETE'].includes(first?.word ?? '')) this.#addReturning(rest)
    // VALUES have no tables; what an EXPLAIN gives comes from none.
    else this.isDoubtful = true
    if (mentions(words, this.#known.views)) this.isDoubtful = true
  }

  /** A row of the table that is changed. */
  #addReturning(words: readonly Word[]): void {
    const at = words.findLastIndex(({ word }) => word === 'RETURNING')
    this.#setColumns(words.slice(at + 1))
  }

  /** `WITH a AS (..), b AS (..)`; gives what is behind. */
  #addQueries(words: readonly Word[]): readonly Word[] {
    if (words[0]?.word !== 'WITH') return words
    const begin = new Set(['SELECT', 'VALUES', 'INSERT', 'REPLACE', 'UPDATE', 'DELETE'])
    const end = words.findIndex(({ word }) => begin.has(word))
    const found: [name: string, query: readonly Word[]][] = []
    for (const part of cutAt(words.slice(1, end), new Set([',']))) {
      const name = part.find(({ word, name: own }) => own !== '' && word !== 'RECURSIVE')?.name ?? ''
      const query = part.findLast(({ inside }) => inside !== undefined)?.inside
      if (query !== undefined) found.push([name, query])
    }
    for (const [name, query] of found) this.#queries.set(name, [...(this.#queries.get(name) ?? []), query])
    for (const [name, query] of found) this.#addQuery(query, { isTop: false, isNullable: this.nullable.has(name) })
    return words.slice(end)
  }

  #addQuery(words: readonly Word[], side: Side): void {
    const rest = this.#addQueries(words)
    const parts = cutAt(rest, compounds)
    const isCompound = parts.length > 1
    const inside = { isTop: side.isTop && !isCompound, isNullable: side.isNullable || isCompound }
    for (const part of parts) this.#addSelect(part, inside)
  }

  #addSelect(words: readonly Word[], side: Side): void {
    const [list = [], ...behind] = cutAt(words, clauses)
    if (side.isTop) this.#setColumns(list.slice(1))
    // Which column of it that is, nobody knows out there.
    else if (list.some(isValueQuery)) this.isDoubtful = true
    const isGrouped = behind.some(([first]) => first?.word === 'GROUP')
    const isOneRow = !isGrouped && (behind.some(([first]) => first?.word === 'HAVING') || this.#hasAggregate(words))
    const inside = { ...side, isNullable: side.isNullable || isOneRow }
    for (const [first, ...items] of behind) if (first?.word === 'FROM') this.#addItems(items, inside)
  }

  /** `count(x)`, with a FILTER or without, but not as a window: `sum(x) OVER (..)`. */
  #hasAggregate(words: readonly Word[]): boolean {
    return holds(words, ({ name }, index, all) => {
      if (!this.#known.aggregates.has(name) || all[index + 1]?.inside === undefined) return false
      const behind = all[index + 2]?.word === 'FILTER' ? index + 4 : index + 2
      return all[behind]?.word !== 'OVER'
    })
  }

  /** Tables, queries and joins in a FROM. */
  #addItems(words: readonly Word[], side: Side): void {
    const items: { readonly words: readonly Word[]; isNullable: boolean }[] = []
    let isNullable = false
    for (const part of cutAt(words, joins)) {
      const word = part[0]?.word
      if (word === 'LEFT' || word === 'FULL') isNullable = true
      if (word === 'RIGHT' || word === 'FULL') for (const item of items) item.isNullable = true
      const item = part.filter((each) => !joinWords.has(each.word))
      // Behind `LEFT` comes `JOIN`, a part by itself.
      if (item.length === 0) continue
      items.push({ words: item, isNullable })
      isNullable = false
    }
    for (const item of items) this.#addItem(item.words, { ...side, isNullable: side.isNullable || item.isNullable })
  }

  #addItem(words: readonly Word[], side: Side): void {
    const [first] = words
    if (first?.inside !== undefined) {
      if (isQuery(first)) this.#addQuery(first.inside, { ...side, isTop: false })
      else this.#addItems(first.inside, side)
      return
    }
    let at = 0
    while (words[at + 1]?.word === '.') at += 2
    const name = words[at]?.name ?? ''
    if (side.isTop) this.#addAlias(words.slice(at + 1), name, side)
    if (!side.isNullable || this.nullable.has(name)) return
    this.nullable.add(name)
    for (const query of this.#queries.get(name) ?? []) this.#addQuery(query, { ...below, isNullable: true })
  }

  #addAlias([first, second]: readonly Word[], table: string, { isNullable }: Side): void {
    if (this.#queries.has(table)) return
    const own = first?.word === 'AS' ? second : first
    const alias = own === undefined || notAliases.has(own.word) || own.name === '' ? table : own.name
    this.aliases.set(alias, isNullable || this.aliases.get(alias) === true)
  }

  #setColumns(list: readonly Word[]): void {
    const columns: ResultColumn[] = []
    let isUnclear = false
    for (const [index, part] of cutAt(list, new Set([','])).entries()) {
      const words = index === 0 ? part.filter(({ word }) => word !== 'DISTINCT' && word !== 'ALL') : part.slice(1)
      const holdsQuery = words.some(isValueQuery)
      isUnclear ||=
        words.at(-1)?.word === '*' && words.every(({ word, name }) => word === '*' || word === '.' || name !== '')
      if (isUnclear && holdsQuery) this.isDoubtful = true
      const isPlain = words[1]?.word === '.' && words[2]?.name !== '' && words[3]?.word !== '.'
      if (!isUnclear) columns.push({ isQuery: holdsQuery, alias: isPlain ? words[0]?.name : undefined })
    }
    this.columns = columns
  }
}

const notAliases = new Set(['ON', 'USING', 'INDEXED', 'NOT'])

/** Parentheses with a query in them, however deep. */
function isValueQuery(word: Word): boolean {
  return word.inside !== undefined && (isQuery(word) || word.inside.some(isValueQuery))
}
