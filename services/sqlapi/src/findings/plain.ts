/**
 * Text of files and of databases -> what a terminal shows and never obeys, and how wide it shows it. Pure.
 */

const replacement = '\uFFFD'

/** Without line breaks and control characters. */
export function inOneLine(text: string): string {
  return text.replaceAll(/[\r\n]+[\t ]*/g, ' ').replaceAll(/[\p{C}\u2028\u2029]/gu, replacement)
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
