/** The characters of XML names, as xmllint judges them. */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { newFolder } from '@services/testing'
import { nameCharacter, nameStart } from '../../../../src/soap/check/pattern/name-characters.ts'
import { maxEffort } from '../../../../src/soap/check/pattern/automaton.ts'
import { toTextCheck } from '../../../../src/soap/check/text-check.ts'
import { whyNoXmllint } from '../../../support/wsdl/xml-schema.ts'

const skip = whyNoXmllint()

const classes = [nameStart, nameCharacter].map((characters) => new RegExp(`[${characters}]`, 'u'))
/** Those on both sides of each border of our classes, and one of each 64: xmllint takes long for all of them. */
const characters = Array.from({ length: 0xff_ff - 0x20 }, (_, index) => 0x21 + index)
  .filter((code) => code % 64 === 0 || classes.some((name) => isBorder(name, code)))
  .concat(0x1_00_00, 0x1_d4_00, 0x2_00_00, 0xe_01_00)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => character.isWellFormed() && !'&<>\ufffe\uffff'.includes(character))

function isBorder(name: RegExp, code: number): boolean {
  const isInside = name.test(String.fromCodePoint(code))
  return [code - 1, code + 1].some((each) => name.test(String.fromCodePoint(each)) !== isInside)
}

/** The texts that xmllint does not take for values of the type. */
function refusedByXmllint(type: string, texts: readonly string[]): ReadonlySet<string> {
  const folder = newFolder()
  const schema = `<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema"><x:element name="r"><x:complexType><x:sequence>
    <x:element name="a" maxOccurs="unbounded" type="x:${type}"/></x:sequence></x:complexType></x:element></x:schema>`
  writeFileSync(join(folder, 'r.xsd'), schema)
  writeFileSync(join(folder, 'r.xml'), `<r>\n${texts.map((text) => `<a>${text}</a>\n`).join('')}</r>`)
  const args = ['--noout', '--nonet', '--schema', 'r.xsd', 'r.xml']
  const { stderr, status } = spawnSync('xmllint', args, { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 })
  ok(status === 0 || status === 3, stderr.slice(0, 1000))
  const lines = stderr.matchAll(/^r\.xml:(\d+): element a: Schemas validity error/gm)
  return new Set(Array.from(lines, ([, line]) => texts[Number(line) - 2] ?? ''))
}

describe('characters of names [G6]', { skip }, () => {
  const rows: readonly (readonly [type: string, before: string])[] = [
    ['NCName', ''],
    ['NCName', 'a'],
    ['Name', ''],
    ['NMTOKEN', ''],
  ]
  for (const [type, before] of rows) {
    test(`${type} ${before === '' ? 'of one character' : 'of several'}`, () => {
      const texts = characters.map((character) => `${before}${character}`)
      const check = toTextCheck({ base: type })
      const judged = refusedByXmllint(type, texts)
      const differing = texts.filter(
        (text) => (check.problemOf(text, { left: maxEffort }) !== undefined) !== judged.has(text),
      )
      deepStrictEqual(
        differing.map((text) => text.codePointAt(before.length)?.toString(16)),
        [],
      )
    })
  }
})
