/** What the documents name is there: files of the repository, and in a package the targets of its links. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '..')
const packages = ['services/sqlapi', 'services/xroad-proxy']

/** What npm packs besides `files`. */
const alwaysPacked = ['package.json', 'README.md', 'LICENSE']

for (const folder of packages) {
  test(`links in the package of ${folder} lead to what is packed [S23]`, () => {
    const { files } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { files: string[] }
    const packed = [...files, ...alwaysPacked]
    const documents = packed.flatMap((name) => documentsIn(join(root, folder, name)))
    const broken = documents.flatMap((document) =>
      linksOf(readFileSync(document, 'utf8')).flatMap((link) => {
        const target = resolve(dirname(document), link)
        const path = relative(join(root, folder), target).split(sep)
        const isThere = existsSync(target) && packed.includes(path[0] as string)
        return isThere ? [] : [`${relative(root, document)}: ${link}`]
      }),
    )
    deepStrictEqual(broken, [])
  })
}

function documentsIn(path: string): string[] {
  if (path.endsWith('.md')) return [path]
  if (!existsSync(path) || !statSync(path).isDirectory()) return []
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Targets of links and pictures, without those to other sites and inside of the page. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '')
  const inline = Array.from(prose.matchAll(/\]\(([^)\s]+)[^)]*\)/g), ([, target = '']) => target)
  const named = Array.from(prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm), ([, target = '']) => target)
  return [...inline, ...named]
    .map((target) => target.split('#')[0] as string)
    .filter((target) => target !== '' && !/^[a-z]+:/i.test(target))
}

test('no text lets npx fetch the package of a stranger [T1]', () => {
  const places = filesOfRepository().filter((file) => /\.(?:md|ts|js|yml|yaml|json)$/.test(file))
  const loose = places.flatMap((file) => {
    const found = readFileSync(join(root, file), 'utf8').match(/\bnpx (?!--no-install\b)[a-z-].*/g) ?? []
    return found.map((text) => `${file}: ${text}`)
  })
  deepStrictEqual(
    loose.filter((row) => !row.startsWith('tools/documents.test.ts')),
    [],
  )
})

const decisions = readdirSync(join(root, 'docs/decisions')).map((name) => `docs/decisions/${name}`)

for (const name of ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...decisions]) {
  test(`${name} names no file that is gone [S23]`, () => {
    const known = filesOfRepository()
    const text = readFileSync(join(root, name), 'utf8')
    deepStrictEqual([...new Set(filesIn(text).filter((file) => !isKnown(file, known)))], [])
  })
}

/** Names in backquotes that end as files of the sources do. */
function filesIn(text: string): string[] {
  const spans = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, span = '']) => span)
  return spans.filter((span) => /^[\w./-]*\w\.(?:ts|cjs|js|sql|md)$/.test(span) && !span.startsWith('undici/'))
}

test('comments of the sources name no file that is gone [H3]', () => {
  const known = filesOfRepository()
  const gone = known
    .filter((path) => /^(?:services|packages)\/.*\.ts$/.test(path))
    .flatMap((path) => {
      const comments = readFileSync(join(root, path), 'utf8').match(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm) ?? []
      const named = comments.flatMap((comment) => comment.match(/(?<![\w*./$@-])[\w@-][\w@./-]*\.ts\b/g) ?? [])
      return named.filter((file) => !file.endsWith('.d.ts') && !isKnown(file, known)).map((file) => `${path}: ${file}`)
    })
  deepStrictEqual(gone, [])
})

test('comments are no wider than the formatter makes code [H3]', () => {
  const { printWidth } = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8').replaceAll(/^\s*\/\/.*$/gm, ''))
  const prose = /^\s*(?:\/\/ (?!oxlint-)|\/\*\* |\* (?!@| {2}readonly ))/
  const wide = filesOfRepository()
    .filter((path) => /^(?:services|packages|tools)\/.*\.c?[jt]s$/.test(path))
    .flatMap((path) => {
      const lines = readFileSync(join(root, path), 'utf8').split('\n')
      return lines.flatMap((line, index) =>
        line.length > printWidth && prose.test(line) ? [`${path}:${index + 1}`] : [],
      )
    })
  deepStrictEqual(wide, [])
})

/** A path may begin anywhere: below the root, a service or its sources. */
function isKnown(file: string, known: readonly string[]): boolean {
  return known.some((path) => path === file || path.endsWith(`/${file}`))
}

/** Those that git knows, or in a package of the sources without it all that are there. */
function filesOfRepository(): string[] {
  try {
    const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
    return listed
      .toString()
      .split('\n')
      .filter((path) => existsSync(join(root, path)))
  } catch {
    return readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => path.split(sep).join('/'))
  }
}

test('the requests on the front page stand in the manuals, whose tests send them [H6]', () => {
  const [front = [], ...manuals] = ['README.md', ...packages.map((folder) => join(folder, 'README.md'))].map((name) =>
    Array.from(
      readFileSync(join(root, name), 'utf8').matchAll(/^```curl\n([\s\S]*?)^```/gm),
      ([, block = '']) => block,
    ),
  )
  ok(front.length >= packages.length)
  deepStrictEqual(
    front.filter((block) => !manuals.flat().includes(block)),
    [],
  )
})

test('links and pictures on the front page lead to files that are there [H6]', () => {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const pictures = Array.from(text.matchAll(/<img src="([^"]+)"/g), ([, target = '']) => target)
  deepStrictEqual(
    [...linksOf(text), ...pictures].filter((target) => !existsSync(join(root, target))),
    [],
  )
})

/** Their parts of the code are being replaced; until then they keep all of their facts. */
const longDecisions = new Set([10, 42, 66, 79, 91, 119, 135])

test('each decision is a short page with its number, its date and a line in the index [H3]', () => {
  const index = readFileSync(join(root, 'docs/decisions/README.md'), 'utf8')
  const listed = Array.from(index.matchAll(/^- \[(.*)\]\(([\w-]+\.md)\)$/gm), ([, title, name]) => `${name}: ${title}`)
  const pages = decisions.filter((file) => !file.endsWith('README.md'))
  const titles = pages.map((file) => {
    const [title = '', , date = '', , ...lines] = readFileSync(join(root, file), 'utf8').trimEnd().split('\n')
    const number = Number(/^# (\d+)\. [A-Z`a-z]/.exec(title)?.[1])
    strictEqual(file, `docs/decisions/${String(number).padStart(2, '0')}.md`)
    match(date, /^\d{4}-\d\d-\d\d$/, file)
    const most = longDecisions.has(number) ? 20 : 12
    ok(lines.filter((line) => line !== '').length <= most, `${file} has more than ${most} lines`)
    return `${basename(file)}: ${title.slice(2)}`
  })
  deepStrictEqual(listed.toSorted(), titles.toSorted())
})

test('each decision that a source or a page names is there [H3]', () => {
  const named = filesOfRepository()
    .filter((path) => /\.(?:md|ts|js|cjs)$/.test(path) && !path.endsWith('CHANGELOG.md'))
    .flatMap((path) =>
      Array.from(
        readFileSync(join(root, path), 'utf8').matchAll(/\b[Dd]ecisions? (\d+)|decisions\/(\d+)\.md/g),
        ([, number = '', page = '']) => ({ path, file: `docs/decisions/${(number || page).padStart(2, '0')}.md` }),
      ),
    )
  ok(named.length > 5)
  deepStrictEqual(
    named.filter(({ file }) => !decisions.includes(file)),
    [],
  )
})

test('each library has a row with its licence and its reason [S23]', () => {
  const rows = readFileSync(join(root, 'docs/libraries.md'), 'utf8').match(/^\| `.*/gm) ?? []
  const manifests = filesOfRepository().filter((path) => /(?:^|\/)package\.json$/.test(path) && !/\/test\//.test(path))
  const libraries = manifests.flatMap((path) => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest
    return Object.keys({ ...dependencies, ...devDependencies })
  })
  ok(libraries.length > 20)
  deepStrictEqual(
    libraries.filter((name) => !name.startsWith('@services/') && !rows.some((row) => row.includes(`\`${name}\``))),
    [],
  )
})

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

test('no interface, type or class has a name that the words of ARCHITECTURE replace [H3]', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const section = text.slice(text.indexOf('\n## Words\n'), text.indexOf('\n# sqlapi\n'))
  const rows = section.split('\n').filter((line) => /^\|.*\|$/.test(line))
  const replaced = rows.flatMap((row) =>
    Array.from((row.split('|')[3] ?? '').matchAll(/`(\w+)`/g), ([, name = '']) => name),
  )
  ok(replaced.length >= 5)
  const declared = new RegExp(`^(?:export )?(?:abstract )?(?:interface|type|class) (?:${replaced.join('|')})\\b`, 'm')
  const sources = filesOfRepository().filter((path) =>
    /^(?:services|packages|tools)\/(?!.*node_modules).*\.ts$/.test(path),
  )
  ok(sources.length > 100)
  deepStrictEqual(
    sources.filter((path) => declared.test(readFileSync(join(root, path), 'utf8'))),
    [],
  )
})
