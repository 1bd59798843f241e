/**
 * The built site on a port of the loopback, for reading it before it is published. Gives files of one folder, and
 * nothing else.
 */
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

export interface Served {
  readonly url: string
  close(): Promise<void>
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** @param base the path that the site was built for */
export async function serve(folder: string, base: string, port = 0): Promise<Served> {
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://site')
    const file = pathname.startsWith(base) ? find(folder, pathname.slice(base.length)) : undefined
    const found = file ?? join(folder, '404.html')
    response.writeHead(file === undefined ? 404 : 200, { 'Content-Type': mediaTypes[extname(found)] ?? 'text/plain' })
    response.end(readFileSync(found))
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${taken}${base}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** As servers of static sites do: `page` is `page.html`, and a folder its index. */
function find(folder: string, path: string): string | undefined {
  let below: string
  try {
    below = normalize(`/${decodeURIComponent(path)}`)
  } catch {
    return undefined
  }
  return [below, `${below}.html`, join(below, 'index.html')]
    .map((name) => join(folder, name))
    .find((name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true)
}
