/**
 * The id under which a message can be followed through X-Road: on every reply about an endpoint and on every error. The
 * lanes decide it for messages that go out; here is what it is for those that do not, and how a reply carries it.
 */
import { randomUUID } from 'node:crypto'
import type { FileReply, RawHeaders, Reply } from '../model.ts'
import { headerValues } from '../raw-headers.ts'
import { namedByConnection } from '../upstream/headers.ts'

/**
 * For a request that was refused before its lane gave it an id. The caller's own header may be what was wrong with it.
 */
export function idOfRefused(headers: RawHeaders): string {
  const given = headerValues(headers, 'x-road-id')
  const [id = ''] = given
  const isUsable = given.length === 1 && ascii.test(id) && !namedByConnection(headers)?.has('x-road-id')
  return isUsable ? id : randomUUID()
}

export function withId({ status, headers, body }: Reply | FileReply, id: string): Reply | FileReply {
  if (ascii.test(id)) return { status, headers: { ...headers, 'X-Road-Id': id }, body } as Reply | FileReply
  // One character for each byte, and the body apart: node:http writes a head as UTF-8 where it goes out with a text.
  const bytes = Buffer.from(id).toString('latin1')
  return { status, headers: { ...headers, 'X-Road-Id': bytes }, body: Buffer.from(body) }
}

const ascii = /^[\x21-\x7e][\x20-\x7e]*$/
