/**
 * The table of codes: what a finding may be about, how severe that is, and what to do when nobody knows better. A new
 * code is a row here and one in docs/check.md. What can run is not an error.
 */

/** The most severe first. */
export const severities = ['error', 'warning', 'info'] as const

export type Severity = (typeof severities)[number]

interface CodeRow {
  readonly severity: Severity
  readonly cure: string
}

export const codes = {
  file: { severity: 'error', cure: 'correct the file; the service does not start with it' },
  syntax: { severity: 'error', cure: 'correct the statement at this place' },
  'unknown-table': { severity: 'error', cure: 'correct the name, or create the table' },
  'unknown-column': { severity: 'error', cure: 'correct the name, or add the column to its table' },
  'unknown-function': { severity: 'error', cure: 'correct the name or the arguments, or create the function' },
  'unknown-name': { severity: 'error', cure: 'correct the name, or create what it names' },
  ambiguous: { severity: 'error', cure: 'put the table, or its alias, in front of the name: table.column' },
  type: { severity: 'error', cure: 'make the types agree, by another value or by a cast' },
  'parameter-type': { severity: 'error', cure: 'cast the parameter: :name::type, or cast(:name AS type)' },
  permission: { severity: 'error', cure: 'grant the right to the role of the datasource, or connect as another role' },
  datasource: {
    severity: 'error',
    cure: 'add a datasource of this name, a line to project_datasource_map, or default_datasource',
  },
  lock: { severity: 'error', cure: 'look at the change, then write the lock file again with check --write' },
  'ignored-folder': { severity: 'warning', cure: 'move it to where files are read, or out of sql_dir' },
  'duplicate-key': { severity: 'warning', cure: 'give one of the columns another name: AS other_name' },
  'write-in-get': { severity: 'warning', cure: 'move the file into the folder POST' },
  'rows-lost': { severity: 'warning', cure: 'move it to a file of its own' },
  'lost-semicolon': { severity: 'warning', cure: 'put a semicolon in front of it' },
  'no-where': { severity: 'warning', cure: 'add a WHERE; WHERE true says that all rows are meant' },
  'transaction-control': { severity: 'warning', cure: 'remove the statement, or the marker -- @transactional' },
  declaration: { severity: 'warning', cure: 'correct the line, or write it as a plain comment' },
  'list-position': { severity: 'warning', cure: 'put the parameter alone between the brackets: IN (:names)' },
  'list-undeclared': { severity: 'warning', cure: 'declare it: -- @param name integer[]' },
  'quoted-parameter': { severity: 'warning', cure: 'take the parameter out of the quotes' },
  'foreign-placeholder': { severity: 'warning', cure: 'write a colon and a name: :name' },
  'parameter-case': { severity: 'warning', cure: 'write the name alike everywhere' },
  'constant-parameter': { severity: 'warning', cure: 'write a CASE that names the columns' },
  'replica-mark': { severity: 'warning', cure: 'remove the marker -- @replica' },
  'session-change': { severity: 'info', cure: 'nothing has to be done' },
  'not-checked': { severity: 'info', cure: 'call the endpoint once to see that it runs' },
  'slow-plan': { severity: 'info', cure: 'add an index for the condition, or a narrower condition' },
} as const satisfies Record<string, CodeRow>

export type Code = keyof typeof codes

export const codeNames = Object.keys(codes) as Code[]

export function isCode(name: string): name is Code {
  return Object.hasOwn(codes, name)
}
