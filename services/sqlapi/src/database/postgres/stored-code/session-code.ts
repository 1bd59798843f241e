/**
 * What the code that is stored in a database may do to the session, as far as one datasource has found out: the
 * routines that may change it, and whether a statement can reach one without naming it (by a trigger, a view, a default
 * ..). Asks the catalogue on a connection of the caller; reads each routine once, as long as it does not change.
 * harmless.ts judges them.
 */
import { type Dependency, findRisky, isNotHarmless, judge, type Judgement, type Routine } from './harmless.ts'

type Rows = readonly (readonly (string | null)[])[]

/** Asks the catalogue. `values` are texts for `$1` and on. */
export type Ask = (query: string, values: readonly string[]) => Promise<Rows>

/** Code that costs every request of the datasource a reset. */
export interface Finding {
  /** Name of the routine and who uses it, or the object that is at fault itself. */
  readonly code: string
  readonly reason: string
}

/** More routines than this are not read: each statement is taken for one that may change the session. */
const maxRoutines = 20_000
/** Names of a routine's calls that are kept for all routines together. */
const maxCalls = 500_000
/** A routine with a longer source is not read. */
const maxSource = 256 * 1024
/** How many routines are read at a time, so that requests have their turn in between. */
const pageSize = 50
/** Reading goes on with the next question after this time. */
const readingMs = 200
const maxFindings = 100

const notTemporary = `pronamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname ~ '^pg_temp_')`
/** Objects below this number come with the server. */
const firstOwn = 16_384

const riskyBuiltins = `SELECT oid, proname FROM pg_proc
  WHERE oid < ${firstOwn} AND provolatile = 'v' AND prorettype <> 'trigger'::regtype AND ${isNotHarmless}`

/** What is in an expression that is stored as a tree when it calls one of them. */
const risky = `risky AS (${riskyBuiltins}),
call AS (SELECT ':funcid (' || string_agg(oid::text, '|') || ') ' AS pattern FROM risky)`

const queries = {
  builtins: `SELECT DISTINCT proname FROM (${riskyBuiltins}) AS risky`,
  routines: `SELECT oid, xmin FROM pg_proc WHERE oid >= ${firstOwn} AND ${notTemporary} LIMIT ${maxRoutines + 1}`,
  /** Arguments may have defaults, and an aggregate is made of functions. */
  sources: `WITH ${risky}
SELECT p.oid, p.proname, l.lanname, p.provolatile,
  (SELECT e.extname FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid WHERE d.deptype = 'e'
    AND d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_extension'::regclass LIMIT 1),
  CASE WHEN length(p.prosrc) <= ${maxSource} THEN p.prosrc END,
  concat(to_jsonb(p) ->> 'prosqlbody', p.proargdefaults::text) ~ call.pattern
    OR l.lanname = 'internal' AND p.prosrc IN (SELECT b.prosrc FROM pg_proc b JOIN risky r ON r.oid = b.oid)
    OR EXISTS (SELECT FROM pg_aggregate a JOIN risky r
      ON r.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)
      WHERE a.aggfnoid = p.oid)
FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang CROSS JOIN call WHERE p.oid = ANY ($1::oid[])`,
  dependencies: `SELECT objid, refobjid FROM pg_depend
WHERE classid = 'pg_proc'::regclass AND refclassid = 'pg_proc'::regclass AND objid >= ${firstOwn}`,
  /** Languages, foreign data wrappers and transforms serve functions that are judged by themselves. */
  users: `SELECT refobjid, pg_describe_object(classid, objid, objsubid), classid = 'pg_trigger'::regclass FROM pg_depend
WHERE refclassid = 'pg_proc'::regclass AND refobjid = ANY ($1::oid[]) AND classid NOT IN
  ('pg_proc'::regclass, 'pg_language'::regclass, 'pg_foreign_data_wrapper'::regclass, 'pg_transform'::regclass, 'pg_extension'::regclass)
ORDER BY 3 LIMIT ${maxFindings}`,
  /**
   * Expressions name functions by number, and those of the server leave no dependency. A rule of pg_settings sets
   * settings.
   */
  stored: `WITH ${risky},
stored(class, id, part, expression) AS (
  SELECT 'pg_rewrite'::regclass, oid, 0, ev_action::text FROM pg_rewrite WHERE oid >= ${firstOwn}
  UNION ALL SELECT 'pg_attrdef'::regclass, oid, 0, adbin::text FROM pg_attrdef
  UNION ALL SELECT 'pg_type'::regclass, oid, 0, typdefaultbin::text FROM pg_type WHERE oid >= ${firstOwn}
  UNION ALL SELECT 'pg_policy'::regclass, oid, 0, concat(polqual::text, polwithcheck::text) FROM pg_policy
  UNION ALL SELECT 'pg_constraint'::regclass, oid, 0, conbin::text FROM pg_constraint WHERE oid >= ${firstOwn}
  UNION ALL SELECT 'pg_trigger'::regclass, oid, 0, tgqual::text FROM pg_trigger
  UNION ALL SELECT 'pg_class'::regclass, indexrelid, 0, concat(indexprs::text, indpred::text) FROM pg_index
    WHERE indexrelid >= ${firstOwn}
  UNION ALL SELECT 'pg_class'::regclass, partrelid, 0, partexprs::text FROM pg_partitioned_table
  UNION ALL SELECT 'pg_operator'::regclass, oid, 0, ':funcid ' || oprcode::oid || ' ' FROM pg_operator WHERE oid >= ${firstOwn}
  UNION ALL SELECT 'pg_cast'::regclass, oid, 0, ':funcid ' || castfunc || ' ' FROM pg_cast WHERE oid >= ${firstOwn}
)
SELECT pg_describe_object(class, id, part), CASE WHEN expression ~ call.pattern
  THEN 'calls a function of the server that changes the session' ELSE 'reads pg_settings, which can be written' END, class = 'pg_trigger'::regclass
FROM stored, call
WHERE expression ~ call.pattern OR class = 'pg_rewrite'::regclass AND expression ~ (':relid ' || 'pg_settings'::regclass::oid || ' ')
ORDER BY 3 LIMIT ${maxFindings}`,
}

export class SessionCode {
  /** Any statement may change the session; assumed until it is known. */
  isEverywhere = true
  /** Where it may, a trigger does it: nobody reaches it who only reads. */
  isBehindTriggers = false
  /** What there is was read at least once. */
  isKnown = false
  /** Counts up when another statement may be concerned than before. */
  version = 0
  /** Lower-cased names; a statement that holds one may change the session. */
  #names: ReadonlySet<string> = new Set()
  readonly #judged = new Map<string, { readonly version: string; readonly judgement: Judgement }>()
  /** Names that the judgements keep together. */
  #calls = 0
  #turns = 0
  #answered = 0
  readonly #told = new Set<string>()
  readonly #onFound: ((finding: Finding) => void) | undefined

  constructor(onFound?: (finding: Finding) => void) {
    this.#onFound = onFound
  }

  /**
   * Whether a statement names code that may change the session. The whole text counts, so that no way of quoting hides
   * a name.
   */
  isNamedIn(text: string, except?: ReadonlySet<string>): boolean {
    const plain = text.toLowerCase().replaceAll('""', '"')
    const words = new Set(plain.match(/[\w$\u0080-\uffff]+/g) ?? [])
    for (const name of this.#names) {
      if (except?.has(name) === true) continue
      if (words.has(name) || (!/^[\w$\u0080-\uffff]+$/.test(name) && plain.includes(name))) return true
    }
    return false
  }

  /**
   * Finds out what there is now. False when there is more to read: look again. Rejects where the catalogue gives no
   * answer.
   */
  async look(ask: Ask): Promise<boolean> {
    const turn = ++this.#turns
    const [routines, builtins, dependencies, stored] = await Promise.all([
      ask(queries.routines, []),
      ask(queries.builtins, []),
      ask(queries.dependencies, []),
      ask(queries.stored, []),
    ])
    if (routines.length > maxRoutines) {
      this.#tell({ code: `${maxRoutines} routines and more`, reason: 'are too many to be read' })
      this.isKnown = true
      this.#set(turn, true, this.#names)
      return true
    }
    const judgements = await this.#read(ask, routines)
    if (judgements === undefined) {
      this.#set(turn, true, this.#names)
      return false
    }
    const names = new Set(builtins.map(([name]) => name ?? ''))
    const found = findRisky(judgements, dependencies.map(toDependency), new Set([...names, 'pg_settings']))
    const users = found.size === 0 ? [] : await ask(queries.users, [`{${[...found.keys()].join(',')}}`])
    for (const [id, user] of users) {
      this.#tell({ code: `${judgements.get(id ?? '')?.name} (${user})`, reason: found.get(id ?? '') ?? '' })
    }
    for (const [object, reason] of stored) this.#tell({ code: object ?? '', reason: reason ?? '' })
    for (const id of found.keys()) names.add(judgements.get(id)?.name ?? '')
    this.isKnown = true
    const reached = [...users, ...stored]
    this.#set(
      turn,
      reached.length > 0,
      names,
      reached.length > 0 && reached.every(([, , isTrigger]) => isTrigger === 't'),
    )
    return true
  }

  /** Undefined if the time was not enough, or if another look has seen another state in the meantime. */
  async #read(ask: Ask, routines: Rows): Promise<ReadonlyMap<string, Judgement> | undefined> {
    const current = new Map(routines.map(([id, version]) => [id ?? '', version ?? '']))
    for (const [id, { version }] of this.#judged) if (current.get(id) !== version) this.#forget(id)
    const unknown = [...current.keys()].filter((id) => !this.#judged.has(id))
    const until = performance.now() + readingMs
    for (let at = 0; at < unknown.length; at += pageSize) {
      if (at > 0 && performance.now() > until) return undefined
      const page = unknown.slice(at, at + pageSize)
      for (const row of await ask(queries.sources, [`{${page.join(',')}}`])) this.#keep(toRoutine(row), current)
    }
    const judgements = new Map<string, Judgement>()
    for (const [id, version] of current) {
      const judged = this.#judged.get(id)
      if (judged?.version !== version) return undefined
      judgements.set(id, judged.judgement)
    }
    return judgements
  }

  #keep(routine: Routine, current: ReadonlyMap<string, string>): void {
    this.#forget(routine.id)
    const judgement = judge(routine)
    const isTooMuch = this.#calls + judgement.calls.size > maxCalls
    const kept = isTooMuch
      ? { ...judgement, reason: 'is one of too many to be read', calls: new Set<string>() }
      : judgement
    this.#calls += kept.calls.size
    this.#judged.set(routine.id, { version: current.get(routine.id) ?? '', judgement: kept })
  }

  #forget(id: string): void {
    this.#calls -= this.#judged.get(id)?.judgement.calls.size ?? 0
    this.#judged.delete(id)
  }

  #tell(finding: Finding): void {
    const key = `${finding.code}\n${finding.reason}`
    if (this.#told.has(key) || this.#told.size >= maxFindings) return
    this.#told.add(key)
    this.#onFound?.(finding)
  }

  /** A look that began before another one that has an answer already says nothing new. */
  #set(turn: number, isEverywhere: boolean, names: ReadonlySet<string>, isBehindTriggers = false): void {
    if (turn < this.#answered) return
    this.#answered = turn
    this.isEverywhere = isEverywhere
    this.isBehindTriggers = isBehindTriggers
    if (names.size === this.#names.size && [...names].every((name) => this.#names.has(name))) return
    this.#names = names
    this.version++
  }
}

function toRoutine(row: readonly (string | null)[]): Routine {
  const [id, name, language, volatility, extension, source, callsRisky] = row
  return {
    id: id ?? '',
    name: name ?? '',
    language: language ?? '',
    volatility: volatility ?? '',
    extension: extension ?? '',
    source: source ?? undefined,
    callsRisky: callsRisky === 't',
  }
}

function toDependency([user, used]: readonly (string | null)[]): Dependency {
  return { user: user ?? '', used: used ?? '' }
}
