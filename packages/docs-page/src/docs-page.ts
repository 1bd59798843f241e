/**
 * The page at `/docs` and the files that it loads: name of a file and two headers of a request in, an answer out. Owns
 * what the page may load. The files lie in `browser/` and are read with the first request for them; their names are
 * fixed here and never come from a request. All addresses in them are relative, so that a proxy in front may add a path
 * prefix.
 */
import { readFile } from 'node:fs/promises'
import { CodedContent, type CodedReply } from '@services/content-coding'

export interface DocsReply extends CodedReply {
  readonly mediaType: string
}

export interface DocsPage {
  /**
   * 200, or 304 for a copy that is still good. `accepted` is Accept-Encoding, `given` If-None-Match. Rejects where the
   * files are missing.
   */
  reply(path: string, accepted: string | undefined, given: string | undefined): Promise<DocsReply>
}

export interface DocsOptions {
  readonly title: string
  /** Where the OpenAPI document is, relative to `/docs`. */
  readonly description: string
  /** A line above everything else: what people have to know before they send a call. */
  readonly banner?: string | undefined
  /** Names and texts that are true of all calls. */
  readonly facts?: readonly (readonly [name: string, text: string])[]
}

/** All modules of the page, below `browser/`; the first one loads the others. */
const modules = [
  'docs.js',
  'docs-list.js',
  'docs-operation.js',
  'docs-outline.js',
  'answer/docs-answer.js',
  'answer/docs-content.js',
  'answer/docs-object.js',
  'answer/docs-problem.js',
  'answer/docs-table.js',
  'description/docs-body-types.js',
  'description/docs-description.js',
  'description/docs-parts.js',
  'description/docs-responses.js',
  'description/docs-schema.js',
  'element/docs-element.js',
  'element/docs-tabs.js',
  'request/docs-body.js',
  'request/docs-curl.js',
  'request/docs-field.js',
  'request/docs-form.js',
  'request/docs-media.js',
  'request/docs-parameter.js',
  'request/docs-request.js',
  'text/docs-json.js',
  'text/docs-xml.js',
] as const

type FileName = 'docs.html' | 'docs.css' | 'docs.svg' | (typeof modules)[number]

/** Path -> file. One segment each, which no endpoint of either service can have. */
const files: ReadonlyMap<string, FileName> = new Map<string, FileName>([
  ['/docs', 'docs.html'],
  ...(['docs.css', 'docs.svg', ...modules] as const).map((name) => [`/${servedName(name)}`, name] as const),
])

/** Paths that belong to the page: `/docs` and one for each of its files. */
export const docsPaths: readonly string[] = [...files.keys()]

/**
 * The reply that leads a browser, which accepts `text/html`, from `/` to the page. Its address is relative, as all
 * addresses of the page.
 */
export const leadToDocs = {
  status: 302,
  headers: { location: 'docs', vary: 'Accept', 'content-type': 'text/html; charset=utf-8' },
} as const

const mediaTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * The page itself makes elements by calls and needs no markup of others, so not even a mistake of its own can run one.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // A picture that a service answers with.
  "img-src 'self' blob:",
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
  const text = (await readFile(new URL(`./browser/${name}`, import.meta.url))).toString()
  return new CodedContent(Buffer.from(name === 'docs.html' ? fill(text, options) : flatten(text)), headers)
}

function servedName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

const importedFolder = /(?<=\bfrom )'[./\w-]*\/(?=docs[\w-]*\.js')/g

/** Folders are for readers of the sources; to a browser all modules lie side by side. */
function flatten(source: string): string {
  return source.replaceAll(importedFolder, "'./")
}

function fill(html: string, { title, description, banner, facts = [] }: DocsOptions): string {
  // Fetched beside each other, not one after the other.
  const preloads = modules.map((name) => `<link rel="modulepreload" href="${servedName(name)}">`).join('\n    ')
  const pairs = facts.map(([name, text]) => `<div><dt>${escape(name)}</dt><dd>${escape(text)}</dd></div>`)
  const places: Readonly<Record<string, string>> = {
    preloads,
    title: escape(title),
    description: escape(description),
    banner: banner === undefined ? '' : `<p class="banner" role="note">${escape(banner)}</p>`,
    facts: pairs.length === 0 ? '' : `<dl class="about">${pairs.join('')}</dl>`,
  }
  return html.replaceAll(/%(\w+)%/g, (whole, name: string) => places[name] ?? whole)
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
