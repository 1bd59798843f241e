/**
 * The `-- @transactional` marker: file text -> whether it stands in the leading comment block. Only `--` lines and blank
 * lines belong to that block; a block comment or SQL ends it. Both dialects read the marker alike.
 */

const leadingLine = /[^\S\n]*(?:--+([^\n]*))?(?:\n|$)/y
const marker = /^\s*@transactional(?:\s|$)/

export function hasTransactionMarker(text: string): boolean {
  leadingLine.lastIndex = 0
  for (;;) {
    const at = leadingLine.lastIndex
    const line = leadingLine.exec(text)
    if (line === null || leadingLine.lastIndex === at) return false
    if (line[1] !== undefined && marker.test(line[1])) return true
  }
}
