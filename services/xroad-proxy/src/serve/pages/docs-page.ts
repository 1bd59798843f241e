/**
 * The page at `/docs` that shows the description of `/api` and sends calls, and the files it needs. The name of a file and the
 * headers of a request come in, a reply goes out. Owns what the page may load.
 *
 * The viewer is Swagger UI from npm. It reads the files with the first request for them and keeps only their compressed form; their
 * paths are fixed here and never come from a request. All URLs are relative, so that a proxy in front may add a path prefix.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
import { chooseCoding, etagOf, isKnown } from '@services/content-coding'
import { valueOf } from './header-value.ts'
import type { FileReply, RawHeaders } from '../../model.ts'
import type { DocsFile } from '../route.ts'

export interface DocsPage {
  /** 200, or 304 for a copy that is still good. Rejects where the viewer's files are missing. */
  reply(file: DocsFile, headers: RawHeaders): Promise<FileReply>
}

export function createDocsPage(): DocsPage {
  const kept = new Map<DocsFile, Promise<Packed>>()
  const open = (file: DocsFile): Promise<Packed> => {
    let packed = kept.get(file)
    if (packed === undefined) {
      packed = pack(assets[file])
      kept.set(file, packed)
      // The next request tries again to read the file.
      packed.catch(() => kept.delete(file))
    }
    return packed
  }
  return {
    async reply(file, headers) {
      const { gzipped, etag } = await open(file)
      const asGzip = chooseCoding(valueOf(headers, 'accept-encoding'), ['gzip']) === 'gzip'
      return {
        // The server leaves the body of a 304 out, and its length is that of the 200.
        status: isKnown(etag, valueOf(headers, 'if-none-match')) ? 304 : 200,
        body: asGzip ? gzipped : await unpack(gzipped),
        headers: {
          'content-type': assets[file].type,
          ...(asGzip ? { 'content-encoding': 'gzip' } : {}),
          etag,
          ...common,
        },
      }
    },
  }
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>xroad-proxy</title>
    <link rel="icon" href="docs.svg">
    <link rel="stylesheet" href="docs.css">
  </head>
  <body>
    <main id="viewer">
      <noscript>This page needs JavaScript. What it shows is the description at <a href="api">api</a>.</noscript>
    </main>
    <script src="docs.js"></script>
    <script src="docs-start.js"></script>
  </body>
</html>
`

/** `validatorUrl` would otherwise send the description to a public service. */
const start = `'use strict'
SwaggerUIBundle({
  url: new URL('api', location.href).href,
  dom_id: '#viewer',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  filter: true,
  defaultModelsExpandDepth: 0,
})
`

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
  <rect width="16" height="16" rx="3" fill="#1f4e79"/>
  <path d="M3 5h7l-2-2M13 11H6l2 2" fill="none" stroke="#fff" stroke-width="2"/>
</svg>
`

interface DocsAsset {
  readonly type: string
  readonly content: string | { readonly viewer: string }
}

const assets: Readonly<Record<DocsFile, DocsAsset>> = {
  docs: { type: 'text/html; charset=utf-8', content: page },
  'docs.js': { type: 'text/javascript; charset=utf-8', content: { viewer: 'swagger-ui-bundle.js' } },
  'docs.css': { type: 'text/css; charset=utf-8', content: { viewer: 'swagger-ui.css' } },
  'docs-start.js': { type: 'text/javascript; charset=utf-8', content: start },
  'docs.svg': { type: 'image/svg+xml', content: icon },
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Its style sheet carries pictures.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

const common = {
  // The names stay when the files change, so browsers ask every time, and mostly get a 304.
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
  'content-security-policy': policy.join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

interface Packed {
  readonly gzipped: Uint8Array
  readonly etag: string
}

const compress = promisify(gzip)
const unpack = promisify(gunzip)

async function pack({ content }: DocsAsset): Promise<Packed> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : await readFile(locate(content.viewer))
  return { gzipped: await compress(bytes, { level: constants.Z_BEST_COMPRESSION }), etag: etagOf(bytes) }
}

/** The published package has the viewer's files in its own `dist`, the sources take them from the library. */
function locate(name: string): URL {
  const published = new URL(`../../viewer/${name}`, import.meta.url)
  return existsSync(published) ? published : new URL(import.meta.resolve(`swagger-ui-dist/${name}`))
}
