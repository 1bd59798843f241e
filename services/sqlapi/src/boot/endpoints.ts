/**
 * The tree of `.sql` files -> the map of endpoints, read and scanned once. Refuses (StartupFailure) what would leave an
 * operator guessing: colliding or empty files, files that are not text, links that lead out of the tree. Of several
 * problems a start hears the first in the order of names, whichever is found first; a caller that asks for all hears of
 * all. tree.ts has the layout, endpoint-file.ts one file.
 */
import { endpointKey } from '../endpoint-key.ts'
import type { Dialect, Endpoint } from '../model.ts'
import { type Content, readContent, toEndpoint } from './endpoint-file.ts'
import { FileRefusal } from './file-refusal.ts'
import type { Ignored } from './ignored.ts'
import { openRoot, walkTree } from './tree.ts'

/** Keys as endpoint-key.ts makes them. */
export type Endpoints = ReadonlyMap<string, Endpoint>

/** How many files are read ahead while others are scanned; each is an open file. */
const readsAhead = 32

export interface LoadingOptions {
  /** Told of what is not published, in the order of names. */
  readonly ignored?: (what: Ignored) => void
  /** Told of each file that cannot be loaded, and the others are; without it the first one is thrown. */
  readonly refused?: (refusal: FileRefusal) => void
  /** Where `sql_dir` comes from, for messages. */
  readonly origin?: string | undefined
}

/** Scans for the given dialects only. */
export async function loadEndpoints(
  sqlDir: string,
  dialectsInUse: ReadonlySet<Dialect>,
  { ignored = () => undefined, refused = refuse, origin }: LoadingOptions = {},
): Promise<Endpoints> {
  const root = openRoot(sqlDir, origin)
  const endpoints = new Map<string, Endpoint>()
  const walker = { ignored, refused: (failure: Error) => refused(toRefusal(failure)) }
  for (const { project, method, files } of walkTree(root, walker)) {
    const place = { root, project, method, dialectsInUse }
    for await (const [file, content] of readInOrder(files)) {
      const endpoint = toEndpointIfAny(file, content, place, refused)
      const other = endpoint && addEndpoint(endpoints, endpoint)
      if (other !== undefined) refused(collisionOf(other, endpoint as Endpoint))
    }
  }
  for (const [single, batch] of batchCollisions(endpoints)) refused(collisionOf(single, batch))
  return endpoints
}

function refuse(failure: Error): never {
  throw failure
}

/** What is not about a single file ends the walk. */
function toRefusal(failure: unknown): FileRefusal {
  if (failure instanceof FileRefusal) return failure
  throw failure
}

function toEndpointIfAny(
  file: string,
  content: Content,
  place: Parameters<typeof toEndpoint>[2],
  refused: (refusal: FileRefusal) => void,
): Endpoint | undefined {
  try {
    return toEndpoint(file, content, place)
  } catch (error) {
    refused(toRefusal(error))
    return undefined
  }
}

/** Reads ahead, but yields one file after the other; where a file could not be read, its error. */
async function* readInOrder(files: readonly string[]): AsyncGenerator<[file: string, content: Content]> {
  const begun = files.slice(0, readsAhead).map(readContent)
  for (const [index, file] of files.entries()) {
    const content = (await begun.shift()) as Content
    const next = files[index + readsAhead]
    if (next !== undefined) begun.push(readContent(next))
    yield [file, content]
  }
}

/** Adds nothing where another file has the URL, and gives that one. */
export function addEndpoint(endpoints: Map<string, Endpoint>, endpoint: Endpoint): Endpoint | undefined {
  const key = endpointKey(endpoint.method, endpoint.path)
  const other = endpoints.get(key)
  if (other === undefined) endpoints.set(key, endpoint)
  return other
}

/** `POST/x/batch.sql` would be the batch variant of `POST/x.sql`. */
export function* batchCollisions(endpoints: Endpoints): Generator<[single: Endpoint, batch: Endpoint]> {
  for (const [key, endpoint] of endpoints) {
    if (endpoint.method !== 'POST' || !key.endsWith('/batch')) continue
    const single = endpoints.get(key.slice(0, -'/batch'.length))
    if (single !== undefined) yield [single, endpoint]
  }
}

export function collisionOf(one: Endpoint, other: Endpoint): FileRefusal {
  const url = `${other.method} ${other.path}`
  return new FileRefusal(
    [one.file, other.file],
    `give the same endpoint ${url} (case does not count, /batch is the batch variant)`,
    'rename one',
  )
}
