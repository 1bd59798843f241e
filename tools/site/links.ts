/**
 * The pages as they lie in the repository -> where each of their links leads, and what is wrong with those that lead
 * nowhere. A link to a file that is not a page is right: the site carries that file. Addresses of others are not asked.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { headingsOf, linksOf } from './markdown.ts'
import { fileNamed, type Page, pageNamed, type Site } from './pages.ts'

export interface Links {
  /** `FILE:LINE: TARGET: what is wrong`. */
  readonly problems: readonly string[]
  /** Files and folders that pages link and that are not pages; no pictures. */
  readonly files: readonly string[]
  readonly count: number
}

const isElsewhere = (target: string): boolean => /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target)
const isPicture = (file: string): boolean => /\.(?:svg|png|jpg|webp)$/.test(file)

/** @param root of the repository */
export function checkLinks(root: string, site: Site): Links {
  const texts = new Map(site.pages.map(({ file }) => [file, readFileSync(join(root, file), 'utf8')]))
  const anchors = new Map(
    Array.from(texts, ([file, text]) => [file, new Set(headingsOf(text).map((each) => each.anchor))]),
  )
  const problems: string[] = []
  const files = new Set<string>()
  let count = 0
  for (const { file } of site.pages) {
    for (const { target, line } of linksOf(texts.get(file) ?? '')) {
      if (isElsewhere(target)) continue
      count++
      const [path = '', anchor] = target.split('#')
      const page = path === '' ? pageOf(site, file) : pageNamed(site, file, path)
      if (page === undefined) {
        const named = fileNamed(root, file, path)
        const problem = problemOfFile(root, named, anchor)
        if (problem !== undefined) problems.push(`${file}:${line}: ${target}: ${problem}`)
        else if (named !== undefined && !isPicture(named)) files.add(named)
      } else if (anchor !== undefined && anchors.get(page.file)?.has(anchor) !== true) {
        problems.push(`${file}:${line}: ${target}: ${page.file} has no such heading`)
      }
    }
  }
  return { problems, files: [...files].toSorted(), count }
}

function pageOf({ pages }: Site, file: string): Page | undefined {
  return pages.find((page) => page.file === file)
}

function problemOfFile(root: string, named: string | undefined, anchor: string | undefined): string | undefined {
  if (named === undefined) return 'there is no such file in the repository'
  if (named.endsWith('.md')) return 'this file is not a page of the site; `places` in pages.ts says which are'
  if (anchor !== undefined && statSync(join(root, named)).isFile()) return 'only a page has headings'
  return undefined
}
