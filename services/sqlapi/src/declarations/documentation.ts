/**
 * What a file says to the people who call it: its declarations, and where these are silent its YAML comment. Read when
 * somebody asks, and once: YAML takes a hundred times as long as all of the rest.
 */
import type { Declarations } from '../model.ts'
import { type Described, type DescribedField, readYamlComment } from './yaml-comment.ts'

export interface Documentation extends Described {
  readonly summary: string | undefined
  readonly tags: readonly string[]
  /** Why, or what to call instead; empty where the file does not say. */
  readonly deprecated: string | undefined
}

const known = new WeakMap<Declarations, Documentation>()

export function documentationOf(declarations: Declarations): Documentation {
  const documentation = known.get(declarations) ?? readDocumentation(declarations)
  known.set(declarations, documentation)
  return documentation
}

function readDocumentation(declarations: Declarations): Documentation {
  const { summary, tags, deprecated, yaml } = declarations
  const read = yaml === undefined ? undefined : readYamlComment(yaml)
  const described = read === undefined || 'message' in read ? undefined : read
  const params = new Map<string, DescribedField>(described?.params)
  for (const { name, description, enum: values } of declarations.params) {
    const said = params.get(name)
    params.set(name, { description: description ?? said?.description, enum: values ?? said?.enum })
  }
  const results = new Map<string, DescribedField>(described?.results)
  for (const { key, description } of declarations.results) {
    results.set(key, { description, enum: results.get(key)?.enum })
  }
  const description = declarations.description ?? described?.description
  return { summary, description, tags, deprecated, params, results }
}
