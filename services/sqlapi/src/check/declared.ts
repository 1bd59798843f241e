/**
 * What of a file's declarations only a check looks at, and no start: its YAML comment, codes that it allows, keys that
 * its rows do not have. Pure.
 */
import { nearest } from '@services/config-file'
import { readYamlComment } from '../declarations/yaml-comment.ts'
import type { StatementDescription } from '../description.ts'
import { codeNames, isCode } from '../findings/codes.ts'
import type { Remark } from '../findings/finding.ts'
import type { Declarations, Endpoint } from '../model.ts'

/** `descriptions` of the statements, where a database was asked. */
export function remarksOnDeclarations(
  { declarations }: Endpoint,
  descriptions: readonly StatementDescription[] | undefined,
): Remark[] {
  if (declarations === undefined) return []
  return [...unreadYaml(declarations), ...unknownCodes(declarations), ...unknownKeys(declarations, descriptions)]
}

/** Nothing ever checked these comments, so one that cannot be read is no more than an info. */
function unreadYaml({ yaml }: Declarations): Remark[] {
  const read = yaml === undefined ? undefined : readYamlComment(yaml)
  return read === undefined || !('message' in read) ? [] : [{ code: 'declaration', severity: 'info', ...read }]
}

function unknownCodes({ allow }: Declarations): Remark[] {
  return allow.flatMap(({ code, line, column }): Remark[] => {
    if (isCode(code)) return []
    const cure = did(nearest(code, codeNames)) ?? `the codes are ${codeNames.join(', ')}`
    return [{ code: 'declaration', line, column, message: `there is no code ${JSON.stringify(code)}`, cure }]
  })
}

function unknownKeys(
  { results }: Declarations,
  descriptions: readonly StatementDescription[] | undefined = [],
): Remark[] {
  const keys = keysOf(descriptions)
  if (keys === undefined) return []
  return results.flatMap(({ key, line, column }): Remark[] => {
    if (keys.includes(key)) return []
    const cure = did(nearest(key, keys)) ?? `the keys are ${keys.join(', ')}`
    return [{ code: 'declaration', line, column, message: `the rows have no key ${JSON.stringify(key)}`, cure }]
  })
}

/** Of the last statement that gives rows; nothing where none does, or where it is not known. */
function keysOf(descriptions: readonly StatementDescription[]): readonly string[] | undefined {
  const described = descriptions.flatMap((each) => (each.outcome === 'described' ? [each] : []))
  if (described.length < descriptions.length) return undefined
  return described.findLast(({ columns }) => columns !== undefined)?.columns?.map(({ key }) => key)
}

function did(meant: string | undefined): string | undefined {
  return meant === undefined ? undefined : `did you mean ${meant}?`
}
