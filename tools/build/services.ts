/** What the build has to know of each service; without a row all works, in more files. */
import { basename } from 'node:path'

export interface ServiceBuild {
  /** Modules of `src` that are found by their place: they begin a process, or a `require` loads them. */
  readonly foundByPlace: readonly string[]
  /**
   * The same where little of the service is needed: each is one file with all of it, and loads no other. CommonJS,
   * because a thread that never meets another module system starts a seventh sooner.
   */
  readonly standalone: readonly string[]
  /**
   * What a start loads in any case lies in few files, because each costs it up to a millisecond. A module belongs to
   * the first part whose modules import it; what belongs to no part is divided by who loads it.
   */
  readonly parts: Readonly<Record<string, readonly string[]>>
  /** Modules that each of these groups reaches are the part before the others: a process loads nothing of another. */
  readonly sharedBy: readonly (readonly string[])[]
}

/** What every kind of database imports. */
const ofDatabases = ['statement-spans', 'result', 'redact', 'int64', 'pool/history', 'pool/pool']
const databases = ['json/keys.ts', ...ofDatabases.map((module) => `database/${module}.ts`)]
const kinds = ['database/sqlite/sqlite.ts', 'database/postgres/postgres.ts']

const services: Readonly<Record<string, ServiceBuild>> = {
  sqlapi: {
    foundByPlace: ['workers/worker.ts'],
    standalone: ['database/sqlite/worker/worker.ts', 'database/sqlite/workplaces/host.ts'],
    // A worker loads the service and its databases late.
    sharedBy: [['main.ts'], ['workers/worker.ts', 'service.ts', ...databases, ...kinds]],
    parts: {
      program: ['main.ts'],
      databases,
      service: ['service.ts'],
      sqlite: ['database/sqlite/sqlite.ts'],
      postgres: ['database/postgres/postgres.ts'],
    },
  },
  'xroad-proxy': {
    foundByPlace: ['soap/check/declaration.ts'],
    standalone: [],
    parts: { program: ['main.ts'], service: ['service.ts', 'reload/live-service.ts'] },
    sharedBy: [],
  },
}

const ofOthers: ServiceBuild = { foundByPlace: [], standalone: [], parts: {}, sharedBy: [] }

/** `service` is its folder. */
export function buildOf(service: string): ServiceBuild {
  return services[basename(service)] ?? ofOthers
}
