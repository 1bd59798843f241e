/**
 * The description of a running service: what it is made from now. Types come from the lock file and, where that says
 * nothing, from the databases, which are asked once the service has started; one that could not be asked is asked again
 * when somebody wants the description.
 */
import { setImmediate } from 'node:timers/promises'
import { documentationOf } from '../declarations/documentation.ts'
import { lockNameOf } from '../lock/lock.ts'
import type { Endpoint } from '../model.ts'
import type { Database } from '../database/database.ts'
import type { EndpointTypes } from '../endpoint-types/endpoint-types.ts'
import { datasourceFinder } from '../project-datasource.ts'
import { type ApiFacts, toApi } from './api.ts'
import { askDatabases } from './asking.ts'
import type { Api } from './document/operation.ts'

/** How long a request for the description waits for databases that are being asked. */
const patienceMs = 5000
/** How long a database that could not be asked is left alone. */
const pauseMs = 10_000

export interface LiveDescription {
  /** The same object as long as nothing new is known. */
  read(): Promise<Api>
  /** Begins to ask the databases. */
  start(): void
  /** Describes these from now on; what is known of an endpoint that stays is not asked again. */
  replaceEndpoints(endpoints: Iterable<Endpoint>): void
  /** Asks no more. */
  close(): void
}

/** `locked` is what the lock file says, by the names that it has for endpoints. */
export function openDescription(
  facts: ApiFacts,
  databases: ReadonlyMap<string, Database>,
  locked: ReadonlyMap<string, EndpointTypes>,
): LiveDescription {
  let endpoints = [...facts.endpoints]
  const datasourceOf = datasourceFinder(facts)
  const types = typesOf(endpoints, locked)
  const ending = new AbortController()
  let asking: Promise<void> | undefined
  let askAgainAt = Infinity
  let made: { readonly api: Api; readonly known: number } | undefined
  let isStale = false
  const ask = async (): Promise<void> => {
    const { failed } = await askDatabases({ endpoints, datasourceOf, databases, types }, ending.signal)
    askAgainAt = failed.size === 0 ? Infinity : performance.now() + pauseMs
    asking = undefined
    if (isStale && !ending.signal.aborted) askAnew()
  }
  /** Not beside questions about an earlier set: those end first. */
  const askAnew = (): void => {
    isStale = asking !== undefined
    if (!isStale) asking = ask()
  }
  return {
    async read() {
      if (asking === undefined && performance.now() >= askAgainAt) asking = ask()
      if (asking !== undefined) await Promise.race([asking, patience()])
      if (made?.known !== types.size) made = { api: toApi({ ...facts, endpoints }, types), known: types.size }
      return made.api
    },
    start() {
      asking = Promise.all([ask(), readComments(endpoints)]).then(() => undefined)
    },
    replaceEndpoints(next) {
      endpoints = [...next]
      const described = new Set(endpoints)
      for (const endpoint of types.keys()) if (!described.has(endpoint)) types.delete(endpoint)
      made = undefined
      askAnew()
    },
    close() {
      ending.abort()
    },
  }
}

/** Those endpoints that are missing in it are asked about. */
export function typesOf(
  endpoints: Iterable<Endpoint>,
  locked: ReadonlyMap<string, EndpointTypes>,
): Map<Endpoint, EndpointTypes> {
  const types = new Map<Endpoint, EndpointTypes>()
  for (const endpoint of endpoints) {
    const known = locked.get(lockNameOf(endpoint))
    if (known !== undefined) types.set(endpoint, known)
  }
  return types
}

/** One takes a millisecond or two, and there may be hundreds: requests are answered between them. */
async function readComments(endpoints: readonly Endpoint[]): Promise<void> {
  for (const { declarations } of endpoints) {
    if (declarations?.yaml === undefined) continue
    documentationOf(declarations)
    await setImmediate()
  }
}

function patience(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  setTimeout(resolve, patienceMs).unref()
  return promise
}
