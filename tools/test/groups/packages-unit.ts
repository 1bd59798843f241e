import { runTogether } from '../group.ts'

await runTogether('packages/*/test/unit/**/*.test.ts')
