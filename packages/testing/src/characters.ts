/** Characters for texts that fast-check makes up. Nothing comes in; what draws them goes out. */
import fc from 'fast-check'

const firstHalf = 0xd800
const halves = 0x800
const count = 0x110000 - halves

/**
 * Every code point but halves of pairs, as `unit: 'binary'` has them. That one lists all of them first, with the way
 * back from each: 1.2 s of processor time in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.integer({ min: 0, max: count - 1 }).map(
  (index) => String.fromCodePoint(index < firstHalf ? index : index + halves),
  // The way back, for the texts that fast-check puts among others because they have been trouble elsewhere.
  (character) => {
    const [codePoint = firstHalf, ...more] = typeof character === 'string' ? toCodePoints(character) : []
    const isHalf = codePoint >= firstHalf && codePoint < firstHalf + halves
    if (isHalf || more.length > 0) throw new Error('not one character')
    return codePoint < firstHalf ? codePoint : codePoint - halves
  },
)

function toCodePoints(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) as number)
}
