/**
 * The page at `/docs`: path and headers of a request in, a reply out. The page itself is a package that knows no
 * service; here is what it says of this one: as whom calls go out, and that they are real.
 */
import { createDocsPage, leadToDocs } from '@services/docs-page'
import type { FileReply, Identity, RawHeaders, Reply } from '../../model.ts'
import { headerValue } from '../../raw-headers.ts'
import { toClientName } from '../../xroad.ts'

export interface DocsPage {
  /** 200, or 304 for a copy that is still good. Rejects where the files of the page are missing. */
  reply(path: string, headers: RawHeaders): Promise<FileReply>
  /** Leads a browser from `/` to the page. */
  readonly leading: Reply
}

/** What people read of the configuration. */
export interface DocsSubject {
  readonly client: Identity
  readonly docs: { readonly showUpstream: boolean }
  readonly securityServer?: { readonly url: string } | undefined
}

export interface DocsOptions {
  /** Whether endpoints call as different clients; each then says its own in the description. */
  readonly hasSeveralClients?: boolean
}

export function openDocsPage(
  { client, docs, securityServer }: DocsSubject,
  { hasSeveralClients = false }: DocsOptions = {},
): DocsPage {
  const { instance } = client
  const page = createDocsPage({
    title: 'xroad-proxy',
    description: 'api',
    banner: isForTrying(instance) ? undefined : `Calls from this page are real: ${instance} is not a test instance.`,
    facts: [
      ['Instance', instance],
      [
        'Client',
        hasSeveralClients ? 'differs, see each endpoint' : toClientName(client) || 'not set: client_data is empty',
      ],
      ...(docs.showUpstream && securityServer !== undefined ? [toFact(securityServer.url)] : []),
    ],
  })
  return {
    leading: { ...leadToDocs, body: '' },
    async reply(path, headers) {
      const accepted = headerValue(headers, 'accept-encoding')
      const { mediaType, ...reply } = await page.reply(path, accepted, headerValue(headers, 'if-none-match'))
      return { ...reply, headers: { ...reply.headers, 'content-type': mediaType } }
    },
  }
}

/** An instance for trying says so in its name, such as ee-test. */
function isForTrying(instance: string): boolean {
  return /test|dev/i.test(instance)
}

function toFact(url: string): readonly [string, string] {
  return ['Security Server', new URL(url).host]
}
