/** What `bin/sqlapi.js` does before the service. The cases are those of the package that both services share. */
import { testLauncher } from '@services/command-line/testing'
import { binary } from '../../support/process.ts'

testLauncher({
  name: 'sqlapi',
  program: binary,
  files: { 'sql/demo/GET/one.sql': 'SELECT 1' },
  config: { path: 'sqlapi.yaml', text: 'sql_dir: sql\nserver: {bind: "127.0.0.1:0"}\nlogging: {format: json}\n' },
})
