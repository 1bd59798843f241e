/**
 * The program that SQLite makes of a statement -> whether it may run very long: recursion, or a scan of a whole table
 * for each row of something else. For statements that it does not know it guesses. No result depends on that: if the
 * guess is wrong, the statement runs in a thread that cannot be ended (see workplace.ts). Also whether a statement
 * gives one row at most, for which an iterator costs more than the row. Pure.
 */

/** A row of `EXPLAIN`. */
export interface Instruction {
  readonly addr: number
  readonly opcode: string
  readonly p1: number
  readonly p2: number
}

/** A run of instructions; both ends belong to it. */
interface Span {
  readonly from: number
  readonly to: number
}

const ends: ReadonlySet<string> = new Set(['Next', 'Prev', 'SorterNext', 'VNext'])
const scans: ReadonlySet<string> = new Set(['Rewind', 'Last'])

const subroutines: ReadonlySet<string> = new Set(['Gosub', 'Return', 'Yield', 'EndCoroutine'])

/** `isSmall`: a scan of the largest table takes no noticeable time. */
export function mayRunOn(instructions: readonly Instruction[], isWrite: boolean, isSmall: boolean): boolean {
  const [main = [], ...triggers] = toPrograms(instructions)
  if (isRecursive(main) || hasNestedScan(main)) return true
  const isLoop = loopsOf(main).length > 0
  if (isWrite && !isSmall && main.some(({ opcode }) => scans.has(opcode)) && isLoop) return true
  return triggers.some((trigger) => {
    if (isRecursive(trigger) || hasNestedScan(trigger)) return true
    // A trigger that starts others may start itself.
    if (trigger.some(({ opcode }) => opcode === 'Program')) return true
    return (isLoop || !isSmall) && loopsOf(trigger).length > 0
  })
}

/**
 * Whether the statement gives no more than one row: nothing leads back to where it gives one. False where that is not
 * plain to see.
 */
export function givesOneRow(instructions: readonly Instruction[]): boolean {
  const [main = []] = toPrograms(instructions)
  // Where the first instruction leads is the preparation, which is done first and leads back to the second one.
  const end = main[0]?.opcode === 'Init' ? main[0].p2 : 0
  const given = main.filter(({ opcode }) => opcode === 'ResultRow')
  if (given.length !== 1 || main.some(({ opcode }) => subroutines.has(opcode))) return false
  const { addr: at } = given[0] as Instruction
  // Not all of these are jumps.
  return !main.some(({ addr, p2 }) => addr > at && addr < end && p2 > 0 && p2 <= at)
}

/** The statement's own, then those of its triggers, which begin to count again. */
function toPrograms(instructions: readonly Instruction[]): Instruction[][] {
  const programs: Instruction[][] = []
  for (const instruction of instructions) {
    if (instruction.addr === 0) programs.push([])
    programs.at(-1)?.push(instruction)
  }
  return programs
}

/** WITH RECURSIVE takes row after row out of a queue: a jump back to the look whether there is one. */
function isRecursive(program: readonly Instruction[]): boolean {
  return program.some(({ opcode, addr, p2 }) => opcode === 'Goto' && p2 < addr && program[p2]?.opcode === 'Rewind')
}

/** What is done once is not nested, wherever it is. */
function hasNestedScan(program: readonly Instruction[]): boolean {
  const loops = loopsOf(program)
  const once = program
    .filter(({ opcode }) => opcode === 'Once')
    .map(({ addr, p2 }): Span => ({ from: addr, to: p2 - 1 }))
  return program.some(({ opcode, addr, p1, p2 }) => {
    if (!scans.has(opcode)) return false
    // Else it only asks for the first or the last row.
    if (!program.some((end) => ends.has(end.opcode) && end.p1 === p1 && end.p2 > addr && end.addr < p2)) return false
    return loops.some((loop) => {
      if (!holds(loop, addr) || !holds(loop, p2 - 1)) return false
      return !once.some((span) => holds(span, addr) && loop.from < span.from && loop.to > span.to)
    })
  })
}

function loopsOf(program: readonly Instruction[]): Span[] {
  return program
    .filter(({ opcode, addr, p2 }) => ends.has(opcode) && p2 <= addr)
    .map(({ addr, p2 }): Span => ({ from: p2, to: addr }))
}

function holds({ from, to }: Span, addr: number): boolean {
  return from <= addr && addr <= to
}
