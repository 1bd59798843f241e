/** The endpoints that one writes in Go, with a pool of 10 connections: go/main.go. */
import { contenderTitles } from '../scenarios/scenario.ts'
import { askRest, type HttpContender, isRightInMeaning } from './contender.ts'

export const go: HttpContender = {
  title: contenderTitles.go,
  command: ({ postgresUrl, go }) => ({
    file: 'program' in go ? go.program : '',
    args: [],
    env: { BENCH_POSTGRES: postgresUrl },
  }),
  ask: askRest,
  isRight: isRightInMeaning,
}
