/**
 * The list of schema files that were downloaded for a WSDL, `<name>.vendor.json` beside it: which file is the copy of
 * which address, with its digest. Text in, entries out, and back. Downloading is done elsewhere
 * (wsdl-command/vendor.ts).
 */

export interface VendoredFile {
  /** The address as the schemas name it, resolved. */
  readonly url: string
  /** A file beside the WSDL. */
  readonly file: string
  readonly sha256: string
}

/** What a file beside a WSDL may be called. */
export const includeName: RegExp = /^[A-Za-z0-9._-]+$/

/** Undefined when the text is not such a list. */
export function readVendored(text: string): readonly VendoredFile[] | undefined {
  try {
    const { files } = JSON.parse(text) as { files?: unknown }
    return Array.isArray(files) && files.every(isEntry) ? files : undefined
  } catch {
    return undefined
  }
}

export function writeVendored(files: readonly VendoredFile[]): string {
  const sorted = files.toSorted((a, b) => (a.url < b.url ? -1 : 1))
  return `${JSON.stringify({ files: sorted.map(({ url, file, sha256 }) => ({ url, file, sha256 })) }, undefined, 2)}\n`
}

/** The name of what belongs to a WSDL and is beside it. */
export function besideWsdl(wsdl: string, extension: '.meta.yaml' | '.vendor.json'): string {
  return `${wsdl.replace(/\.wsdl$/, '')}${extension}`
}

function isEntry(entry: unknown): entry is VendoredFile {
  const { url, file, sha256 } = (entry ?? {}) as Record<string, unknown>
  return (
    typeof url === 'string' &&
    URL.canParse(url) &&
    typeof file === 'string' &&
    includeName.test(file) &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256)
  )
}
