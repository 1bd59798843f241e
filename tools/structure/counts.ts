/** Counts the files around the product: lines of tests and instruments, Markdown, decisions, npm scripts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from '../boundaries/sources.ts'

export interface Counts {
  /** With comments and blank lines. */
  readonly testLines: number
  /** Without. */
  readonly instrumentLines: number
  readonly markdownBytes: number
  readonly decisions: number
  readonly scripts: number
}

const tests = '{packages,services,engines,kit,mock,test,tools}/**/*.ts'
const isTest = /(?:^|\/)(?:test|testing)\/|\.test\.ts$/
const instruments = '{instruments,tools,packages/bench,packages/testing,services/*/bench}/**/*.{ts,js,cjs,mjs}'
/** They build and start what users get. */
const isBuild = /^tools\/(?:build\/|install|start)|\.test\.ts$|\/test\//

export function countFiles(root: string): Counts {
  const read = (file: string): string => readFileSync(join(root, file), 'utf8')
  const list = (pattern: string): string[] =>
    listFiles(root, pattern).filter((file) => !/node_modules|\/dist\//.test(file))
  const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
  const markdown = list('**/*.md')
  return {
    testLines: linesIn(
      list(tests)
        .filter((file) => isTest.test(file) && !/^packages\/(?:bench|testing)\/src/.test(file))
        .map(read),
    ),
    instrumentLines: codeLinesIn(
      list(instruments)
        .filter((file) => !isBuild.test(file))
        .map(read),
    ),
    markdownBytes: markdown.reduce((sum, file) => sum + Buffer.byteLength(read(file)), 0),
    decisions: markdown.filter((file) => /^docs\/decisions\/\d+/.test(file)).length,
    scripts: Object.keys(scripts).filter((name) => !/^(?:pre|post)[a-z]/.test(name)).length,
  }
}

function linesIn(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
}

function codeLinesIn(texts: readonly string[]): number {
  return texts.flatMap((text) => text.split('\n')).filter((line) => !/^\s*(?:\/\/|\/?\*|$)/.test(line)).length
}

/** Paragraphs of the manuals, without code, by the house that they belong to. */
export function readManuals(root: string): ReadonlyMap<string, readonly string[]> {
  const pages = listFiles(
    root,
    '{*.md,docs/**/*.md,{services,packages,engines}/*/{,docs/}*.md,{kit,mock}/{,docs/}*.md}',
  ).filter((file) => !/node_modules|CHANGELOG|docs\/decisions/.test(file))
  const houses = Map.groupBy(
    pages,
    (file) => /^(?:services|packages|engines)\/[^/]+|^(?:kit|mock)\b/.exec(file)?.[0] ?? 'docs',
  )
  return new Map(
    [...houses].map(([house, files]) => [
      house,
      files.flatMap((file) =>
        readFileSync(join(root, file), 'utf8')
          .replaceAll(/^```[^]*?^```/gm, '')
          .replaceAll(/`[^`\n]*`/g, 'X')
          .split(/\n\s*\n|\n(?=[|*-] )/),
      ),
    ]),
  )
}
