/**
 * A `*.test.yaml` file -> its cases, or what is wrong with it, with the line and the name that was probably meant.
 * Nothing runs here. Values of `body`, `query` and `rows` keep the digits that they are written with.
 */
import {
  anyText,
  anything,
  byLine,
  ConfigFileError,
  type Data,
  type FileKind,
  flag,
  inWords,
  isMapping,
  list,
  Literal,
  type Mapping,
  names,
  oneOf,
  parse,
  type Path,
  type Problem,
  readConfigFile,
  section,
  textOf,
  toJsonSchema,
  type ValueOf,
  wholeNumber,
} from '@services/config-file'
import { type FailureName, failures } from '../errors.ts'

export interface TestCase {
  readonly name: string
  /** Of the file, on which the case begins. */
  readonly line: number
  readonly request: TestRequest
  readonly expect: Expectation
}

export interface TestRequest {
  readonly method: 'GET' | 'POST'
  /** As it is written in the file. */
  readonly path: string
  /** With the mark in front; empty without a query. */
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface Expectation {
  readonly status: number
  /** Name of the error in the answer; undefined where any will do. */
  readonly error: FailureName | undefined
  /** Undefined where any will do. */
  readonly rows: Data | undefined
  readonly ordered: boolean
}

export interface ReadTestFile {
  readonly cases: readonly TestCase[]
  /** In words, each with file and line. With a problem there are no cases. */
  readonly problems: readonly string[]
}

const request = section({
  method: oneOf(['GET', 'POST']).optional().describe('POST where there is a body, else GET, unless given.'),
  path: anyText('a path such as /crm/orders/list', { shown: true }).describe(
    'Path of the endpoint; /batch at its end for a batch.',
  ),
  query: anything().describe('Name to value of the query string; a list repeats its name.'),
  body: anything().describe('Sent as JSON; a text is sent as it is.'),
  headers: names(anyText('the value of a header'), 'name: value lines').prefault({}).describe('Request headers.'),
})

/** Errors by name, the usual status of a name first. */
const errors = Map.groupBy(Object.values(failures), ({ error }) => error)
const errorNames = [...errors.keys()].toSorted()

const expectation = section({
  status: wholeNumber(100, 599)
    .optional()
    .describe('Status of the answer: 200 unless given, with an error that of the error.'),
  error: oneOf(errorNames).optional().describe('Name of the error in the answer.'),
  rows: anything().describe(
    'The answer: a list of rows, for a batch a list of such lists. ".." stands for whatever is there.',
  ),
  ordered: flag().default(true).describe('Whether the rows have to be in this order.'),
})

const testCase = section({
  name: anyText('what the case shows', { filled: true }).describe('What the case shows.'),
  request: request.describe('What is sent.'),
  expect: expectation.prefault({}).describe('What has to come back.'),
})

const fields = section({
  cases: list(testCase, 'a list of cases').describe('Each runs on a copy of the database of its own.'),
})

const testFile = {
  title: 'tests of sqlapi (*.test.yaml)',
  fields,
  unknownFields: 'refused',
  emptyFields: 'refused',
  bareTexts: 'taken',
} as const satisfies FileKind

type Given = ValueOf<typeof testCase>

/** For editors. */
export function testFileSchema(): object {
  return toJsonSchema(testFile)
}

/** `file` is relative to `cwd`. */
export function readTestFile(file: string, cwd: string): ReadTestFile {
  try {
    const read = readConfigFile({ file, source: file }, { cwd })
    const { value, problems } = parse(testFile, read.data)
    const raw = casesOf(read.data)
    const own = value === undefined ? [] : value.cases.flatMap((given, index) => ruleProblems(given, raw[index], index))
    const wrong = [...problems, ...own]
    if (value === undefined || wrong.length > 0) {
      return { cases: [], problems: byLine(wrong, read.places).map((problem) => inWords(read, problem)) }
    }
    const lineOf = (index: number): number => read.places.lineOf(['cases', index])
    return { cases: value.cases.map((given, index) => toCase(given, raw[index], lineOf(index))), problems: [] }
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error
    return { cases: [], problems: [error.message] }
  }
}

/** As they are written. */
function casesOf({ cases }: Mapping): readonly Mapping[] {
  return Array.isArray(cases) ? (cases as readonly Data[]).map((each) => (isMapping(each) ? each : {})) : []
}

function field(raw: Mapping | undefined, group: string, name: string): Data | undefined {
  const fields = raw?.[group]
  return isMapping(fields) ? fields[name] : undefined
}

function ruleProblems({ request, expect }: Given, raw: Mapping | undefined, index: number): Problem[] {
  const at = (...rest: (string | number)[]): Path => ['cases', index, ...rest]
  const problems: Problem[] = []
  const tell = (path: Path, message: string): void => void problems.push({ path, message })
  if (!request.path.startsWith('/'))
    tell(at('request', 'path'), `found ${JSON.stringify(request.path)}, expected a path that begins with /`)
  if (/[?#]/.test(request.path)) tell(at('request', 'path'), 'found a ? or #; the query string belongs into query')
  const body = field(raw, 'request', 'body')
  if (body === null) tell(at('request', 'body'), 'left empty; write what is sent, or leave the field out')
  if (body !== undefined && request.method === 'GET')
    tell(at('request', 'body'), 'a GET has no body; use query, or method: POST')
  const query = field(raw, 'request', 'query')
  if (query !== undefined && !isMapping(query)) tell(at('request', 'query'), 'expected name: value lines')
  for (const [name, value] of Object.entries(isMapping(query) ? query : {})) {
    if (toTexts(value) === undefined) tell(at('request', 'query', name), 'expected a value, or a list of values')
  }
  const rows = field(raw, 'expect', 'rows')
  if (rows === null) tell(at('expect', 'rows'), 'left empty; write [] for no rows, or leave the field out')
  if (rows !== undefined && statusOf(expect) !== 200)
    tell(at('expect', 'rows'), 'an answer has rows with status 200 only, and no error')
  const statuses = statusesOf(expect.error)
  if (expect.error !== undefined && !statuses.includes(statusOf(expect)))
    tell(at('expect', 'status'), `${expect.error} has status ${statuses.join(' or ')}; leave one of them out`)
  return problems
}

function toCase({ name, request, expect }: Given, raw: Mapping | undefined, line: number): TestCase {
  const body = field(raw, 'request', 'body')
  const { method = body === undefined ? 'GET' : 'POST', path, headers } = request
  const { error, ordered } = expect
  return {
    name,
    line,
    request: { method, path, query: toQuery(field(raw, 'request', 'query')), headers, body: toBody(body) },
    expect: { status: statusOf(expect), error, rows: field(raw, 'expect', 'rows'), ordered },
  }
}

function statusOf({ status, error }: Given['expect']): number {
  return status ?? statusesOf(error)[0] ?? 200
}

function statusesOf(error: FailureName | undefined): readonly number[] {
  const kinds = error === undefined ? [] : (errors.get(error) ?? [])
  return [...new Set(kinds.map(({ status }) => status))]
}

/** Of a parameter: one text, or one for each element. */
function toTexts(value: Data): readonly string[] | undefined {
  if (value === null) return ['']
  if (!Array.isArray(value)) {
    const text = textOf(value)
    return text === undefined ? undefined : [text]
  }
  const texts = (value as readonly Data[]).map((each) => (each === null ? '' : textOf(each)))
  return texts.includes(undefined) ? undefined : (texts as string[])
}

function toQuery(query: Data | undefined): string {
  const pairs = Object.entries(isMapping(query) ? query : {}).flatMap(([name, value]) =>
    (toTexts(value) ?? []).map((text) => [name, text]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

function toBody(body: Data | undefined): string | undefined {
  return body === undefined || typeof body === 'string' ? body : toJson(body)
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** Numbers with the digits that they have in the file. */
export function toJson(data: Data): string {
  if (data instanceof Literal) return jsonNumber.test(data.text) ? data.text : JSON.stringify(data.value)
  if (Array.isArray(data)) return `[${(data as readonly Data[]).map(toJson).join(', ')}]`
  if (!isMapping(data)) return JSON.stringify(data)
  return `{${Object.entries(data)
    .map(([key, value]) => `${JSON.stringify(key)}: ${toJson(value)}`)
    .join(', ')}}`
}
