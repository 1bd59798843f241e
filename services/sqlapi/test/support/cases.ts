/**
 * Reads the folders below cases/sql (the README there explains them): what is run, on which engines, with what answers.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { parseLossless } from '@services/testing'
import { dialectNames } from '../../src/dialects.ts'
import type { Dialect } from '../../src/model.ts'

/** What a request is to be answered with; everything that is given is checked. */
export interface Expectation {
  /** 200, or 400 where an `error` is expected. */
  readonly status?: unknown
  /** The body as JSON: same keys in the same order, same digits. */
  readonly json?: unknown
  /** The body, character by character. */
  readonly text?: string
  readonly error?: string
  /** A part of the error's message, or several. */
  readonly messageIncludes?: string | readonly string[]
  readonly replyHeaders?: Readonly<Record<string, string>>
}

/** Beside what every engine answers, what only one of them does. */
export interface CaseRequest extends Expectation, Readonly<Partial<Record<Dialect, Expectation>>> {
  /** `POST /demo/hello`. */
  readonly request: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, with the digits of this file. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly raw?: string
  /** Sent as these bytes. */
  readonly hex?: string
  /** The request is sent to this engine only. */
  readonly only?: Dialect
}

export interface Case {
  /** `topic/name`. */
  readonly name: string
  readonly folder: string
  readonly rule: readonly string[]
  readonly title: string
  readonly engines: readonly Dialect[]
  /** Why an engine is missing. */
  readonly reason?: string
  readonly datasources?: Readonly<Record<string, string>>
  readonly datasource?: Readonly<Record<string, unknown>>
  readonly config?: Readonly<Record<string, unknown>>
  readonly links?: Readonly<Record<string, string>>
  /** How often all the requests are sent: a statement's first calls take other paths than its later ones. */
  readonly repeat: number
  readonly requests: readonly CaseRequest[]
  /** The service does not start; a part of the message, or several. */
  readonly refused?: { readonly error: string; readonly messageIncludes?: string | readonly string[] }
  /** A part of some log line. */
  readonly logIncludes?: string
}

export function readCases(root: string): Case[] {
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter(({ name }) => name === 'case.json')
    .map(({ parentPath }) => readCase(root, parentPath))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function readCase(root: string, folder: string): Case {
  const read = parseLossless(readFileSync(join(folder, 'case.json'), 'utf8')) as Partial<Case>
  const name = relative(root, folder).split(sep).join('/')
  const { rule, title, repeat, requests = [] } = read
  if (rule === undefined || title === undefined) throw new Error(`${name}: rule and title are required`)
  const chosen = read.engines ?? dialectNames
  if (chosen.length < dialectNames.length && read.reason === undefined) throw new Error(`${name}: give the reason`)
  return { ...read, name, folder, rule, title, requests, engines: chosen, repeat: Number(JSON.stringify(repeat ?? 1)) }
}

/** `schema.sql`, or `schema.sqlite.sql` for that engine. */
export function readSchema(folder: string, engine: Dialect): string | undefined {
  const file = [`schema.${engine}.sql`, 'schema.sql'].map((name) => join(folder, name)).find((path) => existsSync(path))
  return file === undefined ? undefined : readFileSync(file, 'utf8')
}

/**
 * The folder's tree of SQL files. A file beside case.json is an endpoint of the project `demo` for both methods;
 * folders are copied as they are.
 */
export function readTree(folder: string, engine: Dialect): Record<string, Uint8Array> {
  const others = dialectNames.filter((each) => each !== engine)
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
