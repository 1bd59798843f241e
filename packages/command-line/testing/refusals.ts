/**
 * A start that is refused: the process ends by itself with 1, and its last line of log, the only one of an error, says
 * why. A process that was started comes in with what its line must name.
 */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from 'node:assert/strict'
import { type Ended, type Files, linesOf, type Spawned } from '@services/testing'

/** A row of a service's table of refusals. */
export interface RefusalCase<ErrorName extends string> {
  readonly title: string
  /** Files below the folder of endpoints. */
  readonly files?: Files
  /** Fields of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>
  /** The whole text of the configuration instead. */
  readonly yaml?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** Puts into the folder what cannot be said with files. */
  readonly prepare?: (folder: string) => void
  /** The program and its first arguments instead of the service's own. */
  readonly command?: readonly string[]
  readonly error: ErrorName
  /** What the message must name. */
  readonly names: readonly (string | RegExp)[]
  readonly skip?: string | false
}

export interface RefusedStart extends Pick<RefusalCase<string>, 'error' | 'names'> {
  readonly spawned: Pick<Spawned, 'ended' | 'kill'>
  readonly format: 'text' | 'json'
  /** What lines of the log in text call the service. */
  readonly target: string
}

/** A process that starts although it should not is killed then. */
const endsWithinMs = 60_000

/** Waits for the end, checks all that is the same for every refusal, and gives what the process has written. */
export async function checkRefused({ spawned, format, target, error, names }: RefusedStart): Promise<Ended> {
  const timer = setTimeout(() => spawned.kill('SIGKILL'), endsWithinMs)
  const end = await spawned.ended
  clearTimeout(timer)
  deepStrictEqual([end.code, end.signal, end.stderr], [1, null, ''], end.stdout)
  const lines = linesOf(end.stdout)
  const line = lines.at(-1) ?? ''
  deepStrictEqual(
    lines.filter((each) => /"level":"error"| ERROR /.test(each)),
    [line],
    end.stdout,
  )
  doesNotMatch(end.stdout, /Listening|Stopped| at .*\.ts|node:/)
  let message = line.replaceAll('\\"', '"')
  if (format === 'json') {
    const record = JSON.parse(line) as Record<string, string>
    deepStrictEqual([record['level'], record['event'], record['error']], ['error', 'startupFailure', error])
    message = record['message'] ?? ''
  } else {
    match(line, new RegExp(String.raw`^\d{4}-\d\d-\d\dT[\d:.]+Z ERROR ${target}: .+ error=${error}$`))
  }
  for (const named of names) {
    if (typeof named === 'string') strictEqual(message.includes(named), true, `${named} in ${line}`)
    else match(message, named)
  }
  return end
}
