/**
 * The comment `/* declaration: ..` that files of the predecessor have: its YAML -> what it says of the endpoint, in
 * words. Only descriptions and enumerations are read, for people; nothing of it decides how a request is answered. What
 * has another shape than expected is passed over, because nothing ever checked these comments.
 */
import { type Data, isMapping, type Mapping, readYaml, textOf, YamlError } from '@services/config-file'
import { toCamelCase } from '../json/keys.ts'
import type { DeclarationProblem, YamlComment } from '../model.ts'

export interface Described {
  readonly description: string | undefined
  /** By the name in the SQL. */
  readonly params: ReadonlyMap<string, DescribedField>
  /** By the key in a row. */
  readonly results: ReadonlyMap<string, DescribedField>
}

export interface DescribedField {
  readonly description: string | undefined
  /** Of the value, or of each element of a list. */
  readonly enum: readonly string[] | undefined
}

/** What the comment says, or why it cannot be read. */
export function readYamlComment(comment: YamlComment): Described | DeclarationProblem {
  try {
    const declaration = group(readYaml(comment.text), 'declaration')
    const allowed = group(declaration, 'allowlist')
    return {
      description: textIn(declaration, 'description'),
      params: new Map([...fieldsIn(allowed, 'query'), ...fieldsIn(allowed, 'body')]),
      results: new Map(
        fieldsIn(group(declaration, 'response'), 'fields').map(([name, field]) => [toCamelCase(name), field]),
      ),
    }
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    return toProblem(error, comment)
  }
}

function toProblem({ message, line, column }: YamlError, comment: YamlComment): DeclarationProblem {
  return {
    line: comment.line + line - 1,
    column: line === 1 ? comment.column + column - 1 : column,
    message: `the comment is not YAML: ${message}`,
    cure: 'correct it, or say the same with -- @param and its like',
  }
}

function group(data: Mapping, key: string): Mapping {
  const value = data[key]
  return isMapping(value) ? value : {}
}

function textIn(data: Mapping, key: string): string | undefined {
  return textOf(data[key])?.trim() || undefined
}

function listIn(data: Mapping, key: string): readonly Data[] {
  const value = data[key]
  return Array.isArray(value) ? (value as readonly Data[]) : []
}

function fieldsIn(data: Mapping, key: string): [name: string, field: DescribedField][] {
  return listIn(data, key).flatMap((entry): [string, DescribedField][] => {
    const name = isMapping(entry) ? textIn(entry, 'field') : undefined
    if (!isMapping(entry) || name === undefined) return []
    const values = [...listIn(entry, 'enum'), ...listIn(group(entry, 'items'), 'enum')]
    const texts = values.flatMap((value) => textOf(value) ?? [])
    return [[name, { description: textIn(entry, 'description'), enum: texts.length === 0 ? undefined : texts }]]
  })
}
