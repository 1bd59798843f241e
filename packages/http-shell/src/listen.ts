/**
 * Host and port -> a server that listens, or the reason why it cannot, in words for the operator. The caller adds which
 * field of which configuration named the address.
 */
import type { AddressInfo, Server } from 'node:net'

export interface Address {
  readonly host: string
  readonly port: number
}

/** The server cannot listen on the address. The message completes a sentence that begins with the address. */
export class ListenProblem extends Error {
  constructor(code: string) {
    super(problems[code] ?? `cannot be used to listen on (${code})`)
    this.name = 'ListenProblem'
  }
}

/** Returns the address as bound, `host:port`, and its port. Rejects with a ListenProblem. */
export async function listen(server: Server, { host, port }: Address): Promise<{ address: string; port: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const refuse = ({ code = 'unknown' }: NodeJS.ErrnoException): void => reject(new ListenProblem(code))
  server.once('error', refuse)
  server.listen({ host, port }, resolve)
  await promise
  server.off('error', refuse)
  const bound = server.address() as AddressInfo
  const name = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address
  return { address: `${name}:${bound.port}`, port: bound.port }
}

const problems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process; stop that process or choose another port',
  EADDRNOTAVAIL: 'is not an address of this machine; 0.0.0.0 listens on all addresses',
  EACCES: 'may not be used by this user; choose a port above 1023',
  ENOTFOUND: 'is not a known host name',
}
