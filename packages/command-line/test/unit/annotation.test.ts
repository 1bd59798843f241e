/** Findings as workflow commands: no text becomes a command of its own, or another property. */
import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { toAnnotation } from '@services/command-line'

test('an annotation has level, file, line, column and message', () => {
  const whole = { level: 'error', file: 'a/b.sql', line: 3, column: 7, message: 'wrong' } as const
  strictEqual(toAnnotation(whole), '::error file=a/b.sql,line=3,col=7::wrong\n')
})

test('what is left out is not there', () => {
  strictEqual(toAnnotation({ level: 'notice', message: 'well' }), '::notice::well\n')
  strictEqual(toAnnotation({ level: 'warning', file: 'a', line: 1, message: '' }), '::warning file=a,line=1::\n')
})

test('signs of the format are escaped, more of them in properties', () => {
  const odd = '100%,a:b\r\n::error::x'
  strictEqual(
    toAnnotation({ level: 'error', file: odd, message: odd }),
    '::error file=100%25%2Ca%3Ab%0D%0A%3A%3Aerror%3A%3Ax::100%25,a:b%0D%0A::error::x\n',
  )
})
