/** The grammar of JSON, text by text: every short text as JSON.parse judges it, and what is said of longer ones. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { skipBlank, skipValue } from '../../../src/json/scan.ts'

const room = 3

/** The place behind the value and white space, or what is wrong. */
function scan(text: string): number | string {
  try {
    return skipBlank(text, skipValue(text, skipBlank(text, 0), room))
  } catch (error) {
    return (error as Error).message.replace('Request body is not valid JSON: ', '')
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('each text of up to three characters is JSON where JSON.parse says so [D2.2]', () => {
  const characters = [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\',
    '0',
    '1',
    '9',
    '-',
    '+',
    '.',
    'e',
    'E',
    'u',
    't',
    ' ',
    '\n',
    '\0',
  ]
  let texts = ['']
  for (let length = 1; length <= 3; length++) {
    texts = texts.flatMap((text) => characters.map((character) => text + character))
    const wrong = texts.filter((text) => (scan(text) === text.length) !== isJson(text))
    deepStrictEqual(wrong, [])
  }
})

test('longer texts are JSON where JSON.parse says so, and are passed over whole [D2.2]', () => {
  const numbers = [
    '-0',
    '-1.5e+10',
    '0.0E-7',
    '120',
    '1e05',
    '1.e5',
    '01',
    '-',
    '1e',
    '1e+',
    '.5',
    '1.5.5',
    '1e5.5',
    '- 1',
    '1E9',
    '10.09',
  ]
  const words = ['true', 'false', 'null', 'tru', 'nul', 'falsey', 'nulL', 'True']
  const escapes = '"\\/bfnrtuUx\'0'
    .split('')
    .flatMap((letter) => [`"\\${letter}"`, `"\\${letter}0041"`, `"a\\${letter}`])
  const units = ['0041', 'aBcD', 'FFFF', 'd7ff', 'e000', '00g0', '@000', '00/0', '00:0', '`000', 'G000', '12', '123"']
  const values = [
    ...numbers,
    ...words,
    ...escapes,
    ...units.map((unit) => `"\\u${unit}"`),
    '"\u007f\u0020é\u{10428}"',
    '"\t"',
  ]
  const around = (value: string): string[] => [
    value,
    ` \t\r\n${value}\n\r\t `,
    `[${value}]`,
    `[ ${value} , ${value} ]`,
    `{"a":${value}}`,
    `{ "a" : ${value} , "b" : ${value} }`,
    `{${value}:1}`,
    `[${value},]`,
    `{"a":${value},}`,
    `{"a" ${value}}`,
    `[${value} ${value}]`,
    `\u00a0${value}`,
    `\v${value}`,
  ]
  const wrong = values.flatMap(around).filter((text) => (scan(text) === text.length) !== isJson(text))
  deepStrictEqual(wrong, [])
})

const told: readonly (readonly [text: string, message: string])[] = [
  ['', 'unexpected end at character 1'],
  ['tru', 'unexpected end at character 4'],
  ['trUe', "unexpected 'U' at character 3"],
  ['"\\ "', 'unexpected U+0020 at character 3'],
  ['[0,trUe]', "unexpected 'U' at character 6"],
  ['[1 2]', "unexpected '2' at character 4"],
  ['{"a";1}', "unexpected ';' at character 5"],
  ['{"a":1 "b":2}', `unexpected '"' at character 8`],
  ['"a\n"', 'unexpected U+000A at character 3'],
  ['"\\x"', "unexpected 'x' at character 3"],
  ['"\\u00g0"', "unexpected 'g' at character 6"],
  ['[ ]é', '3'],
  ['[é]', 'unexpected U+00E9 at character 2'],
  ['[\u{10428}]', 'unexpected U+10428 at character 2'],
  ['[\u007f]', 'unexpected U+007F at character 2'],
  ['[~]', "unexpected '~' at character 2"],
  ['[!]', "unexpected '!' at character 2"],
  ['-a', "unexpected 'a' at character 2"],
  ['"\\ud800"', 'half of a surrogate pair at character 2'],
  ['"\\udbff\\u0041"', 'half of a surrogate pair at character 2'],
  ['"\\ud800\\ud800"', 'half of a surrogate pair at character 2'],
  ['"\\ud800\\ue000"', 'half of a surrogate pair at character 2'],
  ['"\\udc00\\udc00"', 'half of a surrogate pair at character 2'],
  ['"\\udfff"', 'half of a surrogate pair at character 2'],
  ['"\\ud800\\n"', 'half of a surrogate pair at character 2'],
  ['"\\ud800\\udc00\\udbff\\udfff"', '26'],
  ['[[[]]]', '6'],
  ['[[{}]]', '6'],
  ['[[[[]]]]', 'nested too deeply at character 4'],
  ['[[[{}]]]', 'nested too deeply at character 4'],
  ['{"a":{"a":{"a":[]}}}', 'nested too deeply at character 16'],
  ['1e400', 'a number out of range at character 1'],
  ['[-1E+400]', 'a number out of range at character 2'],
  [`${'9'.repeat(400)}.5`, 'a number out of range at character 1'],
  [`${'9'.repeat(300)}.5`, '302'],
  ['9'.repeat(400), '400'],
  ['1e-400', '6'],
]

for (const [text, message] of told) {
  const shown = text.length > 30 ? `${text.slice(0, 10)}.. (${text.length} characters)` : text
  test(`${JSON.stringify(shown)}: ${message} [D2.2]`, () => strictEqual(String(scan(text)), message))
}
