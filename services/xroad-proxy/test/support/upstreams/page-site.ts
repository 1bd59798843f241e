/** A web server over plain HTTP whose pages a test writes: for what is fetched from an address. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Page = string | ((response: ServerResponse) => void)

export interface PageSite {
  /** Its address without a path. */
  readonly base: string
  /** By path and query string; for others the answer is 404. */
  pages: Record<string, Page>
  /** Path and query string of each request. */
  asked: string[]
  close(): void
}

export async function openSite(): Promise<PageSite> {
  const server = createServer((request, response) => {
    const { url = '' } = request
    site.asked.push(url)
    const page = site.pages[url]
    if (typeof page === 'function') return page(response)
    response.writeHead(page === undefined ? 404 : 200).end(page ?? 'no such page')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const site: PageSite = {
    base: `http://127.0.0.1:${port}`,
    pages: {},
    asked: [],
    close: () => server.close(),
  }
  return site
}
