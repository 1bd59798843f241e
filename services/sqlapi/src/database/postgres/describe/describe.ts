/**
 * Scripts -> what the server says of each statement, by preparing them without a name: nothing runs and nothing is
 * left. All statements go out behind each other. What their parameters are is found as the service finds it (types.ts);
 * the types of columns, and whether they can be null, are asked for once for all scripts (catalog-questions.ts,
 * nullability.ts).
 */
import { Failure } from '../../../errors.ts'
import { toCamelCase } from '../../../json/keys.ts'
import type { DescribedColumn, DescribedParameter, StatementDescription } from '../../../description.ts'
import type { Script, Statement } from '../../../model.ts'
import { type Dependence, dependencesOf } from '../../../sql/dependence.ts'
import { dependsOn, mayBeMade, toRefused, unchecked } from '../../described.ts'
import { grammar } from '../grammar.ts'
import { toFailure } from '../sessions/postgres-failures.ts'
import type { Session } from '../sessions/session.ts'
import type { ColumnDescription } from '../wire/frames.ts'
import { askForColumns, askForTypes, type ColumnFacts, type TypeNames } from './catalog-questions.ts'
import { askPatiently, type Question } from './lock-waits.ts'
import { toFailed } from './mistakes.ts'
import { askAboutInner, findLacks } from './lacks.ts'
import { findNullability } from './nullability.ts'
import { findTypesOf, type Typed } from './types.ts'
import { findVarying } from './varying.ts'
import { sqlStates } from '../plans/sql-states.ts'

export interface DescribeOptions {
  /** Whether the statement runs stored code that may change the session. */
  readonly reachesOut: (statement: Statement) => boolean
  /** Whether the types of values in columns, and what may be null, do not matter. */
  readonly isRough: boolean
  /** Whether to look up rights, and names that the server does not look at. */
  readonly looksUp: boolean
}

export async function describeScripts(
  session: Session,
  scripts: readonly Script[],
  options: DescribeOptions,
): Promise<readonly (readonly StatementDescription[])[]> {
  const questions = scripts.map((script) => questionsOf(session, script, options))
  try {
    const outcomes = await askPatiently(session, questions.flat())
    let at = 0
    return await complete(
      session,
      questions.map(({ length }) => outcomes.slice(at, (at += length))),
      options,
    )
  } catch (error) {
    // Nothing but a lost connection ends up here.
    throw error instanceof Failure ? error : toFailure(error, scripts[0]?.statements[0] as Statement)
  }
}

/** What the server has said, before the catalogue is asked. */
type Outcome =
  | {
      readonly statement: Statement
      readonly typed: Typed
      readonly varying: ReadonlySet<number>
      readonly mayOn: Statement | undefined
      /** The query in a command, which the server was asked about by itself. */
      readonly hasInner: boolean
    }
  | Exclude<StatementDescription, { outcome: 'described' }>

type TypedOutcome = Extract<Outcome, { typed: Typed }>

function isTyped(outcome: Outcome): outcome is TypedOutcome {
  return 'typed' in outcome
}

/** One for each statement. */
function questionsOf(session: Session, { statements }: Script, options: DescribeOptions): Question<Outcome>[] {
  const dependences = dependencesOf(statements, grammar, options.reachesOut)
  return statements.map((statement, index) => ({
    ask: () => askAbout(session, statement, dependences[index] as Dependence, options),
    isLocked: (outcome) => 'outcome' in outcome && outcome === locked,
  }))
}

async function askAbout(
  session: Session,
  statement: Statement,
  { on, mayOn }: Dependence,
  { isRough, looksUp }: DescribeOptions,
): Promise<Outcome> {
  if (statement.refusal !== undefined) return toRefused(statement, statement.refusal)
  if (on !== undefined) return dependsOn(on)
  const outcome = await findTypesOf(session, statement)
  if ('typed' in outcome) {
    const { typed } = outcome
    const varying = isRough ? new Set<number>() : await findVarying(session, statement, typed)
    const inner = looksUp ? await askAboutInner(session, statement) : undefined
    if (inner?.outcome === 'failed') return mayOn === undefined ? inner : dependsOn(mayOn)
    return { statement, typed, varying, mayOn, hasInner: inner !== undefined }
  }
  if (outcome.error.code === sqlStates.lockNotAvailable) return locked
  if (outcome.isUndecided) {
    return unchecked('no types were found for its parameters in time, which does not mean that there are none')
  }
  const failed = toFailed(outcome, statement)
  return mayOn !== undefined && mayBeMade(failed) ? dependsOn(mayOn) : failed
}

const locked = unchecked('what it needs is locked by somebody else')

async function complete(
  session: Session,
  outcomes: readonly (readonly Outcome[])[],
  { isRough, looksUp }: DescribeOptions,
): Promise<readonly (readonly StatementDescription[])[]> {
  const found = looksUp ? await findLacks(session, outcomes.flat().filter(isTyped)) : undefined
  const typed = outcomes.flat().flatMap((outcome) => ('typed' in outcome ? [outcome.typed] : []))
  const columns = typed.flatMap((each) => each.columns ?? [])
  const [names, facts] = await Promise.all([
    askForTypes(session, [
      ...columns,
      ...typed.flatMap(({ parameters }) =>
        parameters.flatMap(({ type }) => (type === undefined ? [] : [{ dataTypeID: type, typeModifier: -1 }])),
      ),
    ]),
    askForColumns(session, isRough ? [] : columns),
  ])
  return Promise.all(
    outcomes.map((ofScript) =>
      Promise.all(
        ofScript.map(async (outcome) => {
          if (!isTyped(outcome)) return outcome
          const said = found?.get(outcome)
          return said !== undefined && typeof said !== 'string' ? said : toDescribed(outcome, names, facts, said)
        }),
      ),
    ),
  )
}

async function toDescribed(
  { statement, typed, varying }: TypedOutcome,
  names: TypeNames,
  facts: ColumnFacts,
  doubt: string | undefined,
): Promise<StatementDescription> {
  const { text, parameters, columns } = typed
  const isNeverNull = (column: ColumnDescription): boolean => facts.tableOfNotNull(column) !== undefined
  const nullability = columns?.some(isNeverNull) === true ? await findNullability(text) : undefined
  return {
    outcome: 'described',
    parameters: statement.names.map((name, source): DescribedParameter => {
      const type = parameters[source]?.type
      return {
        name,
        type: type === undefined ? undefined : names.of({ dataTypeID: type, typeModifier: -1 }),
        isList: statement.slots.some((slot) => slot.source === source && slot.role !== 'value'),
      }
    }),
    doubt,
    columns: columns?.map((column, index): DescribedColumn => {
      const table = facts.tableOfNotNull(column)
      const isNotNull = table !== undefined && nullability?.mayBeNull(index, table) === false
      return {
        key: toCamelCase(column.name),
        column: column.name,
        type: varying.has(index) ? undefined : names.of(column),
        nullable: isNotNull ? false : undefined,
      }
    }),
  }
}
