/** Who calls sqlapi in a soak, what is right for each, and the faults of PostgreSQL. */
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Actor,
  type Caller,
  askOn,
  leave,
  type Outcome,
  type Reply,
  speakNonsense,
  WrongAnswer,
} from '@services/bench'
import type { ThrowawayPostgres } from '@services/testing/postgres'
import type { Ledger, Project } from './ledger.ts'

const batchSets = 20
const longRows = 20_000

export function actorsOn(port: number, postgres: ThrowawayPostgres, ledger: Ledger): readonly Actor[] {
  const ask = askOn(`http://127.0.0.1:${port}`)
  const read = (project: Project) => async (): Promise<Outcome> => {
    const id = 1 + Math.floor(Math.random() * 1000)
    return expect(await ask(`/${project}/person?id=${id}`), `[{"id":${id},"name":"name ${id}"}]`)
  }
  const write = (project: Project, sets: number) => (): Promise<Outcome> => writeOn(ask, ledger, project, sets)
  return [
    { name: 'reads', count: 8, pauseMs: 5, act: read('soak'), isProbe: true },
    { name: 'reads of SQLite', count: 2, pauseMs: 5, act: read('lite') },
    { name: 'writes', count: 4, pauseMs: 10, act: write('soak', 1) },
    { name: 'writes to SQLite', count: 2, pauseMs: 10, act: write('lite', 1) },
    { name: 'batches', count: 2, pauseMs: 50, act: write('soak', batchSets) },
    { name: 'batches to SQLite', count: 1, pauseMs: 50, act: write('lite', batchSets) },
    { name: 'failing statements', count: 1, pauseMs: 20, act: async () => refused(await ask('/soak/zero?divisor=0')) },
    { name: 'long answers', count: 1, pauseMs: 200, act: () => readLong(ask) },
    { name: 'clients that leave', count: 2, pauseMs: 20, act: () => leave(port, '/soak/sleep') },
    {
      name: 'sets a tenant',
      count: 1,
      pauseMs: 20,
      act: async () => expect(await ask('/soak/as_tenant', '{}'), '[{"tenant":"one"}]'),
    },
    {
      name: 'has no tenant',
      count: 2,
      pauseMs: 10,
      act: async () => expect(await ask('/soak/tenant'), '[{"tenant":""}]'),
    },
    { name: 'nonsense', count: 1, pauseMs: 200, act: () => speakNonsense(port) },
    { name: 'fault: a backend is ended', count: 1, pauseMs: 3000, act: () => endBackend(postgres) },
    { name: 'fault: PostgreSQL stops and comes back', count: 1, pauseMs: 45_000, act: () => restart(postgres) },
  ]
}

function expect(answer: Reply | undefined, text: string): Outcome {
  if (answer?.status === 200 && answer.text === text) return 'right'
  return refused(answer) === 'right' ? 'refused' : 'cut'
}

/** An error that faults of the database explain, in its promised shape. */
function refused(answer: Reply | undefined): Outcome {
  if (answer === undefined) return 'cut'
  const isError = answer.status === 400 && answer.text.startsWith('{"error":"BadSqlGrammarException","message":"')
  if (!isError) throw new WrongAnswer(`${answer.status} ${answer.text.slice(0, 200)}`)
  return 'right'
}

async function writeOn(ask: Caller, ledger: Ledger, project: Project, count: number): Promise<Outcome> {
  const ids = ledger.take(count)
  const sets = ids.map((id) => ({ id }))
  const answer =
    count === 1
      ? await ask(`/${project}/note`, JSON.stringify(sets[0]))
      : await ask(`/${project}/note/batch`, JSON.stringify({ queries: sets }))
  ledger.note(project, ids, answer?.status === 200 ? 'whole' : 'unknown')
  if (answer?.status === 200) return 'right'
  return refused(answer) === 'right' ? 'refused' : 'cut'
}

async function readLong(ask: Caller): Promise<Outcome> {
  const answer = await ask(`/soak/rows?rows=${longRows}`)
  if (answer?.status !== 200) return refused(answer) === 'right' ? 'refused' : 'cut'
  const rows = JSON.parse(answer.text) as { n: number }[]
  if (rows.length !== longRows || rows.some(({ n }, index) => n !== index + 1))
    throw new WrongAnswer('rows are missing')
  return 'right'
}

async function endBackend(postgres: ThrowawayPostgres): Promise<Outcome> {
  const others = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`
  try {
    await postgres.query(`SELECT pg_terminate_backend(pid) FROM (${others} ORDER BY random() LIMIT 1) AS one`)
    return 'right'
  } catch {
    // It is being started anew.
    return 'refused'
  }
}

async function restart(postgres: ThrowawayPostgres): Promise<Outcome> {
  await delay(20_000)
  await postgres.stop()
  await delay(1000)
  await postgres.start()
  return 'right'
}
