import { runTogether } from '../group.ts'

await runTogether('services/xroad-proxy/test/unit/**/*.test.ts')
