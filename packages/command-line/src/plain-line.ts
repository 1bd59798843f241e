/** Text of files and of other programs -> what a terminal shows and never obeys. Pure. */

/** In one line: line breaks are control characters too. */
export function toPlainLine(text: string): string {
  return text.replaceAll(/[\p{C}\u2028\u2029]/gu, '\uFFFD')
}
