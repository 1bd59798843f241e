/**
 * The files of the product, by house: a house is a service, an engine, the kit, the mock or a private package. A room
 * is a folder of its sources, and so is each file at its top. Tests, benches and instruments are not product.
 */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { listFiles, readImports } from '../boundaries/sources.ts'
import { plainComment } from './english.ts'

export interface SourceFile {
  /** Below the root, with forward slashes. */
  readonly file: string
  /** `services/sqlapi`, `kit`. */
  readonly house: string
  readonly room: string
  readonly lines: number
  readonly bytes: number
  /** Files of the product that it imports, types and dynamic imports too. */
  readonly imports: readonly string[]
  readonly comments: readonly string[]
  /** Texts of three words and more. */
  readonly messages: readonly string[]
}

const places = '{services,packages,engines}/*/{src,bin}/**/*.{ts,mts,js,mjs,cjs,css,html}'
const topPlaces = '{kit,mock}/{src,bin}/**/*.{ts,mts,js,mjs,cjs,css,html}'
const notProduct = /\.d\.ts$|\.test\.|^packages\/(?:bench|testing)\//

export function readProduct(root: string): SourceFile[] {
  const files = [...listFiles(root, places), ...listFiles(root, topPlaces)].filter((file) => !notProduct.test(file))
  const known = new Set(files)
  const entries = readEntries(root)
  return files.map((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const imports = isCode(file) ? readImports(root, file) : []
    const { comments, messages } = isCode(file) ? readTexts(file, text) : { comments: [], messages: [] }
    return {
      comments,
      messages,
      file,
      house: houseOf(file),
      room: roomOf(file),
      lines: text.split('\n').length - 1,
      bytes: Buffer.byteLength(text),
      imports: imports.flatMap((specifier) => {
        const target = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : entries.get(specifier)
        return target !== undefined && known.has(target) ? [target] : []
      }),
    }
  })
}

export function houseOf(file: string): string {
  return file
    .split('/')
    .slice(0, /^(?:kit|mock)\//.test(file) ? 1 : 2)
    .join('/')
}

/** `services/sqlapi/src/serve`; a file directly below `src` or `bin` is a room of its own. */
export function roomOf(file: string): string {
  const folder = posix.dirname(file)
  return /(?:^|\/)(?:src|bin)$/.test(folder) ? file : folder
}

function isCode(file: string): boolean {
  return /\.[cm]?[jt]s$/.test(file)
}

/** Specifier of a private package -> the file that it means. */
function readEntries(root: string): ReadonlyMap<string, string> {
  const manifests = [
    ...listFiles(root, '{services,packages,engines}/*/package.json'),
    ...listFiles(root, '{kit,mock}/package.json'),
  ]
  return new Map(
    manifests.flatMap((manifest) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8')) as {
        name: string
        exports?: Record<string, string>
      }
      return Object.entries(exports).map(
        ([entry, path]) => [posix.join(name, entry), posix.join(posix.dirname(manifest), path)] as const,
      )
    }),
  )
}

interface Node {
  readonly type: string
  readonly value?: unknown
  readonly start: number
  readonly end: number
}

function readTexts(file: string, text: string): Pick<SourceFile, 'comments' | 'messages'> {
  const { comments, program } = parseSync(file, text)
  const messages: string[] = []
  visit(program, (node) => {
    const said = textOf(node, text)
    if (/\p{L}+ \p{L}+ \p{L}+/u.test(said) && !sql.test(said)) messages.push(said)
  })
  return { comments: joinLines(comments, text), messages }
}

const sql = /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE|CREATE|SET|BEGIN|PRAGMA)\b/

/** Of a string or a template, whose values become X; empty for anything else. */
function textOf({ type, value, start, end }: Node, text: string): string {
  if (type === 'Literal' && typeof value === 'string') return value
  return type === 'TemplateLiteral' ? text.slice(start + 1, end - 1).replaceAll(/\$\{[^}]*\}/g, 'X') : ''
}

/** Line comments on lines that follow each other are one. */
function joinLines(comments: readonly (Node & { value: string })[], text: string): string[] {
  const joined: string[] = []
  let last: (Node & { value: string }) | undefined
  for (const comment of comments) {
    const follows =
      last?.type === 'Line' && comment.type === 'Line' && text.slice(last.end, comment.start).trim() === ''
    if (follows) joined.push(`${joined.pop() ?? ''} ${plainComment(comment.value)}`)
    else joined.push(plainComment(comment.value))
    last = comment
  }
  return joined
}

function visit(node: unknown, see: (node: Node) => void): void {
  if (node === null || typeof node !== 'object') return
  if (Array.isArray(node)) {
    for (const each of node) visit(each, see)
    return
  }
  if ('type' in node && typeof node.type === 'string') see(node as Node)
  for (const value of Object.values(node)) visit(value, see)
}
