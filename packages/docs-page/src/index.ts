/** What the services import. */
export { createDocsPage, docsPaths, leadToDocs } from './docs-page.ts'
