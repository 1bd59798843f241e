/**
 * A name that a caller has sent -> the known one that was probably meant. Callers choose how often this is asked, so
 * the work of one question is bounded: long names have no answer, and few known names are compared. Pure.
 */

const maxLength = 128
/** Known names of a length that may fit, the first of which are compared. */
const maxCompared = 500

/** In any case; undefined if none is near enough. */
export function nearName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined
  const wanted = name.toLowerCase()
  let allowed = Math.min(2, Math.max(0, Math.floor((wanted.length - 1) / 2)))
  let found: string | undefined
  let compared = 0
  for (const each of known) {
    if (Math.abs(each.length - wanted.length) > allowed) continue
    if (++compared > maxCompared) break
    const edits = editsBetween(wanted, each.toLowerCase(), allowed)
    if (edits > allowed || (found !== undefined && edits === allowed)) continue
    found = each
    allowed = edits
    if (edits === 0) break
  }
  return found
}

/** Letters added, left out, replaced or swapped; more than `most` where it takes more. */
function editsBetween(one: string, other: string, most: number): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    let least = row
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      let edits = Math.min(
        (last[column] as number) + 1,
        (next[column - 1] as number) + 1,
        (last[column - 1] as number) + (isSame ? 0 : 1),
      )
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (isSwapped) edits = Math.min(edits, (before[column - 2] as number) + 1)
      next.push(edits)
      least = Math.min(least, edits)
    }
    if (least > most) return most + 1
    before = last
    last = next
  }
  return last[other.length] as number
}
