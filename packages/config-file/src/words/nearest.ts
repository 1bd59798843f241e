/** A misspelled name -> the known name that was probably meant, if one is close enough to say so. Pure. */
import { editsBetween } from './edits.ts'

/** In names of files and of fields, which are read once: half a name may do as well. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = fold(name)
  const { length } = wanted
  const most = [1, 3, 11].filter((least) => length > least).length
  return (
    known.find((each) => fold(each) === wanted) ??
    known.find((each) => length > 2 && fold(each).startsWith(wanted)) ??
    closest(wanted, known, { most, spell: fold }) ??
    onlyOne(known.filter((each) => hasWords(each, name))) ??
    onlyOne(known.filter((each) => isPart(wanted, fold(each))))
  )
}

/** The known name that differs in case, separators or a few letters only; half a name leads to none. */
export function misspelt(name: string, known: readonly string[]): string | undefined {
  const wanted = fold(name)
  if (wanted.length < 4 || name.length > 64) return undefined
  return closest(wanted, known, { most: wanted.length > 7 ? 2 : 1, spell: fold })
}

const maxLength = 128
/** Known names of a length that may fit, the first of which are compared. */
const maxCompared = 500

/**
 * A name that a caller has sent, in any case. Callers choose how often this is asked, so the work of one question is
 * bounded: long names have no answer, and few known names are compared.
 */
export function nearName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined
  const wanted = name.toLowerCase()
  const most = Math.min(2, Math.max(0, Math.floor((wanted.length - 1) / 2)))
  const fitting = Iterator.from(known).filter((each) => Math.abs(each.length - wanted.length) <= most)
  return closest(wanted, fitting.take(maxCompared), { most, spell: (each) => each.toLowerCase() })
}

interface Search {
  /** Edits at most. */
  readonly most: number
  /** In the spelling of the name that is searched for. */
  readonly spell: (name: string) => string
}

/** The first of the names that take the fewest edits. */
function closest(wanted: string, known: Iterable<string>, { most, spell }: Search): string | undefined {
  let allowed = most
  let found: string | undefined
  for (const each of known) {
    const edits = editsBetween(wanted, spell(each), allowed)
    if (edits > allowed) continue
    found = each
    if (edits === 0) break
    // Only names that take fewer edits are of use from here on.
    allowed = edits - 1
  }
  return found
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
