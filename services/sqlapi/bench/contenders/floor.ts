/** The floor: what one writes by hand for the same endpoints. */
import { join } from 'node:path'
import { contenderTitles } from '../scenarios/scenario.ts'
import { askRest, type HttpContender, isRightInMeaning } from './contender.ts'

export const floor: HttpContender = {
  title: contenderTitles.floor,
  command: ({ postgresUrl, sqliteFile }) => ({
    args: [join(import.meta.dirname, 'floor-server.ts')],
    env: { BENCH_POSTGRES: postgresUrl, BENCH_SQLITE: sqliteFile },
  }),
  ask: askRest,
  isRight: isRightInMeaning,
}
