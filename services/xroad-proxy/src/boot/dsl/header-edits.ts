/**
 * What a REST file says of request headers -> what is taken from those of the caller and what is set, or what is wrong
 * with it. A value may come from an environment variable: whether it can be a value is checked here, and the value
 * itself goes nowhere but to `toHeaderPairs`, for the calls. It is in no endpoint, message or description.
 */
import type { Environment, Problem } from '@services/config-file'
import { isReserved } from '../../header-names.ts'
import type { HeaderEdits, SetHeader } from '../../model.ts'

/** As the file has it. */
export interface GivenHeaders {
  readonly remove: readonly string[]
  readonly set: Readonly<Record<string, string | { readonly env: string }>>
}

/** Steps of the problems begin with `headers`. */
export function readHeaderEdits(
  { remove, set }: GivenHeaders,
  env: Environment,
): { readonly edits: HeaderEdits | undefined; readonly problems: readonly Problem[] } {
  const edits: HeaderEdits = {
    remove: remove.map((name) => name.toLowerCase()),
    set: Object.entries(set).map(([name, value]) => ({ name, value })),
  }
  const isEmpty = edits.remove.length === 0 && edits.set.length === 0
  const names = edits.set.map(({ name }) => name.toLowerCase())
  const problems = [
    ...remove.flatMap((name, at) => told(['headers', 'remove', at], removeProblem(name))),
    ...edits.set.flatMap((header, at) => {
      const isTwice = names.indexOf(header.name.toLowerCase()) !== at
      const problem = isTwice ? 'is there already, in another spelling; keep one' : setProblem(header, env)
      return told(['headers', 'set', header.name], problem)
    }),
  ]
  return { edits: isEmpty ? undefined : edits, problems }
}

function told(path: Problem['path'], message: string | undefined): Problem[] {
  return message === undefined ? [] : [{ path, message }]
}

function removeProblem(name: string): string | undefined {
  const problem = nameProblem(name)
  if (problem === undefined || problem === badName)
    return problem && `found ${JSON.stringify(name.slice(0, 64))}, ${problem}`
  return `found ${name}, ${problem}`
}

function setProblem({ name, value }: SetHeader, env: Environment): string | undefined {
  const problem = nameProblem(name)
  if (problem !== undefined) return problem === badName ? problem : `is a header ${problem}`
  if (name.toLowerCase() === 'x-road-id') return 'each message has an id of its own; remove the line'
  return typeof value === 'string' ? textProblem(value) : variableProblem(value.env, env)
}

const badName = 'a name of a header has letters, digits and -, such as X-Api-Key'

/** Why no file may touch a header; the cures are in docs/rest.md as well. */
const reserved: Readonly<Record<string, string>> = {
  'x-road-client': 'which says who calls; client_data of the configuration has it',
  host: 'which names the Security Server; security_server.url of the configuration has it',
  'content-length': 'which is written anew with each body',
  expect: 'which was answered here',
}

function nameProblem(name: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return badName
  const lower = name.toLowerCase()
  if (!isReserved(lower)) return undefined
  return `${reserved[lower] ?? 'which belongs to a connection and never goes on'}; remove the line`
}

function textProblem(text: string): string | undefined {
  if (/[\r\n]/.test(text)) return 'found a line break in the value, which no header can have; write it in one line'
  return isValue(text) ? undefined : 'found control characters in the value, which no header can have'
}

/** Never shows the value. */
function variableProblem(variable: string, env: Environment): string | undefined {
  const value = env[variable]
  const cure = 'set it to the value of the header'
  if (value === undefined) return `environment variable ${variable} is not set; ${cure}`
  if (value.trim() === '') return `environment variable ${variable} is empty; ${cure}`
  if (/[\r\n]/.test(value)) {
    return `environment variable ${variable} has a line break, often one at its end; set it without`
  }
  return isValue(value) ? undefined : `environment variable ${variable} has control characters; ${cure}`
}

function isValue(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return text.isWellFormed() && !/[\0-\x08\x0a-\x1f\x7f]/.test(text)
}

/** Names and values in turn, one character for each byte. For edits that have been checked with the same variables. */
export function toHeaderPairs({ set }: HeaderEdits, env: Environment): string[] {
  return set.flatMap(({ name, value }) => {
    const text = typeof value === 'string' ? value : (env[value.env] ?? '')
    return [name, Buffer.from(text.trim()).toString('latin1')]
  })
}
