/**
 * `xroad-proxy health`, as health checks of containers run it. The cases are those of the package that both services
 * share.
 */
import { testHealth } from '@services/command-line/testing'
import { newFolder } from '@services/testing'
import { spawnProxy, startProxy } from '../../support/process.ts'

const server = { url: 'https://127.0.0.1:1', keystore_path: 'missing.p12', keystore_password_env: 'STORE_PASSWORD' }

testHealth({
  rules: '[O5.1]',
  name: 'xroad-proxy',
  start: (host, port) => startProxy({ files: {}, config: { host, port } }),
  ask(host, port) {
    const cwd = newFolder({ 'proxy.yaml': JSON.stringify({ host, port, security_server: server }) })
    return spawnProxy({ cwd, args: ['health'] }).ended
  },
  run: (args) => spawnProxy({ cwd: newFolder(), args }).ended,
})
