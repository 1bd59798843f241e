/** `permission denied for schema crm` -> the command that grants the right. Pure. */

/** Undefined for other messages, such as those in another language. */
export function cureOfDenied(message: string, role: string | undefined): string | undefined {
  const [, kind = '', name = ''] = /^permission denied for ([a-z ]+?) (\S.*)$/.exec(message) ?? []
  const right = rights.find(([pattern]) => pattern.test(kind))?.[1]
  return (
    right &&
    `let the owner run GRANT ${right} ${name} TO ${role === undefined ? 'the role of the datasource' : quoted(role)}`
  )
}

function quoted(role: string): string {
  return /^[a-z_][a-z0-9_$]*$/.test(role) ? role : `"${role.replaceAll('"', '""')}"`
}

/** Views and foreign tables have the rights of tables; a statement may need several of them. */
const rights: readonly (readonly [kind: RegExp, right: string])[] = [
  [/^schema$/, 'USAGE ON SCHEMA'],
  [/^sequence$/, 'USAGE ON SEQUENCE'],
  [/^function$/, 'EXECUTE ON FUNCTION'],
  [/^procedure$/, 'EXECUTE ON PROCEDURE'],
  [/^(?:.* )?(?:table|view|relation)$/, 'SELECT (or INSERT, UPDATE, DELETE) ON'],
]
