/**
 * Text of files and of databases -> what a terminal shows and never obeys, and how wide it shows it. Pure.
 */
import { toPlainLine } from '@services/command-line'

const replacement = '\uFFFD'

/** With blanks instead of line breaks, and without control characters. */
export function inOneLine(text: string): string {
  return toPlainLine(text.replaceAll(/[\r\n]+[\t ]*/g, ' '))
}

/** A line of a file: tabs stay, because they say where the rest is. */
export function asShown(line: string): string {
  return line.replaceAll(/[^\P{C}\t]|[\u2028\u2029]/gu, replacement)
}

const wide =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Hangul}\p{Emoji_Presentation}\u3000-\u303E\u30A0-\u30FF\uFF01-\uFF60\uFFE0-\uFFE6]/u
const narrow = /[\p{Mn}\p{Me}]/u

/** White space that is as wide on a terminal as the first `count` code points of a line, its tabs kept. */
export function blanksFor(line: string, count: number): string {
  let blanks = ''
  let left = count
  for (const character of line) {
    if (left-- <= 0) return blanks
    if (character === '\t') blanks += '\t'
    else if (!narrow.test(character)) blanks += wide.test(character) ? '  ' : ' '
  }
  return blanks
}
