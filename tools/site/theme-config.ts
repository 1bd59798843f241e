/**
 * The pages -> what stands around them: the bar at the top, the lists at the left, the search. Plain values for the
 * generator's theme.
 */
import { type Group, type Page, serviceOf, type Site } from './pages.ts'

interface Item {
  readonly text: string
  readonly link: string
}

/** What is used of the generator's Markdown reader. */
interface Reader {
  renderAsync(text: string, env: Env): Promise<string>
}

interface Env {
  /** The file below the root of the repository. */
  readonly relativePath: string
}

interface List {
  readonly text: string
  readonly items: readonly Item[]
  /** Opened by whoever wants it. */
  readonly collapsed?: boolean
}

export interface ThemeConfig {
  readonly nav: readonly Item[]
  readonly sidebar: Readonly<Record<string, readonly List[]>>
  readonly outline: readonly [number, number]
  readonly search: object
}

export function themeConfig(site: Site): ThemeConfig {
  return {
    nav: [
      { text: 'sqlapi', link: '/sqlapi/' },
      { text: 'xroad-proxy', link: '/xroad-proxy/' },
      { text: 'Deploy', link: '/deploy' },
      { text: 'Guarantees', link: '/guarantees' },
    ],
    sidebar: Object.fromEntries(Object.entries(site.groups).map(([path, groups]) => [path, groups.map(toList)])),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { _render: toSearched, miniSearch: { searchOptions: { boostDocument } } },
    },
  }
}

function toList({ text, pages, isFolded }: Group): List {
  const items = pages.map((page) => ({ text: nameOf(page), link: toLink(page) }))
  return isFolded ? { text, items, collapsed: true } : { text, items }
}

/** The group has the name already. */
function nameOf({ file, title }: Page): string {
  if (file.endsWith('CHANGELOG.md')) return 'Changelog'
  return /^(?:services\/[\w-]+\/)?README\.md$/.test(file) ? 'Start here' : title
}

function toLink({ place }: Page): string {
  return `/${place.replace(/(?:^|(?<=\/))index\.md$|\.md$/, '')}`
}

/** Both services have a page called Configuration: what is found says whose it is. */
async function toSearched(text: string, env: Env, md: Reader): Promise<string> {
  const html = await md.renderAsync(text, env)
  const service = serviceOf(env.relativePath)
  return service === undefined ? html : html.replace(/(<h1\b[^>]*>)(?!\s*(?:xroad-proxy|sqlapi)\b)/, `$1${service}: `)
}

/** Runs in the browser, so it sees nothing of this file: what has changed and why comes behind what is. */
function boostDocument(page: string): number {
  return /changelog|decisions|architecture|packages\/|tools\//.test(page) ? 0.3 : 1
}
