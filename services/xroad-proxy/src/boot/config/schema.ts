/**
 * What both kinds of file are declared with, and the fields of proxy.yaml, each declared once: name, type, default, what
 * it means, what would be right. YAML data comes in; a frozen value or the list of problems goes out, besides the keys
 * that nobody knows. The only file that knows the validation library. Files and lines belong to config.ts and dsl.ts.
 */
import * as z from 'zod'
import { Literal } from './literal.ts'
import { tellUnknown } from './unknown-field.ts'
import type { Data, Mapping, Path } from './yaml.ts'

type Issue = z.core.$ZodRawIssue

/** What the operator should hear about one field. */
export interface Problem {
  readonly path: Path
  readonly message: string
}

export interface Parsed<Value> {
  /** Undefined where there are problems. */
  readonly value: Value | undefined
  readonly problems: readonly Problem[]
  /** Keys that are not known, in the words of a warning. */
  readonly unknown: readonly Problem[]
}

const identity = section({
  member_class: text('a member class').default('').describe('Own member class, such as GOV, COM, NGO or NEE.'),
  member_code: text('a registry code').default('').describe('Own registry code.'),
  subsystem_code: text('a subsystem code').default('').describe('Own subsystem; without it the member itself calls.'),
})

const wsdl = section({
  allow_http_upstream: flag().default(false).describe('Whether addresses in WSDL files may be plain http.'),
  upstream_host_allowlist: list(filledText('a host name'), 'a list of host names')
    .prefault([])
    .describe('When not empty, the only hosts that WSDL files may lead to.'),
})

const securityServer = section({
  url: checked(text(urlMeaning()), serverUrlProblem, urlMeaning())
    .meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]://' })
    .transform(withoutLastSlash)
    .describe('Address of the own Security Server, https only.'),
  keystore_path: filledText('the path of a PKCS12 file').describe(
    'PKCS12 file with the client certificate and its key.',
  ),
  keystore_password_env: text('the name of an environment variable')
    .regex(/^[A-Za-z_]\w*$/, expected('the name of an environment variable (letters, digits and _)'))
    .default('PROXY_KEYSTORE_PASSWORD')
    .describe('Environment variable that holds the password of the keystore.'),
  trust_ca_path: filledText('the path of a PEM file')
    .exactOptional()
    .describe('PEM file of the authorities to verify the Security Server with, instead of those of the system.'),
})

const limits = section({
  max_request_bytes: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .default(1_048_576)
    .describe('Largest request body in bytes; a larger one is answered with 413.'),
  max_response_bytes: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .default(16_777_216)
    .describe('Largest upstream response in bytes; a larger one is answered with 502.'),
  max_inflight_bytes: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .default(268_435_456)
    .describe(
      'Bytes that all calls together may hold; who would go past it waits, and is answered with 504 in the end.',
    ),
  request_timeout_secs: wholeNumber(1, 86_400)
    .default(30)
    .describe('Seconds for one outbound request, connection and body included; beyond it the answer is 504.'),
})

const file = section({
  dsl_path: filledText('the directory that holds the DSL files')
    .default('./DSL')
    .describe('Directory of the DSL files.'),
  host: filledText('an address to listen on', { shown: true })
    .regex(/^[\w.:%-]+$/, expected('an address to listen on, such as 0.0.0.0, :: or 127.0.0.1', { shown: true }))
    .default('0.0.0.0')
    .describe('Address to listen on; 0.0.0.0 for all of IPv4, :: for all.'),
  port: wholeNumber(0, 65_535).default(8080).describe('Port to listen on. 0 takes any free port.'),
  xroad_instance: filledText('an X-Road instance such as EE or ee-test')
    .refine(isNoDots, expected('an X-Road instance such as EE or ee-test', { shown: true }))
    .default('ee-test')
    .describe('X-Road instance: in templates, in REST addresses and in X-Road-Client.'),
  xroad_protocol_version: oneOf(['4.0', '4.1'])
    .default('4.0')
    .describe('Version of the X-Road SOAP protocol that templates write.'),
  client_data: identity.prefault({}).describe('Who the service is in X-Road.'),
  wsdl_watch_dir: filledText('the directory that holds the WSDL files')
    .exactOptional()
    .describe('Directory of the WSDL files to generate DSL files from.'),
  wsdl: wsdl.prefault({}).describe('Where WSDL files may lead.'),
  soap_response: oneOf(['plain', 'schema'])
    .default('plain')
    .describe('Shape of SOAP answers: schema gives those of generated files the types of their WSDL.'),
  expose_soap_fault_detail: flag().default(false).describe('Whether callers see SOAP faults in full.'),
  security_server: securityServer
    .exactOptional()
    .describe('The own Security Server. REST files and SOAP files without service need it.'),
  limits: limits.prefault({}).describe('Sizes and times.'),
}).transform(toConfig)

export type Config = z.output<typeof file>

/** Checks every field of proxy.yaml. */
export function parseConfig(data: Mapping): Parsed<Config> {
  return parse(file, data)
}

/** The same declaration as JSON Schema, for editors. */
export function configSchema(): object {
  return toJsonSchema('proxy.yaml', file)
}

interface Fields {
  readonly xroadInstance: string
  readonly xroadProtocolVersion: '4.0' | '4.1'
  readonly clientData: { readonly memberClass: string; readonly memberCode: string; readonly subsystemCode: string }
  readonly limits: {
    readonly maxRequestBytes: number
    readonly maxResponseBytes: number
    readonly maxInflightBytes: number
    readonly requestTimeoutSecs: number
  }
}

/** The words of the service for what the file calls otherwise. */
function toConfig<Given extends Fields>(fields: Given) {
  const { xroadInstance: instance, xroadProtocolVersion: protocolVersion, clientData, limits, ...rest } = fields
  const { requestTimeoutSecs: requestTimeoutSeconds, ...bytes } = limits
  return Object.freeze({
    ...rest,
    instance,
    protocolVersion,
    client: Object.freeze({ instance, ...clientData }),
    limits: Object.freeze({ ...bytes, requestTimeoutSeconds }),
  })
}

function urlMeaning(): string {
  return 'the https:// address of the Security Server, such as https://security-server.example.org:5500'
}

/** What is appended to it begins with a slash. */
function withoutLastSlash(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname.replace(/\/+$/, '')
}

/** Without the text itself: a password may stand in it. */
function serverUrlProblem(given: string): string | undefined {
  if (given !== '' && !/^https:/i.test(given)) return 'found an address that does not start with https://'
  return urlProblem(given) ?? (/[?#]/.test(given) ? 'found an address with a query string or a fragment' : undefined)
}

/** What stands against a URL of http or https. The parser of URLs itself lets pass much that nobody means. */
export function urlProblem(given: string): string | undefined {
  if (given.trim() === '') return found(given)
  if (!/^https?:\/\/[^/]/i.test(given)) return 'found an address that does not start with https://'
  if (/[\s\\]/.test(given) || !URL.canParse(given)) return 'found an address that is no URL'
  const { username, password } = new URL(given)
  return username === '' && password === '' ? undefined : 'found an address with a user name or password'
}

/** Checks data against a declaration made of the pieces below. */
export function parse<Field extends z.ZodType>(field: Field, data: Data): Parsed<z.output<Field>> {
  const unknown: Problem[] = []
  const parsed = field.safeParse(settle(data, field, [], { top: field, unknown }), { reportInput: true })
  if (parsed.success) return { value: parsed.data, problems: [], unknown }
  const problems = parsed.error.issues.map(({ path, message }) => ({ path, message }))
  return { value: undefined, problems, unknown }
}

/** `a.b[0]`, as messages name a field; a key that is no plain name stands in quotes. */
export function toFieldName(path: Path): string {
  return path
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`
      return /^[\w-]+$/.test(String(step)) ? `.${String(step)}` : `.${JSON.stringify(String(step).slice(0, 64))}`
    })
    .join('')
    .replace(/^\./, '')
}

/** Editors read `4.0` as a number: where a text is wanted, what is written without quotes is right as well. */
export function toJsonSchema(title: string, field: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema, ...rules } = z.toJSONSchema(field, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.type !== 'string' || verbatim.has(zodSchema)) return
      if (jsonSchema.enum) jsonSchema.enum = jsonSchema.enum.flatMap((text) => withNumber(String(text)))
      if (jsonSchema.enum?.every((each) => typeof each === 'string')) return
      Object.assign(jsonSchema, { type: ['string', 'number', 'boolean'] })
    },
  })
  return { $schema, title, ...rules }
}

function withNumber(text: string): (string | number)[] {
  return Number.isNaN(Number(text)) ? [text] : [text, Number(text)]
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name
type CamelKeys<Fields> = { readonly [Name in keyof Fields as CamelCase<Name & string>]: Fields[Name] }

type Group<Shape extends z.core.$ZodLooseShape> = z.ZodObject<Shape, z.core.$strict>
type Section<Shape extends z.core.$ZodLooseShape> = z.ZodPipe<
  Group<Shape>,
  z.ZodTransform<CamelKeys<z.output<Group<Shape>>>, z.output<Group<Shape>>>
>

/** A group of fields: spelled in snake_case in the file, in camelCase here. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape): Section<Shape> {
  const rule = expected(`the fields ${Object.keys(shape).join(', ')}`)
  return z.strictObject(shape, rule).transform(toCamelKeys)
}

function toCamelKeys<Fields extends object>(fields: Fields): CamelKeys<Fields> {
  const renamed = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return Object.freeze(Object.fromEntries(renamed)) as CamelKeys<Fields>
}

/** Control characters would break header lines and log lines, lone surrogates and the like XML and URLs. */
const unfit = /[\p{Cc}\p{Cs}\u2028\u2029\uFFFE\uFFFF]/u

/** `shown` where the value is no secret, not even by mistake. */
export function text(meaning: string, { shown = false } = {}): z.ZodString {
  return z
    .string(expected(meaning, { shown }))
    .refine((given) => !unfit.test(given), { error: `found control characters, expected ${meaning}`, abort: true })
}

function filledText(meaning: string, { shown = false } = {}): z.ZodString {
  return text(meaning, { shown }).regex(/\S/, expected(meaning, { shown }))
}

/** Text of any number of lines. */
export function longText(meaning: string): z.ZodString {
  return z.string(expected(meaning)).regex(/\S/, expected(meaning))
}

/** A text that may not look like a number, boolean or null, unless it stands in quotes. */
export function strictText(meaning: string): z.ZodString {
  return text(meaning).register(verbatim, {})
}

const verbatim = z.registry<object>()

/** `problemOf` says what is wrong with a text, if anything is. */
export function checked<Field extends z.ZodType<string>>(
  field: Field,
  problemOf: (given: string) => string | undefined,
  meaning: string,
): Field {
  return field.refine((given) => problemOf(given) === undefined, {
    error: ({ input }) => `${problemOf(String(input))}, expected ${meaning}`,
  })
}

export function oneOf<Value extends string>(values: readonly Value[]): z.ZodEnum<{ [Key in Value]: Key }> {
  return z.enum(values, expected(values.join(' or '), { shown: true }))
}

export function flag(): z.ZodBoolean {
  return z.boolean(expected('true or false', { shown: true }))
}

function wholeNumber(least: number, most: number) {
  const rule = expected(`a whole number from ${least} to ${most}`, { shown: true })
  return z.int(rule).min(least, rule).max(most, rule)
}

export function list<Item extends z.ZodType>(item: Item, meaning: string): List<Item> {
  return z.array(item, expected(meaning)).transform((items): readonly z.output<Item>[] => Object.freeze(items))
}

type List<Item extends z.ZodType> = z.ZodPipe<
  z.ZodArray<Item>,
  z.ZodTransform<readonly z.output<Item>[], z.output<Item>[]>
>

/** A path segment of these would lead elsewhere. */
export function isNoDots(given: string): boolean {
  return given !== '.' && given !== '..'
}

function expected(meaning: string, { shown = false } = {}) {
  return { error: ({ input }: Issue) => `${found(input, shown)}, expected ${meaning}` }
}

function found(value: unknown, shown = false): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'left empty'
  if (Array.isArray(value)) return 'found a list'
  if (typeof value === 'object') return 'found a group of fields'
  if (typeof value === 'number' || typeof value === 'boolean')
    return `found the ${typeof value} ${value}${shown ? '' : ' (as a text it needs quotes)'}`
  if (typeof value !== 'string') return 'found something else'
  if (value.trim() === '') return 'found an empty text'
  return shown ? `found ${JSON.stringify(value.slice(0, 64))}` : 'found a text'
}

/** What stays the same on the way down. */
interface Settling {
  readonly top: z.core.$ZodType
  readonly unknown: Problem[]
}

/** The data with each literal as its field wants it, without what is left empty and what nobody knows. */
function settle(data: Data, field: z.core.$ZodType, at: Path, settling: Settling): unknown {
  const rule = innermost(field)
  if (data instanceof Literal) {
    const isText = (rule instanceof z.ZodString || rule instanceof z.ZodEnum) && !verbatim.has(rule)
    return isText ? data.text : data.value
  }
  if (Array.isArray(data)) {
    const items: readonly Data[] = data
    const item = rule instanceof z.ZodArray ? rule.element : z.unknown()
    return items.map((each, index) => settle(each, item, [...at, index], settling))
  }
  if (data === null || typeof data === 'string' || !(rule instanceof z.ZodObject)) return data
  return settleFields(data as Mapping, rule.shape, at, settling)
}

function settleFields(data: Mapping, shape: z.core.$ZodShape, at: Path, settling: Settling): object {
  const settled: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(data)) {
    const path = [...at, key]
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined
    if (field === undefined) {
      settling.unknown.push({ path, message: unknownField(key, data, shape, settling.top) })
    } else if (value !== null || isRequired(field)) settled[key] = settle(value, field, path, settling)
  }
  return settled
}

function isRequired(field: z.core.$ZodType): boolean {
  return field._zod.optin === undefined
}

function unknownField(key: string, data: Mapping, shape: z.core.$ZodShape, top: z.core.$ZodType): string {
  const known = Object.keys(shape)
  const absent = known.filter((name) => (data[name] ?? null) === null)
  const missing = Object.entries(shape).flatMap(([name, field]) =>
    absent.includes(name) && isRequired(field) ? [name] : [],
  )
  return tellUnknown(key, { known, absent, missing, place: placeOf(key, top) })
}

/** A line that is indented too far, or not far enough. Two levels are all there are. */
function placeOf(key: string, top: z.core.$ZodType): string | undefined {
  const shape = shapeOf(top)
  if (Object.hasOwn(shape, key)) return 'at the top of the file, not indented'
  const section = Object.keys(shape).find((name) => shape[name] && Object.hasOwn(shapeOf(shape[name]), key))
  return section === undefined ? undefined : `below ${section}`
}

function shapeOf(field: z.core.$ZodType): z.core.$ZodShape {
  const rule = innermost(field)
  return rule instanceof z.ZodObject ? rule.shape : {}
}

/** The rule for what is written in the file, below defaults and conversions. */
function innermost(field: z.core.$ZodType): z.core.$ZodType {
  const { innerType, in: source } = field._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType }
  const inner = innerType ?? source
  return inner === undefined ? field : innermost(inner)
}
