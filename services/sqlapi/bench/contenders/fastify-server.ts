/** Fastify that answers every GET with the text in BENCH_BODY. BENCH_FASTIFY is where it is installed. */
import { pathToFileURL } from 'node:url'

/** What is used of it; its own types are not installed. */
interface Fastify {
  get(path: string, handler: (request: unknown, reply: Reply) => void): void
  listen(options: { port: number; host: string }): Promise<string>
}

interface Reply {
  type(name: string): Reply
  send(body: string): void
}

const body = process.env['BENCH_BODY'] ?? '[]'
const { fastify } = (await import(pathToFileURL(process.env['BENCH_FASTIFY'] ?? '').href)) as {
  readonly fastify: () => Fastify
}

const app = fastify()
app.get('/*', (_request, reply) => reply.type('application/json').send(body))
const address = await app.listen({ port: 0, host: '127.0.0.1' })
console.log(`Listening address=${new URL(address).host}`)
