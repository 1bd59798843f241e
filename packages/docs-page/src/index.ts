/** What the services import. */
export { createDocsPage, type DocsPage, type DocsReply } from './docs-page.ts'
