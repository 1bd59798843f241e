import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { entryOf } from '@services/testing/program'

test('a test file looks beside its source, wherever it runs from', () => {
  const source = fileURLToPath(import.meta.url)
  const [, run = ''] = process.argv
  strictEqual(run, run.endsWith('.js') ? entryOf(source) : source)
})
