/**
 * What may differ between two runs of the same program, and nothing else: each rule says why. A value that both sides
 * show is no product of chance, so the rules for random values leave it alone. Texts have a character for each byte.
 */
import type { Side } from './sides.ts'

export type Origin = Pick<Side, 'root' | 'folder' | 'ports'>

interface Rule {
  readonly why: string
  readonly pattern: RegExp
  /** Undefined leaves the text as it is. */
  readonly replace: (found: readonly string[], context: Context) => string | undefined
}

interface Context {
  /** The answer of the other side. */
  readonly other: string
  /** Random values so far, in order of appearance. */
  readonly random: string[]
}

const startedAt = Date.now()
const toleranceMs = 5000

const rules: readonly Rule[] = [
  {
    why: 'Log lines, answers of now() and parts of /ready have the time of the run.',
    pattern: /\b\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?\b)?/g,
    replace: ([text = '', separator, fraction, zone = '']) => {
      const parsed = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`)
      // PostgreSQL leaves out zeros at the end of microseconds.
      const digits = fraction === undefined ? '' : `.${fraction.length <= 3 ? 'ms' : 'us'}`
      return isNow(parsed, zone) ? `<now ${separator}${digits}${zone}>` : undefined
    },
  },
  {
    why: 'The Date header has the time of the run.',
    pattern: /\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g,
    replace: ([text = '']) => (isNow(Date.parse(text)) ? '<now, GMT>' : undefined),
  },
  {
    why: '/health has the times of the start and of the answer, in milliseconds.',
    pattern: /\b1\d{12}\b/g,
    replace: ([text]) => (isNow(Number(text)) ? '<now, milliseconds>' : undefined),
  },
  {
    why: 'Ids of requests and messages are random; the same id gets the same number, so that its copies are compared.',
    pattern: /\b[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\b/g,
    replace: ([id = ''], context) => randomNumber(id, context, 'uuid'),
  },
  {
    why: 'Ids of traces and spans are random.',
    pattern: /\b00-[\da-f]{32}-[\da-f]{16}-0[01]\b/g,
    replace: ([id = ''], context) => randomNumber(id, context, 'traceparent'),
  },
  {
    why: 'The mock puts a hash of the request, which has a random id, into its answer.',
    pattern: /(?<![\w+/])[\w+/]{86}==/g,
    replace: ([hash = ''], context) => randomNumber(hash, context, 'sha512'),
  },
  {
    why: 'Log lines have how long something took: ms=1.5, waitedMs=0.2, "upstream_ms":3.',
    pattern: /\b((?:\w+M|\w+_m|m)s(?:=|":))\d+(?:\.\d+)?/g,
    replace: ([, name]) => `${name}<ms>`,
  },
  {
    why: 'check and test print how long they took.',
    pattern: /(\bin |\(|\btime=")\d+\.\d+( s\b|")/g,
    replace: ([, before, after]) => `${before}<s>${after}`,
  },
  {
    why: 'check reports its progress when it takes long.',
    pattern: /^\d+ of \d+ files\n/gm,
    replace: () => '',
  },
  {
    why: 'The mock ends its line about a request with how long it took.',
    pattern: /, \d+\.\d ms$/gm,
    replace: () => ', <ms> ms',
  },
  {
    why: 'A pool opens and closes connections, and looks whether databases answer, beside the requests and by the clock.',
    pattern:
      /^(sqlapi_(?:connections|calls_total|connection_wait_seconds_count|statement_duration_seconds_count))(\{[^}\n]*\}) \d+$/gm,
    replace: ([, name, labels]) => `${name}${labels} <value>`,
  },
  {
    why: 'Metrics of time, memory and the runtime depend on the machine; numbers of observations stay.',
    pattern: /^(\w+_seconds(?:_bucket|_sum)?|process_\w+|nodejs_\w+)(\{[^}\n]*\})? [\d.e+-]+$/gm,
    replace: ([, name, labels = '']) => `${name}${labels} <value>`,
  },
]

function isNow(milliseconds: number, zone: string = 'Z'): boolean {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?/.exec(zone) ?? []
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
  const instant = milliseconds - offset
  return instant > startedAt - toleranceMs && instant < Date.now() + toleranceMs
}

function randomNumber(value: string, { other, random }: Context, name: string): string | undefined {
  if (other.includes(value)) return undefined
  const index = random.indexOf(value)
  return `<${name} ${index === -1 ? random.push(value) : index + 1}>`
}

/** Replaces what is volatile; `other` is the answer of the other side, unchanged. */
export function withoutVolatile(answer: string, other: string): string {
  const context: Context = { other, random: [] }
  let text = answer
  for (const { pattern, replace } of rules) {
    text = text.replaceAll(pattern, (...found: unknown[]) => {
      const groups = found.slice(
        0,
        found.findIndex((each) => typeof each === 'number'),
      ) as string[]
      return replace(groups, context) ?? String(found[0])
    })
  }
  return text
}

const address = /\b((?:127\.0\.0\.1|localhost):)(\d{4,5})\b/g

/**
 * Replaces the places of a side: its folders, and the ports that the system chose for its listeners. At the time of the
 * answer, because a later listener may get the same port.
 */
export function withoutPlaces(answer: string, { root, folder, ports }: Origin): string {
  return withoutLength(answer)
    .replaceAll(folder, '<folder>')
    .replaceAll(root, '<checkout>')
    .replaceAll(address, (text, host: string, port: string) => {
      const name = ports.get(Number(port))
      return name === undefined ? text : `${host}<port of ${name}>`
    })
}

/**
 * The length of a body is checked here, and the bodies are compared: a reviewed difference in a body is then no second
 * difference in its length.
 */
function withoutLength(answer: string): string {
  const end = answer.indexOf('\r\n\r\n')
  if (!answer.startsWith('HTTP/1.1 ') || end === -1) return answer
  const length = answer.length - end - 4
  return answer.replace(/^(content-length: )(\d+)\r$/im, (line, name: string, declared: string) =>
    Number(declared) === length ? `${name}<length of the body>\r` : line,
  )
}
