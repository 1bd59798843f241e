import { runTogether } from '../group.ts'

await runTogether('packages/*/test/service/**/*.test.ts')
