/**
 * A Markdown text -> its headings with their anchors, its links and its tables, each with its line. Anchors are those
 * that GitHub makes, so a link leads to the same place there and on the site. Knows no files.
 */

export interface Heading {
  readonly level: number
  /** As a reader sees it. */
  readonly text: string
  readonly anchor: string
}

export interface Link {
  /** As it is written: a path, an anchor, or both; an address of another site. */
  readonly target: string
  readonly line: number
}

/** GitHub's anchor of a heading, without the number that a second one of the same name gets. */
export function toAnchor(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
}

export function headingsOf(text: string): Heading[] {
  const times = new Map<string, number>()
  return withoutCode(text)
    .split('\n')
    .flatMap((line) => {
      const [, marks, words] = /^ {0,3}(#{1,6}) +(.*?)(?: +#+)? *$/.exec(line) ?? []
      if (marks === undefined || words === undefined) return []
      const heading = toPlainText(words)
      const anchor = toAnchor(heading)
      const before = times.get(anchor) ?? 0
      times.set(anchor, before + 1)
      return [{ level: marks.length, text: heading, anchor: before === 0 ? anchor : `${anchor}-${before}` }]
    })
}

/** Links and pictures, those of HTML included. */
export function linksOf(text: string): Link[] {
  return withoutCode(text)
    .split('\n')
    .flatMap((line, index) => {
      const prose = line.replaceAll(/(`+)(?:(?!\1).)+?\1/g, '')
      return Array.from(prose.matchAll(linkPattern), ([, ...targets]) => ({
        target: targets.find((target) => target !== undefined) ?? '',
        line: index + 1,
      }))
    })
}

/** `[text](target "title")`, `[name]: target`, `<a href="target">`, `<img src="target">`. */
const linkPattern = /\]\(<?([^)\s>]+)>?[^)]*\)|^ {0,3}\[[^\]]+\]: *(\S+)|<(?:a|img)\b[^>]*? (?:href|src)="([^"]*)"/g

/** What stands in code is blanked, and no line moves. */
function withoutCode(text: string): string {
  return text.replaceAll(/^( {0,3})(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\2[`~]* *$|(?![\s\S]))/gm, (block) =>
    block.replaceAll(/[^\n]/g, ''),
  )
}

/** Marks of emphasis, code and links are taken off. */
function toPlainText(words: string): string {
  return words
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/(`+) ?(.+?) ?\1/g, '$2')
    .replaceAll(/(\*\*|\*)(?=\S)(.+?)\1/g, '$2')
    .replaceAll(/\\([^\w\s])/g, '$1')
}
