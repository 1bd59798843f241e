import { runTogether } from '../group.ts'

await runTogether('services/sqlapi/test/service/{check,commands,database,declarations,postgres,sql}/**/*.test.ts')
