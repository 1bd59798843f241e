/** What a terminal would obey never reaches one. */
import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { toPlainLine } from '../../src/plain-line.ts'

test('a text becomes one line that a terminal does not obey', () => {
  strictEqual(toPlainLine('plain, õ and 字'), 'plain, õ and 字')
  strictEqual(toPlainLine('a\u001b[2Jb\r\nc\u009bd'), 'a\uFFFD[2Jb\uFFFD\uFFFDc\uFFFDd')
  // Signs that change the direction of what follows, invisible ones, and line breaks that are not control characters.
  strictEqual(toPlainLine('\u202ea\u200bb\u2028c\u2029d'), '\uFFFDa\uFFFDb\uFFFDc\uFFFDd')
})
