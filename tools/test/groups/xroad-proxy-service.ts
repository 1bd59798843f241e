import { runTogether } from '../group.ts'

await runTogether('services/xroad-proxy/test/service/**/*.test.ts')
