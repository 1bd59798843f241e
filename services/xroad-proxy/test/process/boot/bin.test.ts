/** What `bin/xroad-proxy.js` does before the service. The cases are those of the package that both services share. */
import { testLauncher } from '@services/command-line/testing'
import { binary } from '../../support/process.ts'

testLauncher({
  name: 'xroad-proxy',
  program: binary,
  files: {},
  config: { path: 'proxy.yaml', text: 'host: 127.0.0.1\nport: 0\n' },
})
