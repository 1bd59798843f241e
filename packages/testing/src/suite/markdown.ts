/** Pages of a manual as tests read them: tables as rows of cells, names in backquotes, links. */
import { ok } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { test } from 'node:test'

export type Row = readonly string[]

/** The rows of the first table behind a text, without its head; the backquotes around a whole cell are taken off. */
export function tableAfter(text: string, mark: string): Row[] {
  const at = text.indexOf(mark)
  ok(at >= 0, `no ${mark}`)
  const lines = text.slice(at).split('\n')
  const first = lines.findIndex((line) => line.startsWith('|'))
  const rows = lines.slice(first)
  const length = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(2, length === -1 ? undefined : length).map((line) =>
    line
      .slice(1, -1)
      // A bar inside a cell is written `\|`.
      .split(/(?<!\\)\|/)
      .map((cell) => unquote(cell.trim().replaceAll('\\|', '|'))),
  )
}

/** A cell that is code as a whole loses its backquotes, be they one or two. */
function unquote(cell: string): string {
  const [, fence = '', inside = ''] = /^(`+)(.*)\1$/.exec(cell) ?? []
  return fence === '' || inside.includes(fence) ? cell : inside.trim()
}

export function column(rows: readonly Row[], index: number): string[] {
  return rows.map((row) => row[index] ?? '')
}

export function inBackquotes(text: string): string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, inside = '']) => inside)
}

/** The names in a cell, be they one or many. */
export function namesIn(cell: string): string[] {
  return cell.includes('`') ? inBackquotes(cell) : [cell].filter(Boolean)
}

/** Registers a test for each page in these folders: its links to files and headings lead somewhere. */
export function testLinks(root: string, folders: readonly string[]): void {
  const pages = folders
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('.md'))
  for (const page of pages) {
    test(`links of ${relative(root, page).split(sep).join('/')} lead somewhere`, () => {
      for (const [, target = ''] of proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue
        const [file = '', anchor] = target.split('#')
        const full = file === '' ? page : resolve(dirname(page), file)
        ok(existsSync(full), target)
        if (anchor !== undefined) ok(anchorsOf(full).has(anchor), target)
      }
    })
  }
}

/** Anchors as the usual renderers make them from headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = Array.from(proseOf(page).matchAll(/^#+ (.*)$/gm), ([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

function proseOf(page: string): string {
  return readFileSync(page, 'utf8').replaceAll(/```[\s\S]*?```/g, '')
}
