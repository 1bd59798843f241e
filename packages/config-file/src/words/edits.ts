/** Two names -> how many letters must change to make one of the other, counted up to a bound. Pure. */

/**
 * Letters added, left out, replaced or swapped; more than `most` if it takes more. Cells further than that from the
 * diagonal need more edits as well, so none of them is computed: the work grows with the length of a name.
 */
export function editsBetween(one: string, other: string, most: number): number {
  const width = other.length
  if (Math.abs(one.length - width) > most) return most + 1
  let before = new Uint8Array(width + 1)
  let last = new Uint8Array(width + 1).map((_, at) => at)
  let next = new Uint8Array(width + 1)
  for (let row = 1; row <= one.length; row++) {
    const start = Math.max(1, row - most)
    const end = Math.min(width, row + most)
    next[start - 1] = start === 1 ? row : most + 1
    let least = next[start - 1] as number
    const letter = one.charCodeAt(row - 1)
    for (let column = start; column <= end; column++) {
      const added = Math.min(next[column - 1] as number, last[column] as number) + 1
      let edits = Math.min(added, (last[column - 1] as number) + (letter === other.charCodeAt(column - 1) ? 0 : 1))
      const isSwapped =
        row > 1 &&
        column > 1 &&
        letter === other.charCodeAt(column - 2) &&
        one.charCodeAt(row - 2) === other.charCodeAt(column - 1)
      if (isSwapped) edits = Math.min(edits, (before[column - 2] as number) + 1)
      next[column] = edits
      least = Math.min(least, edits)
    }
    if (least > most) return most + 1
    if (end < width) next[end + 1] = most + 1
    const free = before
    before = last
    last = next
    next = free
  }
  return last[width] as number
}
