import { runTogether } from '../group.ts'

await runTogether('services/sqlapi/test/unit/**/*.test.ts')
