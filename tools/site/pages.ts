/**
 * Which files of the repository are pages of the site, at which address, and where they stand in the navigation. The
 * groups of a service are the tables below "The manual" of its README, so a page that is listed there is on the site.
 * Reads files; changes none.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { headingsOf, linksOf } from './markdown.ts'

export interface Page {
  /** Below the root of the repository, with forward slashes. */
  readonly file: string
  /** Where the site has it: a path of Markdown, `sqlapi/files.md`. */
  readonly place: string
  /** Its first heading. */
  readonly title: string
}

export interface Group {
  readonly text: string
  readonly pages: readonly Page[]
  /** For few readers: only its name is shown at first. */
  readonly isFolded: boolean
}

export interface Site {
  readonly pages: readonly Page[]
  /** First part of an address -> the groups that are shown there; `/` for all others. */
  readonly groups: Readonly<Record<string, readonly Group[]>>
  /** Markdown of the repository that is not a page. */
  readonly left: readonly string[]
}

const services = ['sqlapi', 'xroad-proxy']

/** The first that fits says where a file goes. What fits none is not a page: cases of tests, forms of issues. */
const places: readonly (readonly [file: RegExp, place: string])[] = [
  [/^README\.md$/, 'index.md'],
  [/^(ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$/, '$1.md'],
  [/^docs\/decisions\/README\.md$/, 'decisions/index.md'],
  [/^docs\/((?:decisions\/)?[\w-]+\.md)$/, '$1'],
  [/^deploy\/README\.md$/, 'deploy.md'],
  [/^services\/([\w-]+)\/README\.md$/, '$1/index.md'],
  [/^services\/([\w-]+)\/CHANGELOG\.md$/, '$1/changelog.md'],
  [/^services\/([\w-]+)\/docs\/([\w-]+\.md)$/, '$1/$2'],
  [/^services\/([\w-]+)\/bench\/README\.md$/, '$1/bench.md'],
  [/^(packages|tools)\/([\w-]+)\/README\.md$/, '$1/$2.md'],
]

/** What stands at the left of the pages that belong to no service, in this order. */
const shared: readonly (Omit<Group, 'pages'> & { readonly files: readonly RegExp[] })[] = [
  { text: 'Both services', files: [/^README/, /^deploy/, /^docs\/[\w-]+\.md/, /^SECURITY/], isFolded: false },
  { text: 'To change them', files: [/^ARCHITECTURE/, /^CONTRIBUTING/], isFolded: false },
  {
    text: 'Decisions',
    files: [/^docs\/decisions\/README/, /^docs\/decisions\/\d\d\.md/, /^docs\/decisions\/\d{3}/],
    isFolded: true,
  },
  { text: 'Packages', files: [/^packages/], isFolded: true },
  { text: 'Tools', files: [/^tools/], isFolded: true },
]

/** @param root of the repository */
export function readSite(root: string): Site {
  const found = globSync('**/*.md', { cwd: root, exclude: (name) => /(?:^|[\\/])(?:node_modules|dist)$/.test(name) })
    .map((file) => file.split(sep).join('/'))
    .toSorted()
  const pages = found.flatMap((file) => {
    const place = placeOf(file)
    return place === undefined ? [] : [{ file, place, title: titleOf(root, file) }]
  })
  const groups = Object.fromEntries(services.map((service) => [`/${service}/`, groupsOf(root, service, pages)]))
  return {
    pages,
    groups: { ...groups, '/': sharedGroups(pages) },
    left: found.filter((file) => placeOf(file) === undefined),
  }
}

function placeOf(file: string): string | undefined {
  const [pattern, place] = places.find(([pattern]) => pattern.test(file)) ?? []
  return pattern === undefined || place === undefined ? undefined : file.replace(pattern, place).toLowerCase()
}

function titleOf(root: string, file: string): string {
  const [first] = headingsOf(readFileSync(join(root, file), 'utf8'))
  if (first === undefined) throw new Error(`${file} has no heading`)
  return first.text
}

function groupsOf(root: string, service: string, pages: readonly Page[]): Group[] {
  const folder = `services/${service}`
  const pageOf = (file: string): Page[] => pages.filter((page) => page.file === file)
  return [
    { text: service, isFolded: false, pages: pageOf(`${folder}/README.md`) },
    ...manualOf(readFileSync(join(root, folder, 'README.md'), 'utf8')).map(({ text, targets }) => ({
      text,
      isFolded: false,
      pages: targets.flatMap((target) => pageOf(posix.join(folder, target))),
    })),
    {
      text: 'Besides',
      isFolded: false,
      pages: [`${folder}/bench/README.md`, `${folder}/CHANGELOG.md`].flatMap(pageOf),
    },
  ]
}

/** The tables of a README below "The manual": the words above each, and where its first column leads. */
function manualOf(readme: string): { text: string; targets: string[] }[] {
  const [, manual = ''] = readme.split(/^## The manual$/m)
  return Array.from(manual.matchAll(/^([^|\n].*):\n\n((?:\|.*\n)+)/gm), ([, text = '', table = '']) => ({
    text: text.replaceAll('`', ''),
    targets: table.split('\n').flatMap((row) => linksOf(row.split('|')[1] ?? '').map(({ target }) => target)),
  }))
}

function sharedGroups(pages: readonly Page[]): Group[] {
  return shared.map(({ text, files, isFolded }) => ({
    text,
    isFolded,
    pages: files.flatMap((pattern) => pages.filter(({ file }) => pattern.test(file))),
  }))
}

/** The page that a path names, seen from the file that has it; undefined where it names none. */
export function pageNamed({ pages }: Site, from: string, path: string): Page | undefined {
  const named = posix.join(posix.dirname(from), path)
  return pages.find(({ file }) => file === named)
}

/**
 * The page that a file name in backquotes means: packages are read without the repository around them, so they name
 * what lies there (`deploy/README.md`) and cannot link it. Paths begin at the root or at the service.
 */
export function pageInCode({ pages }: Site, from: string, code: string): Page | undefined {
  if (!/^(?:[\w-]+\/)+[\w-]+\.md$|^[A-Z]{5,}\.md$/.test(code) || code === 'CHANGELOG.md' || code === 'README.md')
    return undefined
  const [service = ''] = /^services\/[\w-]+\//.exec(from) ?? []
  return pages.find(({ file }) => file === code || file === `${service}${code}`)
}

/** The service whose manual a file belongs to, if it belongs to one. */
export function serviceOf(file: string): string | undefined {
  return /^services\/([\w-]+)\//.exec(file)?.[1]
}

/**
 * A file or folder that is not a page, as the site gives it: plain text wherever a browser would not show it as it is.
 */
export function addressOfFile(file: string): string {
  return `/files/${file}${/\.(?:json|txt)$/.test(file) ? '' : '.txt'}`
}

/** Where a page's link to a file leads; undefined where nothing is there, or where it leads out of the repository. */
export function fileNamed(root: string, from: string, path: string): string | undefined {
  const named = posix.join(posix.dirname(from), path).replace(/\/$/, '')
  return named.startsWith('..') || !existsSync(join(root, named)) ? undefined : named
}
