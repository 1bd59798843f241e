/**
 * Which stored routines of a database may change the session: routines as the catalogue has them, and who depends on
 * whom -> the risky ones with the reason. A routine is harmless when its language and its words show it, else it is
 * risky. Pure.
 */
import { readBody } from './routine-body.ts'

/** A function, procedure or aggregate that does not come with the server. */
export interface Routine {
  readonly id: string
  readonly name: string
  readonly language: string
  /** `i`, `s` or `v`: immutable, stable, volatile. */
  readonly volatility: string
  /** The extension that it belongs to; empty for none. */
  readonly extension: string
  /** Empty where the body was parsed at its definition; undefined where the text is too long to be read. */
  readonly source: string | undefined
  /** It calls, by number, a function of the server that may change the session. */
  readonly callsRisky: boolean
}

/** What one look at a routine tells, without those that it calls. */
export interface Judgement {
  readonly name: string
  readonly reason: string | undefined
  readonly calls: ReadonlySet<string>
}

/** `user` depends on `used`; both are ids of routines. */
export interface Dependency {
  readonly user: string
  readonly used: string
}

/**
 * Functions of the server that are volatile and leave nothing behind in the session, as names and as patterns of LIKE.
 * All others that are volatile are risky, also those of versions to come; the immutable and stable ones change nothing
 * by definition.
 */
const harmlessNames = [
  'current_query pg_trigger_depth pg_notification_queue_usage pg_export_snapshot',
  'random random_normal array_sample array_shuffle clock_timestamp timeofday gen_random_uuid uuidv4 uuidv7',
  'nextval setval loread lowrite pg_notify pg_is_in_recovery pg_cancel_backend pg_terminate_backend pg_blocking_pids',
  'pg_stat_file pg_sequence_last_value pg_lock_status pg_logical_emit_message pg_reload_conf',
  'plpgsql_validator bernoulli system amvalidate',
].flatMap((names) => names.split(' '))
const harmlessPatterns = [
  'lo_% pg_sleep% pg_advisory_xact_lock% pg_try_advisory_xact_lock% txid_% pg_xact_% pg_current_% pg_last_%',
  'pg_%_size pg_stat_get_% pg_ls_% pg_read_% pg_partition_% %handler dsnowball_%',
].flatMap((patterns) => patterns.split(' '))

/**
 * The condition of SQL that the name of a function is none of these. A regular expression says the same in one line,
 * and takes PostgreSQL a hundred times as long: it is read again for each of five hundred functions, at each look.
 */
export const isNotHarmless = `proname NOT IN (${harmlessNames.map((name) => `'${name}'`).join(', ')})
  AND proname NOT LIKE ALL (ARRAY[${harmlessPatterns.map((pattern) => `E'${pattern.replaceAll('_', String.raw`\\_`)}'`).join(', ')}])`

/**
 * Extensions whose functions in C are known to leave nothing behind, except for those that the pattern names: they set
 * something, or run SQL that they are given.
 */
const knownExtensions: Readonly<Record<string, RegExp>> = {
  pg_trgm: /^set_limit$/,
  isn: /^isn_weak$/,
  tablefunc: /^(?:crosstab|connectby)/,
  xml2: /^xpath_table$/,
  hll: /^hll_set_/,
  ...Object.fromEntries(
    [
      'amcheck|autoinc|bloom|btree_gin|btree_gist|citext|cube|dict_int|dict_xsyn|earthdistance|file_fdw|fuzzystrmatch|hstore',
      'insert_username|intagg|intarray|lo|ltree|moddatetime|pageinspect|pg_buffercache|pg_freespacemap|pg_prewarm|pgrowlocks',
      'pg_stat_statements|pgstattuple|pg_visibility|pg_walinspect|pgcrypto|postgres_fdw|refint|seg|sslinfo|tcn',
      'tsm_system_rows|tsm_system_time|unaccent|uuid-ossp|vector|postgis|postgis_raster|postgis_sfcgal',
    ]
      .flatMap((names) => names.split('|'))
      .map((name) => [name, /^$/]),
  ),
}

export function judge(routine: Routine): Judgement {
  const { name, language, source, callsRisky } = routine
  const judged = (reason: string | undefined, calls: ReadonlySet<string> = new Set()): Judgement => ({
    name: name.toLowerCase(),
    reason: callsRisky ? 'calls a function of the server that changes the session' : reason,
    calls,
  })
  switch (language) {
    case 'sql':
    case 'plpgsql': {
      if (source === undefined) return judged('is too long to be read')
      const { reason, calls } = readBody(source, language)
      return source === '' && language === 'sql' ? judged(undefined) : judged(reason, calls)
    }
    // The code of an aggregate, or one more name for code of the server.
    case 'internal':
      return judged(undefined)
    case 'c':
      return judged(reasonOfC(routine))
    default:
      return judged(`is written in ${language}`)
  }
}

function reasonOfC({ name, volatility, extension }: Routine): string | undefined {
  const risky = knownExtensions[extension]
  if (risky !== undefined) return risky.test(name) ? 'sets something, or runs SQL that it is given' : undefined
  return volatility === 'i' ? undefined : 'is written in C, and what it does is not known'
}

/**
 * The risky routines of a database, each with the reason. `builtins` are the lower-cased names of the server's risky
 * functions.
 */
export function findRisky(
  judgements: ReadonlyMap<string, Judgement>,
  dependencies: readonly Dependency[],
  builtins: ReadonlySet<string>,
): Map<string, string> {
  const risky = new Map<string, string>()
  const callers = groupBy([...judgements].flatMap(([id, { calls }]) => [...calls].map((name) => [name, id] as const)))
  const users = groupBy(dependencies.map(({ user, used }) => [used, user] as const))
  const open: string[] = []
  const add = (id: string, reason: string): void => {
    if (risky.has(id) || !judgements.has(id)) return
    risky.set(id, reason)
    open.push(id)
  }
  for (const [id, { reason }] of judgements) if (reason !== undefined) add(id, reason)
  for (const name of builtins) for (const id of callers.get(name) ?? []) add(id, `calls ${name}`)
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const { name } = judgements.get(id) as Judgement
    for (const caller of [...(callers.get(name) ?? []), ...(users.get(id) ?? [])]) add(caller, `calls ${name}`)
  }
  return risky
}

function groupBy(pairs: readonly (readonly [key: string, id: string])[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const [key, id] of pairs) {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [id])
    else group.push(id)
  }
  return groups
}
