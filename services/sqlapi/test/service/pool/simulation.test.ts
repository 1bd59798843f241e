/**
 * The scheduler in a simulated world (simulation-world.ts): thousands of runs in which anything may happen at any
 * moment, each step held against the invariants below. Single situations are in simulation-situations.test.ts.
 *
 * A run is repeated with its seed: SQLAPI_SIMULATION_SEED=123 node --test simulation.test.ts
 */
import { ok, strictEqual } from 'node:assert/strict'
import { randomFrom } from '@services/testing'
import type { History } from '../../../src/database/pool/history.ts'
import { takenBack } from '../../../src/database/pool/job.ts'
import { settled } from '../../support/pool/simulation-clock.ts'
import type { Server, SimulatedConnection } from '../../support/pool/simulation-server.ts'
import { testsInThread } from '../../support/pool/simulation-thread.ts'
import {
  shortStatement,
  type Start,
  type Statement,
  statementOf,
  type Task,
  World,
} from '../../support/pool/simulation-world.ts'

const fixedSeeds = Array.from({ length: 2000 }, (_, index) => index + 1)

/** Steps after which a run must be over; most have some hundred. */
const longestRun = 20_000

/** What must hold after every step: nothing to say, or what is wrong. */
const invariants: Readonly<Record<string, (world: World) => string | undefined>> = {
  'never more connections than allowed': ({ connected, server }) =>
    connected > server.max ? `${connected} of ${server.max}` : undefined,

  'no job waits while a connection is idle, but for one that would make a busy process no faster': (world) => {
    const { connections, waiting } = world
    const hasIdle = [...connections].some((connection) => isIdle(connection))
    return hasIdle ? describeTask([...waiting].find((task) => !world.isHeldBack(task))) : undefined
  },

  'a busy process holds nobody back while others wait for a connection': (world) => {
    const { connections, waiting } = world
    const groups = new Set([...waiting].map((task) => task.statement.group ?? task))
    const hasIdle = [...connections].some((connection) => isIdle(connection))
    return hasIdle && groups.size > 1 ? `${waiting.size} wait` : undefined
  },

  'no job waits while a connection could be opened and none is': (world) => {
    const isRefused = world.clock.now() - world.lastRefusal <= 500
    const hasRoom = world.connected < world.server.max && !isRefused
    const waiting = [...world.waiting].filter((task) => !world.isHeldBack(task))
    return waiting.length > 0 && hasRoom && world.opening === 0 ? `${waiting.length} wait` : undefined
  },

  'nobody waits longer than the acquire timeout without being told': ({ waiting, clock, server }) => {
    // The timer for all of them rings once a millisecond at most.
    const before = clock.now() - 2
    const latest = before - server.acquireTimeoutSeconds * 1000
    return describeTask([...waiting].find(({ arrived, waitingSince }) => arrived < latest && waitingSince < before))
  },

  'whoever leaves while waiting is told at once': ({ waiting }) =>
    describeTask([...waiting].find(({ goneAt }) => goneAt !== undefined)),

  'a cancel request hits nobody else': ({ struckNeighbours }) => describeTask(struckNeighbours[0]),
}

/** What must hold whenever a job is given a connection. */
const startInvariants: Readonly<Record<string, (start: Start, atOnce: readonly Start[], world: World) => boolean>> = {
  'only on a connection that is open and clean': ({ isConnectionUsable }) => isConnectionUsable,
  'each job runs once': ({ task }) => task.runs === 1 && task.settlements === 0,
  'nothing runs for a client that has gone': ({ task }) => task.goneAt === undefined,
  'never more jobs on a connection than its depth': ({ neighbours }, _, { server }) => neighbours.length < server.depth,
  'jobs of different groups never share': ({ task, neighbours }) =>
    neighbours.every(({ statement }) => statement.group === task.statement.group),
  'only short statements share': ({ task, neighbours }) =>
    neighbours.length === 0 || (task.startedShort && neighbours.every(({ startedShort }) => startedShort)),
  'a statement that is late elsewhere does not share': ({ neighbours, isLateElsewhere }) =>
    neighbours.length === 0 || !isLateElsewhere,
  'nobody joins behind a late job': ({ headMs }) => headMs <= 10,
  'nobody joins where all is likely to take more than 5 ms': ({ neighbours, backlogMs }) =>
    neighbours.length === 0 || backlogMs <= 5.000_001,
  'a connection goes to who has waited longest': ({ neighbours, passed }) =>
    neighbours.length > 0 || passed.length === 0,
  'jobs of one group start in order of arrival': ({ task, passed }) =>
    !task.statement.isAlwaysShort ||
    passed.every(({ statement, wasShort }) => !isOfGroup(statement, task) || !wasShort || !statement.isAlwaysShort),
  'who waits is passed only by those who go with the first, or while a connection is being opened for him': (
    start,
    others,
  ) =>
    start.neighbours.length === 0 ||
    start.passed.filter(({ statement }) => statement.group === undefined).length <= start.room ||
    others.some(({ connection, passed }) => connection === start.connection && passed.length === 0),
}

/** What must be left when the last timer has rung. */
const finalInvariants: Readonly<Record<string, (world: World) => boolean>> = {
  'every job has been told once': ({ tasks }) => tasks.every(({ settlements }) => settlements === 1),
  'what was begun was begun once': ({ tasks }) => tasks.every(({ runs }) => runs <= 1),
  'what succeeded has run': ({ tasks }) => tasks.every(({ error, runs }) => error !== undefined || runs === 1),
  'nobody is told that a job was taken back': ({ tasks }) => tasks.every(({ error }) => error !== takenBack),
  'who has waited too long was told in time': ({ tasks, server }) =>
    tasks.every(({ error, arrived, waitingSince, endedAt }) => {
      const deadline = Math.max(arrived + server.acquireTimeoutSeconds * 1000, waitingSince)
      return !String(error).includes('became free') || Math.abs(endedAt - deadline - 1) <= 1.001
    }),
  'no statement is held to be late': ({ tasks }) =>
    tasks.every(({ statement }) => statement.history === undefined || canBeShort(statement.history)),
  'one idle connection at most, and a clean one': ({ connections }) =>
    connections.size <= 1 && [...connections].every((connection) => isIdle(connection)),
}

const test = testsInThread(import.meta.url)

test('no step at random breaks an invariant [D6.5] [D6.7] [D3.6] [S-limits.acquire_timeout_seconds]', async () => {
  const wanted = process.env['SQLAPI_SIMULATION_SEED']
  const seeds = wanted === undefined ? [...fixedSeeds, Math.floor(Math.random() * 2 ** 31)] : [Number(wanted)]
  for (const seed of seeds) await simulate(seed)
})

async function simulate(seed: number): Promise<void> {
  const world = new World(randomServer(randomFrom(seed)), seed)
  const { next, clock } = world
  const statements = randomStatements(next)
  const burst = pick(next, [0.05, 0.5, 5])
  const isBusy = next() < 0.5
  const patience = next() < 0.5 ? 0.1 : 0
  if (next() < 0.3) clock.after(next() * 20, () => void world.pool.probe().catch(() => undefined))
  if (next() < 0.2) clock.after(next() * 200, () => void world.pool.close())
  let arrival = isBusy ? makeBusy(world) : 0
  for (let call = 0; call < 40 + next() * 80; call++) {
    // No two at the same moment: that would be no order.
    arrival += next() < 0.5 ? next() * burst : 1e-6
    const statement = pick(next, statements)()
    const patienceMs = next() < patience ? next() * 20 : Infinity
    clock.after(arrival, () => void world.call(statement, patienceMs))
  }
  let steps = 0
  do {
    await settled()
    check(seed, world)
    ok(++steps < longestRun, `seed ${seed}: it comes to no end`)
  } while (clock.step())
  hold(seed, finalInvariants, world)
  await finish(world)
  strictEqual(world.connected, 0, `seed ${seed}: connections left after the end`)
}

/**
 * Has no time left from the beginning, and at times some; a statement of its own makes that known. Gives when the calls
 * may begin.
 */
function makeBusy(world: World): number {
  const { clock, next } = world
  clock.idleShare = 0
  for (let change = 0; change < 3; change++) clock.after(next() * 600, () => (clock.idleShare = 1 - clock.idleShare))
  const known = shortStatement('known', 'read', () => 1)
  for (let at = 0; at < 100; at++) clock.after(at, () => void world.call(known))
  return 100
}

function check(seed: number, world: World): void {
  for (const [name, find] of Object.entries(invariants)) {
    const problem = find(world)
    if (problem !== undefined) throw new Error(`seed ${seed}, ${world.clock.now()} ms: ${name}: ${problem}`)
  }
  const { starts } = world
  world.starts = []
  for (const start of starts) {
    for (const [name, holds] of Object.entries(startInvariants)) {
      if (holds(start, starts, world)) continue
      throw new Error(`seed ${seed}, ${world.clock.now()} ms: ${name}: ${describeTask(start.task)}`)
    }
  }
}

function hold(seed: number, table: Readonly<Record<string, (world: World) => boolean>>, world: World): void {
  for (const [name, holds] of Object.entries(table)) ok(holds(world), `seed ${seed}: ${name}`)
}

/** Closes the pool and lets all timers ring. */
async function finish(world: World): Promise<void> {
  void world.pool.close()
  do await settled()
  while (world.clock.step())
}

function pick<T>(next: () => number, choices: readonly T[]): T {
  return choices[Math.floor(next() * choices.length)] as T
}

function randomServer(next: () => number): Server {
  const often = (probability: number) => (): boolean => next() < probability
  const isBad = next() < 0.5
  return {
    max: 1 + Math.floor(next() * 5),
    depth: 1 + Math.floor(next() * 8),
    acquireTimeoutSeconds: pick(next, [5, 0.05]),
    openMs: () => next() * 10,
    closeMs: () => next() * 3,
    allowed: isBad ? 1 + Math.floor(next() * 3) : Infinity,
    givesBack: next() < 0.5,
    hasBegun: often(0.8),
    isRefused: often(isBad ? 0.1 : 0),
    breaksAfterMs: () => (isBad && next() < 0.3 ? Math.max(0, next() * 60 - 10) : Infinity),
    leavesDirty: often(pick(next, [0, 0.1])),
    isCleanable: often(0.9),
    fails: often(0.1),
  }
}

/** Statements of all kinds; each choice gives the one to call next. */
function randomStatements(next: () => number): (() => Statement)[] {
  const fast = [shortStatement('fast', 'read', () => next() * 0.3), shortStatement('other', 'read', () => next() * 0.3)]
  const writes = [1, 2, 3].map((number) => shortStatement(`write ${number}`, `write ${number}`, () => next()))
  const varying = shortStatement('varying', 'read', () => (next() < 0.1 ? 300 * next() : next()), false)
  const middling = shortStatement('middling', 'read', () => 1 + next() * 2)
  const slow = statementOf('slow', 'read', () => 100 + next() * 500)
  const alone = { ...statementOf('alone', undefined, () => next() * 20), history: undefined }
  return [
    () => pick(next, fast),
    () => pick(next, fast),
    () => pick(next, writes),
    () => varying,
    () => middling,
    () => (next() < 0.3 ? slow : varying),
    () => alone,
    () => statementOf('unknown', 'read', () => next()),
  ]
}

function isIdle({ state, tasks, isDirty }: SimulatedConnection): boolean {
  return state === 'open' && tasks.length === 0 && !isDirty
}

function isOfGroup({ group }: Statement, task: Task): boolean {
  return group === task.statement.group
}

function describeTask(task: Task | undefined): string | undefined {
  return task === undefined
    ? undefined
    : `${task.statement.name} ${task.id}, ${task.state}, arrived at ${task.arrived} ms`
}

/** No doubt lasts longer than so many good runs. */
function canBeShort(history: History): boolean {
  for (let run = 0; run < 10_000; run++) {
    if (history.isShort) return true
    history.record(0)
  }
  return false
}
