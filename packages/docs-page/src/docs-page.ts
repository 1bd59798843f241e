/**
 * The page at `/docs` and the files that it loads: name of a file and two headers of a request in, an answer out. Owns what the page
 * may load. The files lie in `browser/` and are read with the first request for them; their names are fixed here and never
 * come from a request. All addresses in them are relative, so that a proxy in front may add a path prefix.
 */
import { readFile } from 'node:fs/promises'
import { CodedContent, type CodedReply } from '@services/content-coding'

export interface DocsReply extends CodedReply {
  readonly mediaType: string
}

export interface DocsPage {
  /** Paths that belong to the page: `/docs` and one for each of its files. */
  readonly paths: readonly string[]
  /**
   * 200, or 304 for a copy that is still good. `accepted` is Accept-Encoding, `given` If-None-Match. Rejects where the files are
   * missing.
   */
  reply(path: string, accepted: string | undefined, given: string | undefined): Promise<DocsReply>
}

export interface DocsOptions {
  readonly title: string
  /** Where the OpenAPI document is, relative to `/docs`. */
  readonly description: string
}

/** All modules of the page; the first one loads the others. */
const modules = [
  'docs.js',
  'docs-answer.js',
  'docs-curl.js',
  'docs-description.js',
  'docs-element.js',
  'docs-field.js',
  'docs-form.js',
  'docs-json.js',
  'docs-list.js',
  'docs-operation.js',
  'docs-request.js',
  'docs-schema.js',
  'docs-table.js',
  'docs-tabs.js',
] as const

type FileName = 'docs.html' | 'docs.css' | 'docs.svg' | (typeof modules)[number]

/** Path -> file. One segment each, which no endpoint of either service can have. */
const files: ReadonlyMap<string, FileName> = new Map<string, FileName>([
  ['/docs', 'docs.html'],
  ...(['docs.css', 'docs.svg', ...modules] as const).map((name) => [`/${name}`, name] as const),
])

const mediaTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The page itself makes elements by calls and needs no markup of others, so not even a mistake of its own can run one. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
]

const headers = {
  'content-security-policy': policy.join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export function createDocsPage(options: DocsOptions): DocsPage {
  const kept = new Map<FileName, Promise<CodedContent>>()
  const open = (name: FileName): Promise<CodedContent> => {
    let content = kept.get(name)
    if (content === undefined) {
      content = readContent(name, options)
      kept.set(name, content)
      // The next request tries again to read the file.
      content.catch(() => kept.delete(name))
    }
    return content
  }
  return {
    paths: [...files.keys()],
    async reply(path, accepted, given) {
      const name = files.get(path)
      if (name === undefined) throw new Error(`the page has no file at ${path}`)
      const content = await open(name)
      return {
        ...(await content.reply(accepted, given)),
        mediaType: mediaTypes[name.slice(name.lastIndexOf('.') + 1)] as string,
      }
    },
  }
}

async function readContent(name: FileName, options: DocsOptions): Promise<CodedContent> {
  const bytes = await readFile(new URL(`./browser/${name}`, import.meta.url))
  return new CodedContent(name === 'docs.html' ? Buffer.from(fill(bytes.toString(), options)) : bytes, headers)
}

function fill(html: string, { title, description }: DocsOptions): string {
  // Fetched beside each other, not one after the other.
  const preloads = modules.map((name) => `<link rel="modulepreload" href="${name}">`).join('\n    ')
  return html
    .replaceAll('%preloads%', () => preloads)
    .replaceAll('%title%', () => escape(title))
    .replaceAll('%description%', () => escape(description))
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
