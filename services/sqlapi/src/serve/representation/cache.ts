/**
 * What the reply of a GET file with `@cache` tells caches, and whether the client has it already: a reply, what the
 * file declares and `If-None-Match` in, a reply out. The service itself keeps no reply: the SQL has run by then.
 */
import { etagOf, isKnown } from '@services/content-coding/etag'
import { Readable } from 'node:stream'
import type { DeclaredCache, Reply } from '../../model.ts'
import { addVary } from './vary.ts'

/** A longer reply is not told to caches. Bytes. */
const maxLength = 1024 * 1024

/** What the reply to one URL depends on, besides the origin and the coding. */
const varies = 'X-Datasource, Accept'

/** 200, or 304 for a copy that is still good. A reply that is too long comes out as it went in. */
export function forCaches(reply: Reply, { seconds, isPublic }: DeclaredCache, given: string | undefined): Reply {
  const content = reply.body?.content
  if (content === undefined || content instanceof Readable) return reply
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  if (bytes.length > maxLength) return reply
  const etag = etagOf(bytes)
  const headers = {
    ...addVary(reply.headers, varies),
    'cache-control': `${isPublic ? 'public' : 'private'}, max-age=${seconds}`,
    etag,
  }
  return isKnown(etag, given) ? { status: 304, headers, body: undefined } : { ...reply, headers }
}
