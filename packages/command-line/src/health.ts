/**
 * Whether a service that runs here answers its callers: its address as the configuration has it in, an exit code out.
 * For the health checks of containers and supervisors, which otherwise would need an HTTP client in the image.
 */
import { exitCodes } from './exit-codes.ts'

// An import would load what Node.js has for browsers as well (http-shell/src/node/node-http.ts): a third of the time
// that a start takes.
const { get } = process.getBuiltinModule('node:http')

export interface HealthQuestion {
  /** The program; its name begins a problem. */
  readonly name: string
  /** The field of the configuration that has the port. */
  readonly field: string
  /** Reads what the service listens on from the configuration; may throw. */
  readonly address: () => { readonly host: string; readonly port: number }
  /** What a person reads about an error of `address`; undefined for one that is unexpected. */
  readonly explain: (error: unknown) => string | undefined
}

/** From the start of this process to its end. */
const withinMs = 1900
/** However slow the start was. */
const minMs = 200

/**
 * `GET /health` on the loopback where the service listens on all addresses. Sets the exit code: 0 for an answer with
 * status 200, else 1.
 */
export async function askHealth(question: HealthQuestion): Promise<void> {
  const problem = await findProblem(question)
  if (problem === undefined) return
  process.stderr.write(`${question.name}: ${problem}\n`)
  process.exitCode = exitCodes.failure
}

/** Undefined where all is well. */
async function findProblem({ field, address, explain }: HealthQuestion): Promise<string | undefined> {
  try {
    const { host, port } = address()
    if (port === 0) return `${field} takes any free port, so nobody knows which one to ask; name one`
    return await ask(host, port)
  } catch (error) {
    const problem = explain(error)
    if (problem === undefined) throw error
    return problem
  }
}

async function ask(host: string, port: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(Math.max(minMs, Math.floor(withinMs - performance.now())))
  const problems: string[] = []
  for (const each of toAsk(host)) {
    const problem = await askOne(each, port, signal)
    if (problem === undefined) return undefined
    problems.push(`http://${each.includes(':') ? `[${each}]` : each}:${port}/health ${problem}`)
  }
  return problems.join('; ')
}

/** An address for all of IPv6 takes IPv4 as well, and a container may have no IPv6. */
function toAsk(host: string): readonly string[] {
  if (host === '0.0.0.0') return ['127.0.0.1']
  return /^[0:]+$/.test(host) ? ['::1', '127.0.0.1'] : [host]
}

function askOne(host: string, port: number, signal: AbortSignal): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const request = get({ host, port, path: '/health', agent: false, signal }, (response) => {
    response.resume()
    resolve(response.statusCode === 200 ? undefined : `answers with status ${response.statusCode}, not 200`)
    request.destroy()
  })
  request.on('error', ({ message }) =>
    resolve(signal.aborted ? 'does not answer in time' : `does not answer: ${message}`),
  )
  return promise
}
