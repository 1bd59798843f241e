/**
 * The vocabulary of sqlapi: types only, nothing here runs. `boot/` makes these values once, `serve/` and `database/`
 * use them per request; no folder has a second name for a thing that has one here.
 */

import type { Readable } from 'node:stream'
import type { CallMeter } from './metering.ts'
import type { Span } from '@services/trace'

/** The two SQL dialects, named after the datasource kind that speaks them. */
export type Dialect = 'postgres' | 'sqlite'

export type Method = 'GET' | 'POST'

/** How the rows of a result are written; formats/ has the details. */
export type FormatName = 'json' | 'csv' | 'ndjson'

/** How values of two kinds are written, for clients that were made for the predecessor; per datasource. */
export interface ResultShapes {
  readonly numeric: 'string' | 'number'
  /** `pgobject`: `{"type":"jsonb","value":"the JSON as text"}`, and elements of arrays as texts. */
  readonly json: 'value' | 'pgobject'
}

/** One `.sql` file, published as one URL. */
export interface Endpoint {
  readonly method: Method
  /** First URL segment, spelled as the folder is. */
  readonly project: string
  /** URL path with a leading slash, spelled as the file is: `/crm/orders/list`. */
  readonly path: string
  /** Path of the file below `sql_dir`, for log lines. */
  readonly file: string
  /** The file carries `-- @transactional`. */
  readonly transactional: boolean
  /** The file as read by each dialect that some datasource has. */
  readonly scripts: Readonly<Partial<Record<Dialect, Script>>>
  /** What the leading comments declare; undefined where they declare nothing. */
  readonly declarations: Declarations | undefined
}

/** What a file says about itself in its leading comments. A line with a problem is left out of all but `problems`. */
export interface Declarations {
  readonly summary: string | undefined
  /** All lines, with line breaks between. */
  readonly description: string | undefined
  readonly tags: readonly string[]
  /** Why, or what to call instead; empty where the file does not say. */
  readonly deprecated: string | undefined
  /** In the order of the SQL. A name that only has an `@enum` is here too. */
  readonly params: readonly DeclaredParameter[]
  readonly results: readonly DeclaredResult[]
  /** Takes the place of the datasource's limit. */
  readonly timeoutSeconds: number | undefined
  readonly cache: DeclaredCache | undefined
  /** The file may run on a replica. */
  readonly replica: boolean
  readonly allow: readonly AllowedFinding[]
  /** The comment `/* declaration: ..`, not read yet: declarations/yaml-comment.ts does. */
  readonly yaml: YamlComment | undefined
  /** In the order of the file. */
  readonly problems: readonly DeclarationProblem[]
}

export interface DeclaredParameter {
  readonly name: string
  /** Of the value, or of each element of a list; undefined for any. */
  readonly type: ValueTypeName | undefined
  readonly list: boolean
  /** Bound where the parameter is missing; undefined where it has to be given. */
  readonly default: JsonValue | undefined
  readonly description: string | undefined
  /** The only values that it may have (besides null), as declarations/value-types.ts compares them. */
  readonly enum: readonly string[] | undefined
}

export type ValueTypeName = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'timestamp' | 'uuid' | 'json'

/** 1-based; columns count code points. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Where its key is. */
export interface DeclaredResult extends Position {
  readonly key: string
  readonly description: string
}

export interface DeclaredCache {
  readonly seconds: number
  /** For caches that many callers share. */
  readonly isPublic: boolean
}

/** A finding of `check` that the file's author accepts. */
export interface AllowedFinding {
  readonly code: string
  readonly reason: string
  /** Of the code. */
  readonly line: number
  readonly column: number
}

/** Where its text begins. */
export interface YamlComment extends Position {
  /** Without the comment's marks. */
  readonly text: string
}

/** A line that does not count. */
export interface DeclarationProblem extends Position {
  /** What is wrong. */
  readonly message: string
  /** What to do about it. */
  readonly cure: string
}

/** The statements of a file, in order, as one dialect splits them. */
export interface Script {
  readonly statements: readonly Statement[]
  /** Every parameter name of the file once, in the order of first use. */
  readonly parameters: readonly string[]
}

/**
 * One statement with its parameters cut out: `pieces[0] slots[0] pieces[1] slots[1] ... pieces[n]`.
 * There is always one piece more than there are slots.
 */
export interface Statement {
  readonly pieces: readonly string[]
  readonly slots: readonly ParameterSlot[]
  /** The statement's parameter names, each once, in the order of first use. */
  readonly names: readonly string[]
  /** What the file declares each name as, by its number; absent where it declares none. */
  readonly declared?: readonly (DeclaredParameter | undefined)[]
  readonly effect: Effect
  /** 1-based line of the file on which the statement starts. */
  readonly line: number
  /** 1-based column of that line, in code points. */
  readonly column: number
  /** Why the statement cannot run on this dialect although it could be read; reported when it is called. */
  readonly refusal?: string
  /** Position in the file of what the refusal is about. */
  readonly refusedAt?: Position
}

/**
 * What a statement may do besides answering, judged by its words alone: `read` changes nothing, `write` changes data,
 * `definition` changes the schema, `session` may leave something behind on the connection (a setting, an open
 * transaction, a temporary table, a lock).
 */
export type Effect = 'read' | 'write' | 'definition' | 'session'

/** A position in a statement at which a parameter is. */
export interface ParameterSlot {
  readonly name: string
  /** Number of the name in the statement's `names`. */
  readonly source: number
  /**
   * `value` is the plain case. The others are alone between the brackets of `IN (..)`, `NOT IN (..)` or `ARRAY[..]`.
   */
  readonly role: 'value' | 'in' | 'notIn' | 'array'
  /** Source text around the parameter that belongs to the role (`IN (` and `)`); empty for `value`. */
  readonly before: string
  readonly after: string
  /** The cast behind the parameter of a list role (`::text`), which is part of `after`; empty where there is none. */
  readonly cast: string
}

/** A JSON number, kept as the digits that the client sent. */
export interface JsonNumber {
  readonly kind: 'integer' | 'float'
  readonly digits: string
}

/**
 * A JSON array or object inside a parameter set, kept as its (validated) source text until something needs more. A
 * `document` is JSON of any kind, for a parameter that is declared as `json`: it stays JSON in the database.
 */
export interface JsonText {
  readonly kind: 'array' | 'object' | 'document'
  readonly text: string
}

/** One parameter value as the client sent it. */
export type JsonValue = null | boolean | string | JsonNumber | JsonText

/** One set of parameters: every key of a query string or JSON object. */
export type ParameterSet = ReadonlyMap<string, JsonValue>

/**
 * Names in lower case -> values; of a header that came several times all values, in their order, with `, ` between
 * them.
 */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** What the HTTP shell hands to the request path. */
export interface Request {
  readonly method: string
  /** Request target as sent: path and query string, still percent-encoded. */
  readonly target: string
  /** By which the log and the caller name the request. */
  readonly requestId: string
  readonly headers: RequestHeaders
  /** The whole body; empty when there is none. */
  readonly body: Buffer
  readonly cancellation: Cancellation
  /** Undefined when nobody listens. */
  readonly trace: Trace | undefined
}

/** What became of one request, filled in on the way, for those who measure and for its line in the log. */
export interface Trace extends CallMeter {
  readonly requestId: string
  readonly method: string
  /** As sent; undefined for what never became a request. */
  readonly target: string | undefined
  /** By the clock of `performance`. */
  readonly started: number
  endpoint: Endpoint | undefined
  /** Path of one of the service's own pages. */
  page: string | undefined
  /** Name of the one that the work was for. */
  datasource: string | undefined
  /** 499 for a client that left before it had its reply. */
  status: number
  /** As the reply names it; undefined for a good one. */
  error: string | undefined
  /** SQLSTATE, or the system's code, behind the error. */
  code: string | undefined
  /** Until the reply was handed over whole, or nobody was left to take it. */
  ms: number
  /** Where it is in the trace of its caller; undefined when tracing is off. */
  readonly span: Span | undefined
  /** For connections; undefined where no database was asked. */
  readonly waitedMs: number | undefined
  /** Of the database; undefined where it gave no result. */
  readonly rows: number | undefined
  /** Of the reply's body, where no database gave rows. */
  bytes: number | undefined
}

/**
 * The text of a result: whole, as a string or as UTF-8 bytes, or a stream of such bytes once it has grown beyond what
 * is collected. A stream that ends with an error is not a whole result. Destroying a stream frees its database.
 */
export type Result = string | Buffer | Readable

/** A text with its media type. */
export interface Body {
  /** As `Content-Type` has it. */
  readonly mediaType: string
  readonly content: Result
}

/** Names in lower case -> values. */
export type ReplyHeaders = Readonly<Record<string, string>>

/** What the request path hands back. */
export interface Reply {
  readonly status: number
  /** All but those that follow from the body: its media type and its length. */
  readonly headers: ReplyHeaders
  readonly body: Body | undefined
}

/**
 * A page of the service itself: its reply at once, or once it is compressed. The request path adds the headers of CORS.
 */
export type Page = (headers: RequestHeaders) => Reply | Promise<Reply>

/** Path -> page. No file can have such a path, because a file's has a project in front. */
export type Pages = ReadonlyMap<string, Page>

/**
 * Tells running work that its client has gone. Cheaper than an AbortSignal, which every request would have to allocate.
 */
export interface Cancellation {
  cancelled: boolean
  /** Set by the code that works for the request at the moment; called once, when the client goes. */
  onCancel: (() => void) | undefined
}

/** A unit of work for one datasource: a file with one or many parameter sets, all checked. */
export interface Work {
  readonly endpoint: Endpoint
  readonly script: Script
  /** One set for a single call, any number for a batch. */
  readonly sets: readonly ParameterSet[]
  readonly batch: boolean
  /** `json` for a batch: its result is an array of results. */
  readonly format: FormatName
  readonly cancellation: Cancellation
  /** Of the request, for the log. */
  readonly requestId: string
  /** Undefined when nobody listens. */
  readonly trace: Trace | undefined
}
