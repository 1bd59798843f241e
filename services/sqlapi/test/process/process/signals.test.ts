/** What signals do to the service. The cases are those of the package that both services share. */
import { testSignals } from '@services/command-line/testing'
import { startSqlapi } from '../../support/process.ts'

const files = { 'lite/GET/one.sql': 'SELECT 1 AS one', 'lite/POST/echo.sql': 'SELECT :x AS x' }
const datasources = [{ name: 'lite', url: 'sqlite:lite.db' }]

for (const workers of [1, 2]) {
  testSignals({
    title: workers === 1 ? 'one process [S22]' : 'two processes [S22]',
    async start(nodeOptions) {
      const env = nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }
      const running = await startSqlapi({ files, config: { datasources, server: { workers } }, env })
      return { ...running, getPath: '/lite/one', postPath: '/lite/echo' }
    },
  })
}
