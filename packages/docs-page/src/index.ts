/** What the services import. */
export { createDocsPage, docsPaths, type DocsOptions, type DocsPage, type DocsReply } from './docs-page.ts'
