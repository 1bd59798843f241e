/** What HTTP servers alone can do: each request is answered with one text, by `node:http` and by Fastify. */
import { join } from 'node:path'
import type { Arena } from '../arena.ts'
import { contenderTitles, type Scenario } from '../scenarios/scenario.ts'
import { askRest, type HttpContender } from './contender.ts'

const isRight: HttpContender['isRight'] = ({ status, body }, _request, scenario) =>
  status === 200 && body === textOf(scenario)

export const constant: HttpContender = {
  title: contenderTitles.constant,
  command: (_arena, scenario) => ({
    args: [join(import.meta.dirname, 'constant-server.ts')],
    env: { BENCH_BODY: textOf(scenario) },
  }),
  ask: askRest,
  isRight,
}

export const fastify: HttpContender = {
  title: contenderTitles.fastify,
  command: ({ installed }: Arena, scenario) => ({
    args: [join(import.meta.dirname, 'fastify-server.ts')],
    env: { BENCH_BODY: textOf(scenario), BENCH_FASTIFY: installed.fastify ?? '' },
  }),
  ask: askRest,
  isRight,
}

function textOf(scenario: Scenario | undefined): string {
  return scenario?.requests[0]?.expected ?? '[]'
}
