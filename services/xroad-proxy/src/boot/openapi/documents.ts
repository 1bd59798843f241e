/**
 * The files of an OpenAPI description as data: the one that a DSL file names, and those that it refers to. Reads files; what stands in
 * them is for the other files here. A mistake is a `DescriptionError` with file and line.
 */
import { readFileSync } from 'node:fs'
import {
  type Data,
  isMapping,
  locate,
  type Mapping,
  type Path,
  readYaml,
  YamlError,
  withoutLiterals,
} from '@services/config-file'

export interface Document {
  /** As messages name it. */
  readonly file: string
  readonly data: Mapping
  /** Where something stands in it, from 1. */
  lineOf(path: Path): number
}

/** What is wrong with a description, beginning with file and line; it does not concern other files. */
export class DescriptionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DescriptionError'
  }
}

/** The problem of a place in a document. */
export function refuse(document: Document, path: Path, message: string): never {
  throw new DescriptionError(`${document.file}:${document.lineOf(path)}: ${message}`)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

export function readDocument(file: string): Document {
  const text = readText(file)
  const data = file.endsWith('.json') ? (readJson(text) ?? readData(text, file)) : readData(text, file)
  let places: ReturnType<typeof locate> | undefined
  return { file, data, lineOf: (path) => (places ??= locate(text)).lineOf(path) }
}

function readText(file: string): string {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new DescriptionError(`${file}: ${code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`}`)
  }
  try {
    return decoder.decode(bytes)
  } catch {
    throw new DescriptionError(`${file}: is not UTF-8 text; save it as UTF-8`)
  }
}

/** Far faster than YAML; what is wrong with it is told by the reader of YAML, which knows lines. */
function readJson(text: string): Mapping | undefined {
  try {
    const data = JSON.parse(text) as Data
    return isMapping(data) ? data : undefined
  } catch {
    return undefined
  }
}

function readData(text: string, file: string): Mapping {
  try {
    return withoutLiterals(readYaml(text))
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw new DescriptionError(error.inFile(file))
  }
}
