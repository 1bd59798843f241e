/**
 * Runs many test files in one process: loading the sources is most of what a test file costs. Files of a group share
 * modules, hooks outside of suites and the environment; tools/test/alone.ts lists those that cannot.
 */
import { globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { alone } from './alone.ts'

const root = resolve(import.meta.dirname, '../..')

export async function runTogether(...patterns: readonly string[]): Promise<void> {
  const files = globSync(patterns, { cwd: root, exclude: Object.keys(alone) }).toSorted()
  const loading = Promise.withResolvers<void>()
  // Tests run one after another: the first one keeps the others, and hooks at the end, waiting for all files.
  test(`${files.length} files load`, () => loading.promise)
  try {
    for (const file of files) await import(pathToFileURL(join(root, file)).href)
    loading.resolve()
  } catch (error) {
    loading.reject(error)
  }
}
