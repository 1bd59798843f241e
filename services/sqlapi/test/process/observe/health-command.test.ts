/**
 * `sqlapi health`, as health checks of containers run it. The cases are those of the package that both services share.
 */
import { join } from 'node:path'
import { testHealth } from '@services/command-line/testing'
import { newFolder } from '@services/testing'
import { spawnSqlapi, startSqlapi } from '../../support/process.ts'

const crm = { name: 'crm', url: 'postgres://127.0.0.1:1/crm', username: 'crm', password_env: 'CRM_PASSWORD' }

testHealth({
  rules: '[O5.1]',
  name: 'sqlapi',
  start: (host, port) =>
    startSqlapi({ files: { 'demo/GET/one.sql': 'SELECT 1' }, config: { server: { bind: `${host}:${port}` } } }),
  ask(host, port) {
    const config = { sql_dir: 'sql', server: { bind: `${host}:${port}` }, datasources: [crm] }
    const cwd = newFolder({ 'sqlapi.yaml': JSON.stringify(config) })
    return spawnSqlapi({ cwd, args: ['health', '--config', join(cwd, 'sqlapi.yaml')] }).ended
  },
  run: (args) => spawnSqlapi({ cwd: newFolder(), args }).ended,
})
