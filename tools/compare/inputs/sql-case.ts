/** Reads the folders below test/cases/sql of sqlapi; the README there explains them. What is expected is not read. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { parseLossless } from '@services/testing'
import { repository } from '../sides.ts'
import type { Engine } from '../running/databases.ts'

export interface SqlRequest {
  /** `POST /demo/hello`. */
  readonly request: string
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly body: string | Uint8Array | undefined
  readonly only: Engine | undefined
}

export interface SqlCase {
  /** `topic/name`. */
  readonly name: string
  /** Path below `sql_dir` -> content. */
  readonly files: Readonly<Record<string, Uint8Array>>
  readonly schema: string
  readonly datasources: Readonly<Record<string, string>> | undefined
  readonly datasource: Readonly<Record<string, unknown>>
  readonly config: Readonly<Record<string, unknown>>
  readonly links: Readonly<Record<string, string>> | undefined
  readonly isRefused: boolean
  readonly repeat: number
  readonly requests: readonly SqlRequest[]
}

const engines: readonly Engine[] = ['postgres', 'sqlite']

export function readSqlCases(engine: Engine): SqlCase[] {
  const root = join(repository, 'services/sqlapi/test/cases/sql')
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter(({ name }) => name === 'case.json')
    .map(({ parentPath }) => readCase(root, parentPath, engine))
    .filter((each) => each !== undefined)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

interface Written extends Partial<Omit<SqlCase, 'repeat' | 'requests'>> {
  readonly engines?: readonly Engine[]
  readonly refused?: object
  readonly repeat?: unknown
  readonly requests?: readonly (SqlRequest & { readonly raw?: string; readonly hex?: string })[]
}

function readCase(root: string, folder: string, engine: Engine): SqlCase | undefined {
  const read = parseLossless(readFileSync(join(folder, 'case.json'), 'utf8')) as Written
  if (read.engines !== undefined && !read.engines.includes(engine)) return undefined
  return {
    name: relative(root, folder).split(sep).join('/'),
    files: readTree(folder, engine),
    schema: readSchema(folder, engine),
    datasources: read.datasources,
    datasource: read.datasource ?? {},
    config: read.config ?? {},
    links: read.links,
    isRefused: read.refused !== undefined,
    repeat: Number(JSON.stringify(read.repeat ?? 1)),
    requests: (read.requests ?? []).map((each) => ({
      request: each.request,
      headers: each.headers,
      only: each.only,
      body: bodyOf(each),
    })),
  }
}

/** JSON is sent with the digits of the file. */
function bodyOf({ body, raw, hex }: { body?: unknown; raw?: string; hex?: string }): string | Uint8Array | undefined {
  if (hex !== undefined) return Buffer.from(hex, 'hex')
  return raw ?? (body === undefined ? undefined : JSON.stringify(body))
}

function readSchema(folder: string, engine: Engine): string {
  const file = [`schema.${engine}.sql`, 'schema.sql'].map((name) => join(folder, name)).find((path) => existsSync(path))
  return file === undefined ? '' : readFileSync(file, 'utf8')
}

/** A file beside case.json is an endpoint of `demo` for both methods; folders are copied as they are. */
function readTree(folder: string, engine: Engine): Record<string, Uint8Array> {
  const others = engines.filter((each) => each !== engine)
  const files: Record<string, Uint8Array> = {}
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name)
    const path = relative(folder, file).split(sep).join('/')
    if (!entry.isFile() || path === 'case.json' || /^schema\.(\w+\.)?sql$/.test(path)) continue
    if (others.some((other) => path.endsWith(`.${other}.sql`))) continue
    const published = path.replace(`.${engine}.sql`, '.sql')
    const places = path === basename(path) ? [`demo/GET/${published}`, `demo/POST/${published}`] : [published]
    for (const place of places) files[place] = readFileSync(file)
  }
  return files
}
