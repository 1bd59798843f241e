/**
 * What the catalogue of a server is asked about stored code, and its rows as values. harmless.ts says what they mean,
 * session-code.ts remembers it.
 */
import { type Dependency, isNotHarmless, type Routine } from './harmless.ts'

export type Rows = readonly (readonly (string | null)[])[]

/** Asks the catalogue. `values` are texts for `$1` and on. */
export type Ask = (query: string, values: readonly string[]) => Promise<Rows>

/** More routines than this are not read: each statement is taken for one that may change the session. */
export const maxRoutines = 20_000
/** A routine with a longer source is not read. */
const maxSource = 256 * 1024
/** Of what is reported. */
export const maxFindings = 100

const notTemporary = `pronamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname ~ '^pg_temp_')`
/** Objects below this number come with the server. */
const firstOwn = 16_384

const riskyBuiltins = `SELECT oid, proname FROM pg_proc
  WHERE oid < ${firstOwn} AND provolatile = 'v' AND prorettype <> 'trigger'::regtype AND ${isNotHarmless}`

/** What is in an expression that is stored as a tree when it calls one of them. */
const risky = `risky AS (${riskyBuiltins}),
call AS (SELECT ':funcid (' || string_agg(oid::text, '|') || ') ' AS pattern FROM risky)`

export const queries = {
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

export function toRoutine(row: readonly (string | null)[]): Routine {
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

export function toDependency([user, used]: readonly (string | null)[]): Dependency {
  return { user: user ?? '', used: used ?? '' }
}
