/**
 * Which tokens a text has, text by text, where the dialects agree and where they differ. lex.test.ts tries random
 * texts.
 */
import { deepStrictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { dialects } from '../../../src/dialects.ts'
import type { Dialect } from '../../../src/model.ts'
import { lex } from '../../../src/sql/lex.ts'

/**
 * The tokens of a text, each as its kind and what stands there; in both dialects, or first in PostgreSQL and then in
 * SQLite.
 */
const texts: readonly (readonly [text: string, tokens: readonly string[], inSqlite?: readonly string[]])[] = [
  ['', []],
  [' \t\n\f\v\r\0\ufeff\u00a0', []],
  ['a', ['word a']],
  ['SELECT a1_$ FROM _é\u{10428}', ['word SELECT', 'word a1_$', 'word FROM', 'word _é\u{10428}']],
  ['1.5e3 0xFF 1_000 9a', ['symbol 1.5e3', 'symbol 0xFF', 'symbol 1_000', 'symbol 9a']],
  ['a+1;', ['word a', 'symbol +', 'symbol 1', 'symbol ;']],
  // Parameters
  [':a :B1_c :_', ['parameter :a', 'parameter :B1_c', 'parameter :_']],
  [
    ':é :1 : ',
    ['symbol :', 'word é', 'symbol :', 'symbol 1', 'symbol :'],
    ['placeholder :é', 'placeholder :1', 'symbol :'],
  ],
  ['a::b', ['word a', 'symbol ::', 'word b']],
  ['a:=b', ['word a', 'symbol :=', 'word b']],
  [':::a', ['symbol ::', 'parameter :a']],
  [":E'a'", ['symbol :', "quoted E'a'"], ['placeholder :E', "quoted 'a'"]],
  [":e'a'", ['symbol :', "quoted e'a'"], ['placeholder :e', "quoted 'a'"]],
  [":f'a'", ['parameter :f', "quoted 'a'"]],
  // Quotes
  ["'a:b''c;'d", ["quoted 'a:b''c;'", 'word d']],
  ['"a"":b"c', ['quoted "a"":b"', 'word c']],
  ["''''''", ["quoted ''''''"]],
  ["'' ''", ["quoted ''", "quoted ''"]],
  ["a 'b", ['word a', "unclosed 'b"]],
  ["'a''", ["unclosed 'a''"]],
  ['`a``:b`', ['symbol `', 'word a', 'symbol `', 'symbol `', 'parameter :b', 'symbol `'], ['quoted `a``:b`']],
  ['[a:b]]', ['symbol [', 'word a', 'parameter :b', 'symbol ]', 'symbol ]'], ['quoted [a:b]', 'symbol ]']],
  ['[a', ['symbol [', 'word a'], ['unclosed [a']],
  // Escape strings
  [
    String.raw`E'a\':b' c`,
    [String.raw`quoted E'a\':b'`, 'word c'],
    ['word E', String.raw`quoted 'a\'`, 'parameter :b', "unclosed ' c"],
  ],
  [String.raw`e'\\' a`, [String.raw`quoted e'\\'`, 'word a'], ['word e', String.raw`quoted '\\'`, 'word a']],
  ["E'a''b'c", ["quoted E'a''b'", 'word c'], ['word E', "quoted 'a''b'", 'word c']],
  [
    "E'a' \n '\\':b'",
    ["quoted E'a' \n '\\':b'"],
    ['word E', "quoted 'a'", "quoted '\\'", 'parameter :b', "unclosed '"],
  ],
  ["E'a' '\\'", ["quoted E'a'", "quoted '\\'"], ['word E', "quoted 'a'", "quoted '\\'"]],
  ["E'a", ["unclosed E'a"], ['word E', "unclosed 'a"]],
  ["E'a\\'", ["unclosed E'a\\'"], ['word E', "quoted 'a\\'"]],
  ["xE'a'", ['word xE', "quoted 'a'"]],
  ["F'a'", ['word F', "quoted 'a'"]],
  ['E"a"', ['word E', 'quoted "a"']],
  // Dollar quotes and placeholders
  ['$$:a;$$b', ['quoted $$:a;$$', 'word b'], ['placeholder $$', 'parameter :a', 'symbol ;', 'placeholder $$b']],
  ['$é1$ $$ $é1$', ['quoted $é1$ $$ $é1$'], ['placeholder $é1$', 'placeholder $$', 'placeholder $é1$']],
  ['$a$ b', ['unclosed $a$ b'], ['placeholder $a$', 'word b']],
  ['$a b$', ['symbol $', 'word a', 'word b$'], ['placeholder $a', 'word b$']],
  ['a$b$c', ['word a$b$c']],
  ['$1 $23', ['placeholder $1', 'placeholder $23']],
  ['$1a', ['placeholder $1', 'word a'], ['placeholder $1a']],
  [
    '? ?12 @a1',
    ['symbol ?', 'symbol ?', 'symbol 12', 'symbol @', 'word a1'],
    ['placeholder ?', 'placeholder ?12', 'placeholder @a1'],
  ],
  [':größe', ['placeholder :größe']],
  [
    ':ü :1 #a',
    ['symbol :', 'word ü', 'symbol :', 'symbol 1', 'symbol #', 'word a'],
    ['placeholder :ü', 'placeholder :1', 'placeholder #a'],
  ],
  [':a$b', ['parameter :a', 'symbol $', 'word b'], ['placeholder :a$b']],
  [':a::b', ['parameter :a', 'symbol ::', 'word b']],
  // Comments
  ['-- :a\nb', ['word b']],
  ['-- :a\rb', ['word b'], []],
  ['a--', ['word a']],
  ['- -a', ['symbol -', 'symbol -', 'word a']],
  ['/*:a*/b/**/ c', ['word b', 'word c']],
  ['/*/a*/b', ['word b']],
  ['/*/**/:a*/b', ['word b'], ['parameter :a', 'symbol *', 'symbol /', 'word b']],
  ['/*/*/**/*/*/a', ['word a'], ['symbol *', 'symbol *', 'word a']],
  ['a /* b', ['word a', 'unclosed /* b']],
  ['/* /* */ b', ['unclosed /* /* */ b'], ['word b']],
  ['a/b*c', ['word a', 'symbol /', 'word b', 'symbol *', 'word c']],
]

for (const [text, inPostgres, inSqlite = inPostgres] of texts) {
  test(`the tokens of ${JSON.stringify(text)} [S-params.2]`, () => {
    deepStrictEqual(tokensOf(text, 'postgres'), inPostgres)
    deepStrictEqual(tokensOf(text, 'sqlite'), inSqlite)
  })
}

function tokensOf(text: string, dialect: Dialect): string[] {
  return lex(text, dialects[dialect].grammar).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)
}
