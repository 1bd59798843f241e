/** The scheduler in single situations of the simulated world; figures are exact because time is virtual. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { History } from '../../../src/database/pool/history.ts'
import { settled } from '../../support/pool/simulation-clock.ts'
import { steadyServer } from '../../support/pool/simulation-server.ts'
import { testsInThread } from '../../support/pool/simulation-thread.ts'
import { shortStatement, type Statement, statementOf, World } from '../../support/pool/simulation-world.ts'

const test = testsInThread(import.meta.url)
const loadMs = 300

/** Callers of whom each calls again as soon as it has its answer; the world goes on that long. */
async function load(
  world: World,
  callers: number,
  statement: (caller: number, call: number) => Statement,
  ms = loadMs,
): Promise<void> {
  const call = async (caller: number): Promise<void> => {
    for (let count = 0; ; count++) await world.call(statement(caller, count))
  }
  for (let caller = 0; caller < callers; caller++) void call(caller)
  await runUntil(world, ms)
}

async function runUntil(world: World, ms: number): Promise<void> {
  do await settled()
  while (world.clock.step(ms))
}

function p99(world: World, name: string): number {
  const times = world.tasks
    .filter(({ statement, arrived, endedAt }) => statement.name === name && arrived > 50 && endedAt < Infinity)
    .map(({ arrived, endedAt }) => endedAt - arrived)
    .sort((a, b) => a - b)
  ok(times.length > 50, `${times.length} calls`)
  return times[Math.floor(times.length * 0.99)] as number
}

function fastStatement(): Statement {
  return statementOf('fast', 'read', () => 0.05)
}

test('64 callers of a short statement share two connections', async () => {
  const world = new World(steadyServer, 1)
  const fast = fastStatement()
  await load(world, 64, () => fast, 50)
  world.starts = []
  await runUntil(world, 60)
  strictEqual(new Set(world.starts.map(({ connection }) => connection)).size, 2)
  strictEqual(Math.max(...world.starts.map(({ neighbours }) => neighbours.length)), 31)
})

/** A world whose process has no time left, as it has found out by now. */
async function busyWorld(server = steadyServer): Promise<World> {
  const world = new World(server, 1)
  world.clock.idleShare = 0
  const known = shortStatement('known', 'read', () => 0.1)
  await load(world, 2, () => known, 120)
  return world
}

test('a busy process fills one connection before it uses the next', async () => {
  const world = await busyWorld()
  const fast = fastStatement()
  for (let run = 0; run < 3; run++) fast.history?.record(0.05)
  await load(world, 512, () => fast, 150)
  world.starts = []
  await runUntil(world, 200)
  strictEqual(new Set(world.starts.map(({ connection }) => connection)).size, 1)
  // With time left over it uses as many as bring it forward.
  world.clock.idleShare = 1
  await runUntil(world, 300)
  world.starts = []
  await runUntil(world, 350)
  strictEqual(new Set(world.starts.map(({ connection }) => connection)).size, 10)
})

test('a busy process leaves a connection on which somebody is late', async () => {
  const world = await busyWorld()
  const fast = fastStatement()
  for (let run = 0; run < 3; run++) fast.history?.record(0.05)
  const turning = shortStatement('turning', 'read', () => 1000)
  void world.call(turning)
  await load(world, 64, () => fast, 300)
  const behind = world.tasks.filter(
    ({ statement, endedAt, arrived }) => statement === fast && arrived < 250 && endedAt - arrived > 20,
  )
  ok(behind.length < 32, `${behind.length} behind it`)
  ok(world.tasks.filter(({ statement, endedAt }) => statement === fast && endedAt < Infinity).length > 1000)
})

test('a busy process lets nobody wait for one who is held back', async () => {
  const world = await busyWorld({ ...steadyServer, max: 3 })
  const fast = fastStatement()
  for (let run = 0; run < 3; run++) fast.history?.record(0.05)
  const alone = { ...statementOf('alone', undefined, () => 1), history: undefined }
  await load(world, 70, (caller) => (caller < 6 ? alone : fast))
  ok(p99(world, 'alone') <= 10, `alone ${p99(world, 'alone')} ms`)
  ok(p99(world, 'fast') <= 20, `fast ${p99(world, 'fast')} ms`)
})

test('what this process does meanwhile makes no statement slow [S25]', async () => {
  const world = new World(steadyServer, 1)
  const fast = fastStatement()
  await load(world, 64, () => fast, 100)
  world.clock.stall(300)
  await runUntil(world, 500)
  strictEqual(fast.history?.isShort, true)
  ok((fast.history?.expectedMs ?? Infinity) < 1, `${fast.history?.expectedMs} ms`)
})

test('a statement that is slow while this process stalls is slow all the same [S25]', async () => {
  const world = new World(steadyServer, 1)
  const turning = shortStatement('turning', 'read', () => 600)
  void world.call(turning)
  await runUntil(world, 100)
  world.clock.stall(300)
  await runUntil(world, 1000)
  strictEqual(turning.history?.isShort, false)
  for (let run = 0; run < 20; run++) turning.history?.record(0)
  strictEqual(turning.history?.isShort, false)
})

test('calls of 4 ms are not put behind each other while there are connections', async () => {
  const world = new World(steadyServer, 1)
  const middling = statementOf('middling', 'read', () => 4)
  await load(world, 10, () => middling)
  strictEqual(middling.history?.isShort, true)
  ok(p99(world, 'middling') < 5)
})

test('five callers of one second leave the 99th percentile of 64 others where it was', async () => {
  const alone = new World(steadyServer, 1)
  const fast = fastStatement()
  await load(alone, 64, () => fast)
  const beside = new World(steadyServer, 1)
  const [slow, beSlow] = [statementOf('slow', 'read', () => 1000), fastStatement()]
  await load(beside, 69, (caller) => (caller < 5 ? slow : beSlow))
  ok(p99(beside, 'fast') <= 2 * p99(alone, 'fast'), `${p99(beside, 'fast')} ms, alone ${p99(alone, 'fast')} ms`)
})

test('a statement that turns slow takes one shared connection with it, and then runs alone', async () => {
  const world = new World({ ...steadyServer, max: 20 }, 1)
  const fast = fastStatement()
  const turning = statementOf('turning', 'read', () => (world.clock.now() < 50 ? 0.05 : 1000))
  await load(world, 64, (caller) => (caller < 16 ? turning : fast), 1200)
  const hit = new Set(
    world.starts
      .filter(
        ({ task, neighbours }) =>
          task.statement === turning && task.endedAt - task.startedAt > 900 && neighbours.length > 0,
      )
      .map(({ connection }) => connection),
  )
  ok(hit.size <= 2, `${hit.size} connections`)
  const delayed = world.tasks.filter(({ statement, arrived, endedAt }) => statement === fast && endedAt - arrived > 100)
  ok(delayed.length < 2 * 32, `${delayed.length} neighbours`)
})

test('a statement that is slow once in a hundred calls soon shares no more', async () => {
  const world = new World(steadyServer, 1)
  const moody = statementOf('moody', 'read', () => (world.next() < 0.01 ? 200 : 1))
  await load(world, 5, () => moody, 20_000)
  const incidents = world.starts.filter(({ task }) => task.endedAt - task.startedAt > 100)
  const shared = incidents.filter(({ task }) => task.startedShort)
  ok(incidents.length > 100 && shared.length < 10, `${shared.length} of ${incidents.length}`)
})

for (const max of [1, 2, 3]) {
  test(`jobs for a connection of their own are not starved by shared ones that never end: ${max}`, async () => {
    const world = new World({ ...steadyServer, max }, 1)
    const fast = fastStatement()
    const alone = { ...statementOf('alone', undefined, () => 1), history: undefined }
    await load(world, 66, (caller) => (caller < 2 ? alone : fast))
    // Everybody else's turn at most, and its own.
    ok(p99(world, 'alone') <= 64 * 0.05 + 1 + 1 + 0.1, `alone ${p99(world, 'alone')} ms`)
    ok(p99(world, 'fast') <= 2 * (64 * 0.05 + 1 + 1), `fast ${p99(world, 'fast')} ms`)
  })
}

test('500 different writes and 32 readers on ten connections: all of them get on', async () => {
  const world = new World(steadyServer, 1)
  const fast = fastStatement()
  const writes = Array.from({ length: 500 }, (_, number) => statementOf('write', `write ${number}`, () => 0.2))
  await load(world, 532, (caller) => writes[caller] ?? fast)
  // 500 writes of 0.2 ms on ten connections take 10 ms.
  ok(p99(world, 'write') < 20, `write ${p99(world, 'write')} ms`)
  ok(p99(world, 'fast') < 20, `fast ${p99(world, 'fast')} ms`)
})

test('thousands of unknown statements at once keep nobody from being answered', async () => {
  const world = new World(steadyServer, 1)
  const fast = fastStatement()
  const unknown = Array.from({ length: 5000 }, () => statementOf('unknown', 'read', () => 0.2))
  await load(world, 64, (caller, call) => (caller < 32 ? (unknown[(caller * 157 + call) % 5000] as Statement) : fast))
  ok(p99(world, 'unknown') < 5, `unknown ${p99(world, 'unknown')} ms`)
  ok(p99(world, 'fast') < 5, `fast ${p99(world, 'fast')} ms`)
})

test('one that would fit does not pass one of its group that does not', async () => {
  const world = new World({ ...steadyServer, max: 2 }, 1)
  const light = shortStatement('light', 'read', () => 0.1)
  const heavy = shortStatement('heavy', 'read', () => 3)
  for (let run = 0; run < 100; run++) heavy.history?.record(3)
  void world.pool.probe()
  await runUntil(world, 10)
  for (const statement of [heavy, heavy, light]) void world.call(statement)
  await settled()
  deepStrictEqual(
    world.tasks.map(({ state }) => state),
    ['running', 'waiting', 'waiting'],
  )
  await runUntil(world, 100)
  deepStrictEqual(
    world.starts.map(({ task }) => task.id),
    [0, 1, 2],
  )
})

test('those of a group go with the first of them', async () => {
  const world = new World({ ...steadyServer, max: 1 }, 1)
  const short = shortStatement('short', 'read', () => 0.1)
  const alone = { ...statementOf('alone', undefined, () => 1), history: undefined }
  for (const statement of [alone, short, alone, short, short]) void world.call(statement)
  await runUntil(world, 100)
  deepStrictEqual(
    world.starts.map(({ task }) => task.id),
    [0, 1, 3, 4, 2],
  )
})

test('a job that was taken back is still in front of who came later', async () => {
  let looks = 0
  const world = new World({ ...steadyServer, max: 1, givesBack: true, hasBegun: () => looks++ > 0 }, 1)
  const turning = shortStatement('turning', 'read', () => 50)
  const alone = { ...statementOf('alone', undefined, () => 1), history: undefined }
  void world.call(turning)
  await runUntil(world, 6)
  void world.call(alone)
  await runUntil(world, 200)
  deepStrictEqual(
    world.starts.map(({ task }) => task.id),
    [0, 0, 1],
  )
})

test('a pipeline that breaks: each of the 32 is told, none runs twice, the next ones are served', async () => {
  const world = new World({ ...steadyServer, max: 1 }, 1)
  const short = shortStatement('short', 'read', () => 0.05)
  void world.pool.probe()
  await runUntil(world, 10)
  for (let call = 0; call < 40; call++) void world.call(short)
  await settled()
  const [connection] = world.connections
  strictEqual(connection?.tasks.length, 32)
  connection.break()
  await runUntil(world, 100)
  strictEqual(world.tasks.filter(({ error }) => String(error).includes('connection lost')).length, 32)
  strictEqual(world.tasks.filter(({ error }) => error === undefined).length, 8)
  ok(world.tasks.every(({ runs, settlements }) => runs === 1 && settlements === 1))
})

test('a server that allows less than the ceiling is asked twice a second, and starves nobody', async () => {
  const world = new World({ ...steadyServer, allowed: 1 }, 1)
  const fast = fastStatement()
  const alone = { ...statementOf('alone', undefined, () => 1), history: undefined }
  await load(world, 66, (caller) => (caller < 2 ? alone : fast))
  ok(p99(world, 'alone') < 10, `alone ${p99(world, 'alone')} ms`)
  ok(world.refusals <= 2 * 2 * (1 + loadMs / 500), `${world.refusals} refusals`)
})

test('a large result is run alone for the next 64 calls, then twice as many', () => {
  const history = new History()
  const runsUntilShort = (): number => {
    let runs = 0
    while (!history.isShort) {
      history.record(1)
      runs++
    }
    return runs
  }
  const runs = [runsUntilShort()]
  for (let incident = 0; incident < 9; incident++) {
    history.recordLarge()
    history.recordLarge()
    runs.push(runsUntilShort())
  }
  deepStrictEqual(runs, [3, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 8192])
})
