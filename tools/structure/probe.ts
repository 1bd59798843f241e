/**
 * Runs before a service, in its process: at each message of the parent it answers with the files of the product that
 * have run a function since the last one, by V8's coverage, and with all that are loaded.
 */
import { Session } from 'node:inspector'
import { relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Paths below the root of the repository. */
export interface Coverage {
  readonly loaded: readonly string[]
  readonly ran: readonly string[]
}

interface Taken {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
  }[]
}

const root = resolve(import.meta.dirname, '../..')
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
/** V8 reports a file once: what was loaded before stays loaded. */
const loaded = new Set<string>()

process.on('message', () => {
  session.post('Profiler.takePreciseCoverage', (_error: Error | null, taken: Taken) => {
    const files = taken.result.flatMap(({ url, functions }) => {
      if (!url.startsWith('file:')) return []
      const file = relative(root, fileURLToPath(url)).split(sep).join('/')
      if (!/\/src\//.test(file) || /^\.\.|node_modules/.test(file)) return []
      loaded.add(file)
      return functions.some(({ ranges: [first] }) => first !== undefined && first.count > 0) ? [file] : []
    })
    const coverage: Coverage = { loaded: [...loaded].toSorted(), ran: files.toSorted() }
    process.send?.(coverage)
  })
})
process.channel?.unref()
