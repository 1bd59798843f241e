/**
 * A file of an OpenAPI description as data: YAML or JSON, with the line of everything in it. What is there is for
 * the other files here. A mistake is a `DescriptionError` with file and line.
 */
import { readFileSync, statSync } from 'node:fs'
import {
  type Data,
  isMapping,
  Literal,
  locate,
  type Mapping,
  type Path,
  readYamlIn,
  withoutLiterals,
  type YamlLimits,
} from '@services/config-file'
import { maxDescriptionBytes } from '../dsl/description-files.ts'
import { lineInJson, lineOfDepth } from './json-lines.ts'
import { maxDepth } from './walk.ts'

export interface Document {
  /** As messages name it. */
  readonly file: string
  readonly text: string
  readonly data: Mapping
  /** Where something is in it, from 1. */
  lineOf(path: Path): number
}

/** What is wrong with a description, beginning with the file; it does not concern other files. */
export class DescriptionError extends Error {
  readonly isMissing: boolean

  constructor(message: string, { isMissing = false }: { readonly isMissing?: boolean } = {}) {
    super(message)
    this.name = 'DescriptionError'
    this.isMissing = isMissing
  }
}

/** The problem of a place in a document. */
export function refuse(document: Document, path: Path, message: string): never {
  throw new DescriptionError(`${document.file}:${document.lineOf(path)}: ${message}`)
}

/** Of one file. */
const limits: YamlLimits = {
  characters: maxDescriptionBytes,
  depth: 100,
  aliases: 1000,
}

const decoder = new TextDecoder('utf-8', { fatal: true })

export function readDocument(file: string): Document {
  const text = readText(file)
  const json = readJson(text)
  if (json !== undefined) {
    const tooDeep = lineOfDepth(text, maxDepth)
    if (tooDeep !== undefined) throw new DescriptionError(`${file}:${tooDeep}: nested deeper than ${maxDepth} levels`)
    return { file, text, data: json, lineOf: (path) => lineInJson(text, path) }
  }
  const places = locate(text, limits)
  return { file, text, data: readData(text, file), lineOf: (path) => places.lineOf(path) }
}

function readText(file: string): string {
  try {
    const status = statSync(file)
    // Reading a pipe or a device might never end.
    if (!status.isFile()) throw new DescriptionError(`${file}: is not a regular file`)
    if (status.size > maxDescriptionBytes)
      throw new DescriptionError(`${file}: is larger than ${maxDescriptionBytes} bytes, the limit for descriptions`)
    return decoder.decode(readFileSync(file))
  } catch (error) {
    if (error instanceof DescriptionError) throw error
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new DescriptionError(`${file}: is not UTF-8 text; save it as UTF-8`)
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new DescriptionError(`${file}: there is no such file`, { isMissing: true })
    throw new DescriptionError(`${file}: cannot be read (${code})`)
  }
}

/** Far faster than YAML. The reader of YAML, which knows lines, reports what is not JSON. */
function readJson(text: string): Mapping | undefined {
  if (!/^\s*\{/.test(text)) return undefined
  try {
    return JSON.parse(text) as Mapping
  } catch {
    return undefined
  }
}

function readData(text: string, file: string): Mapping {
  const data = readYamlIn(file, text, (message) => new DescriptionError(message), limits)
  return withVersions(data, withoutLiterals(data))
}

/** Many write `version: 1.0` without quotes, and mean a text. */
function withVersions(written: Mapping, data: Mapping): Mapping {
  const { openapi, info } = written
  const version = isMapping(info) ? info['version'] : undefined
  return {
    ...data,
    ...(openapi instanceof Literal ? { openapi: openapi.text } : {}),
    ...(version instanceof Literal
      ? { info: { ...(data['info'] as Readonly<Record<string, Data>>), version: version.text } }
      : {}),
  }
}
