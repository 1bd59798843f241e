/**
 * One `.sql` file -> its endpoint, as each dialect in use reads it. Throws a FileRefusal for what is not text that a
 * database could run. Where the file belongs is the walk's affair (tree.ts).
 */
import { readFile } from 'node:fs/promises'
import { dialects } from '../dialects.ts'
import { readDeclarations } from '../declarations/read.ts'
import type { DeclaredParameter, Dialect, Endpoint, Method, Script } from '../model.ts'
import { readScript } from '../sql/script.ts'
import { FileRefusal } from './file-refusal.ts'
import { shownPath } from './tree.ts'

/** What is in a file, or why it could not be read. */
export type Content = Buffer | NodeJS.ErrnoException

/** Never rejects: if an earlier file is refused, nobody would handle the rejection. */
export async function readContent(file: string): Promise<Content> {
  try {
    return await readFile(file)
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

/** Where a file was found. */
export interface FilePlace {
  readonly root: string
  readonly project: string
  readonly method: Method
  readonly dialectsInUse: ReadonlySet<Dialect>
}

export function toEndpoint(
  path: string,
  content: Content,
  { root, project, method, dialectsInUse }: FilePlace,
): Endpoint {
  const file = shownPath(path, root)
  const text = toText(file, content)
  if (text.includes('\0')) throw new FileRefusal([file], 'contains a NUL character', 'no database reads past it')
  if (text.trim() === '') throw new FileRefusal([file], 'is empty', 'write a statement or remove the file')
  const rest = file.slice(`${project}/${method}/`.length, -'.sql'.length)
  const scripts: Partial<Record<Dialect, Script>> = {}
  for (const dialect of dialectsInUse) scripts[dialect] = readScript(text, dialects[dialect].grammar)
  const declared = readDeclarations({ text, method, parameters: parametersOf(Object.values(scripts)) })
  const { params = [] } = declared.declarations ?? {}
  if (params.length > 0)
    for (const dialect of dialectsInUse) scripts[dialect] = withDeclared(scripts[dialect] as Script, params)
  return { method, project, path: `/${project}/${rest}`, file, scripts, ...declared }
}

/** Databases may bind a value as what it is declared as. */
function withDeclared(script: Script, params: readonly DeclaredParameter[]): Script {
  const known = new Map(params.map((param) => [param.name, param]))
  const statements = script.statements.map((statement) => ({
    ...statement,
    declared: statement.names.map((name) => known.get(name)),
  }))
  return { ...script, statements }
}

/** Of all dialects, in the order of the first. */
function parametersOf(scripts: readonly Script[]): readonly string[] | undefined {
  return scripts.length === 0 ? undefined : [...new Set(scripts.flatMap(({ parameters }) => parameters))]
}

/** Strict UTF-8; a byte-order mark is dropped. */
const decoder = new TextDecoder('utf-8', { fatal: true })

function toText(file: string, content: Content): string {
  if (content instanceof Error)
    throw new FileRefusal([file], `cannot be read (${content.code})`, 'let the user of the service read it')
  try {
    return decoder.decode(content)
  } catch {
    throw new FileRefusal([file], 'is not UTF-8 text', 'save it as UTF-8')
  }
}
