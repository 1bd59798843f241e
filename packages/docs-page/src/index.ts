/** What the services import. */
export { createDocsPage, docsPaths } from './docs-page.ts'
