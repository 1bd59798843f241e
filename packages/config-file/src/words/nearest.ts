/** A misspelled name -> the known name that was probably meant, if one is close enough to say so. */

export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = fold(name)
  const isAlike = [
    (each: string) => each === wanted,
    (each: string) => wanted.length > 2 && each.startsWith(wanted),
    (each: string) => wanted.length > 1 && isWithin(1, wanted, each),
    (each: string) => wanted.length > 3 && isWithin(2, wanted, each),
    (each: string) => wanted.length > 11 && isWithin(3, wanted, each),
  ]
  const found = isAlike.map((test) => known.find((name) => test(fold(name)))).find((name) => name !== undefined)
  return (
    found ??
    onlyOne(known.filter((each) => hasWords(each, name))) ??
    onlyOne(known.filter((each) => isPart(wanted, fold(each))))
  )
}

/** The known name that differs in case, separators or a few letters only; half a name leads to none. */
export function misspelt(name: string, known: readonly string[]): string | undefined {
  const wanted = fold(name)
  if (wanted.length < 4 || name.length > 64) return undefined
  const edits = wanted.length > 7 ? 2 : 1
  const near = known.filter((each) => Math.abs(fold(each).length - wanted.length) <= edits)
  return near.find((each) => isSpelling(each, name)) ?? near.find((each) => isWithin(edits, wanted, fold(each)))
}

/** Whether the two are the same except for case and separators. */
export function isSpelling(one: string, other: string): boolean {
  return fold(one) === fold(other)
}

/** Half of a name leads to a guess only where no other name has it. */
function onlyOne(names: readonly string[]): string | undefined {
  const [name, ...others] = new Set(names)
  return others.length === 0 ? name : undefined
}

/** All words of a name, and others: `wsdl_watch_dir` has those of `wsdl_dir`. */
function hasWords(name: string, part: string): boolean {
  const [all, wanted] = [wordsOf(name), wordsOf(part)]
  return wanted.length > 1 && wanted.every((word) => all.includes(word))
}

function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, 64)
    .toLowerCase()
    .split(/[-_.\s]+/)
}

function isPart(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short.length > 2 && long.includes(short)
}

/** Spelling that differs in case and separators only does not count as a difference. */
function fold(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replaceAll(/[-_.\s]/g, '')
}

/** Whether this many letters added, left out, replaced or swapped turn one text into the other. */
function isWithin(edits: number, from: string, to: string): boolean {
  if (from === '' || to === '') return from.length + to.length <= edits
  const [restOfFrom, restOfTo] = [from.slice(1), to.slice(1)]
  if (from[0] === to[0]) return isWithin(edits, restOfFrom, restOfTo)
  const next: [string, string][] = [
    [restOfFrom, restOfTo],
    [restOfFrom, to],
    [from, restOfTo],
  ]
  if (from[0] === to[1] && from[1] === to[0]) next.push([from.slice(2), to.slice(2)])
  return edits > 0 && next.some(([left, right]) => isWithin(edits - 1, left, right))
}
