/**
 * The pages of the description: `/openapi.json` for programs, `/docs` for people. The document is made with the first
 * request for it, and again only after what it is made from has changed.
 */
import { CodedContent, type CodedReply } from '@services/content-coding'
import { createDocsPage, docsPaths, leadToDocs } from '@services/docs-page'
import { jsonType } from '../json/body.ts'
import type { Page, Reply } from '../model.ts'
import { writeDocument } from './document/document.ts'
import type { Api } from './document/operation.ts'

const documentPath = '/openapi.json'

/** `readApi` gives the same object as long as nothing has changed. */
export function createApiPages(readApi: () => Api | Promise<Api>): readonly (readonly [path: string, page: Page])[] {
  const docs = createDocsPage({ title: 'sqlapi', description: documentPath.slice(1) })
  let made: { readonly api: Api; readonly content: CodedContent } | undefined
  const document: Page = async (headers) => {
    const api = await readApi()
    if (made?.api !== api) made = { api, content: new CodedContent(Buffer.from(writeDocument(api))) }
    return toReply(await made.content.reply(headers['accept-encoding'], headers['if-none-match']), jsonType)
  }
  const pages = docsPaths.map((path): [string, Page] => [
    path,
    async (headers) => {
      const reply = await docs.reply(path, headers['accept-encoding'], headers['if-none-match'])
      return toReply(reply, reply.mediaType)
    },
  ])
  return [[documentPath, document], ['/', () => ({ ...leadToDocs, body: undefined })], ...pages]
}

/** A 304 has no body. */
function toReply({ status, headers, body }: CodedReply, mediaType: string): Reply {
  return { status, headers, body: status === 304 ? undefined : { mediaType, content: body } }
}
