/** The pages that describe the endpoints (`openapi: true`); their code is loaded only when they are wanted. */
import type { Booted } from '../boot/boot.ts'
import type { Endpoint, Page } from '../model.ts'
import type { Database } from '../database/database.ts'
import { version } from '../version.ts'

export interface DescribedPages {
  readonly pages: readonly (readonly [path: string, page: Page])[]
  /** Once they are served. */
  start(): void
  replaceEndpoints(endpoints: Iterable<Endpoint>): void
  close(): void
}

const noPages: DescribedPages = {
  pages: [],
  start: () => undefined,
  replaceEndpoints: () => undefined,
  close: () => undefined,
}

export async function describePages(
  { config, datasources, endpoints, lockedTypes }: Booted,
  databases: ReadonlyMap<string, Database>,
): Promise<DescribedPages> {
  if (!config.openapi) return noPages
  const { openDescription } = await import('../openapi/description.ts')
  const { createApiPages } = await import('../openapi/pages.ts')
  const facts = { version, config, datasources, endpoints: endpoints.values() }
  const description = openDescription(facts, databases, lockedTypes)
  return {
    pages: createApiPages(() => description.read()),
    start: () => description.start(),
    replaceEndpoints: (endpoints) => description.replaceEndpoints(endpoints),
    close: () => description.close(),
  }
}
