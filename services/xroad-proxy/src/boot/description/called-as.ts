/**
 * Endpoints -> as whom their calls go out, where that differs between them; nothing where all go out as `client_data`.
 * Pure.
 */
import type { Endpoint, Identity } from '../../model.ts'
import { toClientName } from '../../xroad.ts'
import { identityOf } from '../config/client-identity.ts'
import type { Config } from '../config/schema.ts'

/** A direct call that names nobody goes out as nobody. */
export function calledAs(
  endpoints: readonly Endpoint[],
  config: Pick<Config, 'client' | 'clients'>,
): ReadonlyMap<Endpoint, string> {
  if (endpoints.every(({ client }) => client === undefined)) return new Map()
  return new Map(
    endpoints.flatMap((endpoint): [Endpoint, string][] => {
      const isNamed = endpoint.kind === 'rest' || endpoint.url === undefined || endpoint.envelope.namesClient
      const identity: Identity | undefined = isNamed ? identityOf(config, endpoint.client) : undefined
      return identity === undefined ? [] : [[endpoint, toClientName(identity)]]
    }),
  )
}
