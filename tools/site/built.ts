/**
 * The site as it was built -> what a reader would stumble over: a link or picture that leads nowhere, an anchor that
 * its page does not have, and whatever a browser would fetch from somebody else. Asks the HTML alone, so it sees what
 * the generator made of the sources.
 */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, posix, sep } from 'node:path'

/**
 * @param folder what was built
 * @param base the path that it will have on its server, `/` or `/services/`
 * @returns `PAGE: TARGET: what is wrong`, one for each
 */
export function problemsOfBuilt(folder: string, base: string): string[] {
  const pages = globSync('**/*.html', { cwd: folder }).map((file) => file.split(sep).join('/'))
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]))
  const ids = new Map(Array.from(texts, ([page, text]) => [page, idsIn(text)]))
  return Array.from(texts, ([page, text]) => {
    const problems = Array.from(text.matchAll(fetching), ([tag]) => `${page}: ${tag}: fetched from another host`)
    for (const target of new Set(targetsIn(text))) {
      const problem = problemOf(target)
      if (problem !== undefined) problems.push(`${page}: ${target}: ${problem}`)
    }
    return problems

    function problemOf(target: string): string | undefined {
      const [path = '', anchor = ''] = target.split('#')
      if (path !== '' && !path.startsWith('/') && !path.startsWith('.')) return 'neither relative nor below the root'
      const file = path === '' ? page : fileOf(path)
      if (file === undefined) return 'no such file'
      const id = decodeURIComponent(anchor)
      return id === '' || ids.get(file)?.has(id) === true ? undefined : 'no such anchor'
    }

    function fileOf(path: string): string | undefined {
      const decoded = decodeURIComponent(path)
      if (decoded.startsWith('/') && !decoded.startsWith(base)) return undefined
      const below = decoded.startsWith('/') ? decoded.slice(base.length) : posix.join(posix.dirname(page), decoded)
      const file = below === '' || below.endsWith('/') ? `${below}index.html` : below
      return existsSync(join(folder, file)) && statSync(join(folder, file)).isFile() ? file : undefined
    }
  }).flat()
}

/** A browser fetches these by itself; a link to another site it does not follow. */
const fetching = /<(?:script|img|link|iframe|source)\b[^>]*? (?:src|href|srcset)="(?:https?:)?\/\/[^"]*"[^>]*>/g

function idsIn(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(/ id="([^"]*)"/g), ([, id = '']) => unescape(id)))
}

function targetsIn(html: string): string[] {
  return Array.from(html.matchAll(/<[a-z]+\b[^>]*? (?:href|src)="([^"]*)"/g), ([, target = '']) =>
    unescape(target),
  ).filter((target) => !/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target))
}

function unescape(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}
