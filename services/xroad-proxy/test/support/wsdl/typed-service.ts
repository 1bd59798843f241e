/** The whole service with a WSDL of one operation, `/owner/op`, in front of a Security Server that the test plays. */
import { join } from 'node:path'
import { type Reply, type Files, newFolder } from '@services/testing'
import { type Lanes, startLanes } from '../lanes.ts'
import { startUpstream, toAnswer } from '../upstreams/upstream.ts'

export interface TypedService {
  readonly lanes: Lanes
  /** Warnings of the start. */
  readonly warnings: readonly string[]
  /** A call whose answer is this. */
  call(answer: string | Buffer, options?: { readonly type?: string; readonly path?: string }): Promise<Reply>
  api(): Promise<Description>
  close(): Promise<void>
}

export interface Schema {
  readonly [keyword: string]: unknown
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Content {
  readonly 'application/json': { readonly schema: Schema; readonly example?: unknown }
}

/** As much of it as tests look at. */
export interface Description {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly [field: string]: unknown
            readonly requestBody: { readonly content: Content }
            readonly responses: Readonly<Record<string, { readonly content: Content }>>
          }
        >
      >
    >
  >
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export interface TypedServiceOptions {
  /** Files below `wsdl_watch_dir`, which is not set without them. */
  readonly wsdl?: Files
  readonly dsl?: Files
  readonly config?: Readonly<Record<string, unknown>>
}

export async function startTypedService({ wsdl, dsl = {}, config = {} }: TypedServiceOptions): Promise<TypedService> {
  let answer: Buffer = Buffer.alloc(0)
  const upstream = await startUpstream((socket) => void socket.write(answer), { tls: 'mock' })
  const folder = newFolder(wsdl)
  const watched = wsdl === undefined ? {} : { wsdl_watch_dir: join(folder) }
  const all = { ...watched, ...config, security_server: { url: upstream.url } }
  const lanes = await startLanes({ dsl, config: all }).catch(async (error: unknown) => {
    await upstream.close()
    throw error
  })
  return {
    lanes,
    warnings: lanes.log.filter(({ event }) => event === 'warning').map(({ message }) => String(message)),
    async call(body, { type, path = '/owner/op' } = {}) {
      answer = Buffer.from(toAnswer(body, type === undefined ? {} : { type }))
      return lanes.call(path, { method: 'POST', body: '{}' })
    },
    async api() {
      const { text } = await lanes.call('/api')
      return JSON.parse(text) as Description
    },
    async close() {
      await lanes.close()
      await upstream.close()
    },
  }
}
