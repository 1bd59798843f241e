/** What was read of the files -> the bytes of the description at /api. */
import type { calledAs } from '../boot/description/called-as.ts'
import { describeEndpointsInSteps } from '../boot/description/openapi.ts'
import { version } from '../version.ts'
import type { ReadSet } from './read-set.ts'
import { inSlices } from './slices.ts'

/** Made again, or where WSDL files are read the one of an earlier start, as long as it would be the same. */
export async function describeSet(read: ReadSet, clients: ReturnType<typeof calledAs>): Promise<Buffer> {
  const { endpoints, found, ingested, types, checks } = read
  const { dslPath, soapResponse, audit } = read.loaded.config
  const { refusing } = checks
  const possible = audit?.required === true ? (['audit_unavailable'] as const) : []
  const descriptions = await openDescriptions(found)
  const facts = { clients, refusing, possible, descriptions }
  const describe = async (): Promise<Buffer> =>
    Buffer.from(await inSlices(describeEndpointsInSteps(endpoints, version, types.described, facts)))
  if (ingested === undefined) return describe()
  const { pageKey, recallPage, rememberPage } = await import('../boot/description/page-memory.ts')
  const more = [
    version,
    soapResponse,
    possible,
    Array.from(types.bodies.keys(), ({ file }) => file),
    [...ingested.generated.keys()],
    [...clients.values()],
    Array.from(refusing, ({ file }) => file),
    found.digests ?? [],
  ]
  const key = await inSlices(pageKey(endpoints, ingested.keys, more))
  const known = recallPage(dslPath, key)
  if (known !== undefined) return known
  const page = await describe()
  rememberPage(dslPath, key, page)
  return page
}

/** Loaded only where DSL files name descriptions of REST services. */
async function openDescriptions({ descriptions }: ReadSet['found']) {
  if (descriptions === undefined) return undefined
  const { RestDescriptions } = await import('../boot/description/openapi-rest.ts')
  return new RestDescriptions(descriptions)
}
