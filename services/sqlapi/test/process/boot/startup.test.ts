/**
 * The start of the real process: what refuses it, with which exit code and which one line of log, and what must not.
 * Which configurations are refused with which words is for config.test.ts; here it is the process that counts.
 */
import { match, ok, strictEqual } from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { checkRefused, type RefusalCase, testFlags } from '@services/command-line/testing'
import {
  call,
  elapsed,
  type Ended,
  errorOf,
  type Files,
  linesOf,
  newFolder,
  untilListening,
  writeFiles,
} from '@services/testing'
import { runCommand } from '../../support/commands.ts'
import { type Served, startInside } from '../../support/inside.ts'
import { binary, spawnSqlapi } from '../../support/process.ts'

const concurrency = { concurrency: 4 }
const one = 'SELECT 1 AS one'
const bom = '\ufeff'
const packaged = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as {
  version: string
}
const isWindows = process.platform === 'win32'

interface Refusal extends RefusalCase<
  'InvalidConfigurationException' | 'InvalidDirectoryException' | 'InvalidQueryException' | 'ListenException'
> {
  readonly format?: 'text' | 'json'
}

const demo = { name: 'demo', url: 'sqlite::memory:' }
const crm = { name: 'crm', url: 'postgres://127.0.0.1/crm' }

const directories: Refusal[] = [
  {
    title: 'a sql_dir that does not exist [S-startup.1] [S-error.InvalidDirectoryException]',
    config: { sql_dir: 'nowhere' },
    error: 'InvalidDirectoryException',
    names: ["sqlapi.yaml:1: sql_dir 'nowhere' (", 'does not exist; name the directory'],
  },
  {
    title: 'a sql_dir that is a file [S-startup.1]',
    config: { sql_dir: 'sqlapi.yaml' },
    error: 'InvalidDirectoryException',
    names: ['sql_dir', 'sqlapi.yaml', 'directory'],
  },
  {
    title: 'a sql_dir that is a link to nothing [S-startup.1]',
    prepare: (folder) => symlinkSync(join(folder, 'gone'), join(folder, 'link')),
    config: { sql_dir: 'link' },
    error: 'InvalidDirectoryException',
    names: ['sql_dir', 'link'],
  },
  unreadable({
    title: 'a sql_dir that may not be read [S-startup.1]',
    prepare: (folder) => chmodSync(join(folder, 'sql'), 0o000),
    error: 'InvalidDirectoryException',
    names: ['sql_dir', 'EACCES'],
  }),
  unreadable({
    title: 'a folder in the tree that may not be read [S-startup.1]',
    files: { 'demo/GET/deep/one.sql': one },
    prepare: (folder) => chmodSync(join(folder, 'sql/demo/GET/deep'), 0o000),
    error: 'InvalidDirectoryException',
    names: ['demo/GET/deep', 'EACCES'],
  }),
  unreadable({
    title: 'a file that may not be read [S-error.InvalidQueryException]',
    files: { 'demo/GET/one.sql': one },
    prepare: (folder) => chmodSync(join(folder, 'sql/demo/GET/one.sql'), 0o000),
    error: 'InvalidQueryException',
    names: ['demo/GET/one.sql', 'EACCES'],
  }),
]

/** Root reads everything, unless it gives that right up. */
function unreadable(refusal: Refusal): Refusal {
  if (isWindows) return { ...refusal, skip: 'Windows has no such permissions' }
  if (process.getuid?.() !== 0) return refusal
  const rights = '--bounding-set=-dac_override,-dac_read_search'
  if (spawnSync('setpriv', [rights, 'true']).status !== 0) {
    return { ...refusal, skip: 'root may read everything and setpriv is not there to give that right up' }
  }
  return { ...refusal, command: ['setpriv', rights, process.execPath, binary] }
}

const collisions: Refusal[] = [
  ['one name in two casings', 'demo/GET/list.sql', 'demo/GET/LIST.sql'],
  ['one folder in two casings', 'demo/GET/orders/list.sql', 'demo/GET/Orders/list.sql'],
  ['one project in two casings', 'demo/POST/list.sql', 'DEMO/POST/list.sql'],
  ['letters beyond ASCII', 'demo/GET/\u00e4ri.sql', 'demo/GET/\u00c4RI.sql'],
  ['a letter with three casings', 'demo/GET/\u03bf\u03b4\u03cc\u03c2.sql', 'demo/GET/\u03bf\u03b4\u03cc\u03c3.sql'],
  ['letters beyond the first plane', 'demo/GET/\u{10428}.sql', 'demo/GET/\u{10400}.sql'],
].map(([what, first = '', second = '']): Refusal => {
  return {
    title: `two files with one endpoint: ${what} [S-startup.2] [S-file.3] [D1.6]`,
    files: { [first]: one, [second]: one },
    error: 'InvalidQueryException',
    names: [first, second],
  }
})

const batchCollisions: Refusal[] = [
  ['the plain one', 'demo/POST/x.sql', 'demo/POST/x/batch.sql'],
  ['in another casing', 'demo/POST/x.sql', 'demo/POST/X/BATCH.sql'],
  ['deeper', 'demo/POST/a/b.sql', 'demo/POST/a/b/Batch.sql'],
].map(([what, first = '', second = '']): Refusal => {
  return {
    title: `a file where the batch variant of another one is: ${what} [D1.7] [S-startup.2]`,
    files: { [first]: one, [second]: one },
    error: 'InvalidQueryException',
    names: [first, second],
  }
})

const texts: Refusal[] = [
  ['an empty file [S-startup.3] [S-file.4] [S-error.InvalidQueryException]', '', 'empty'],
  ['a file of white space only [S-startup.3]', ' \t\r\n\n  ', 'empty'],
  ['a file of a byte-order mark only [S-startup.3] [D3.3]', bom, 'empty'],
  ['a file of a byte-order mark and white space only [S-startup.3] [D3.3]', `${bom}\r\n`, 'empty'],
  ['a file that is Latin-1 [D3.3]', Buffer.from("SELECT '\u00e4ri' AS x", 'latin1'), 'UTF-8'],
  ['a file that is UTF-16 [D3.3]', Buffer.from(`${bom}SELECT 1`, 'utf16le'), 'UTF-8'],
  ['a file that ends in half a character [D3.3]', Buffer.from([0x2d, 0x2d, 0xe2, 0x82]), 'UTF-8'],
].map(([title = '', content = '', named = '']): Refusal => {
  return {
    title: String(title),
    files: { 'demo/GET/fine.sql': one, 'demo/GET/sub/bad.sql': content },
    error: 'InvalidQueryException',
    names: ['demo/GET/sub/bad.sql', String(named)],
  }
})

const links: Refusal[] = [
  {
    title: 'a link to a file outside [D3.3]',
    files: { '../outside.sql': one, 'demo/GET/fine.sql': one },
    prepare: (folder) => symlinkSync(join(folder, 'outside.sql'), join(folder, 'sql/demo/GET/out.sql')),
    error: 'InvalidQueryException',
    names: ['demo/GET/out.sql', 'sql_dir'],
  },
  {
    title: 'a relative link to a file outside [D3.3]',
    files: { '../outside.sql': one, 'demo/GET/fine.sql': one },
    prepare: (folder) => symlinkSync('../../../outside.sql', join(folder, 'sql/demo/GET/out.sql')),
    error: 'InvalidQueryException',
    names: ['demo/GET/out.sql'],
  },
  {
    title: 'a link to a folder outside, whose path begins alike [D3.3]',
    files: { '../sql-other/one.sql': one, 'demo/GET/fine.sql': one },
    prepare: (folder) => symlinkSync(join(folder, 'sql-other'), join(folder, 'sql/demo/GET/out')),
    error: 'InvalidQueryException',
    names: ['demo/GET/out'],
  },
  {
    title: 'a project that is a link to a folder outside [D3.3]',
    files: { '../other/GET/one.sql': one, 'demo/GET/fine.sql': one },
    prepare: (folder) => symlinkSync(join(folder, 'other'), join(folder, 'sql/other')),
    error: 'InvalidQueryException',
    names: ['other'],
  },
  {
    title: 'a link inside that leads outside in two steps [D3.3]',
    files: { '../outside.sql': one, 'demo/GET/fine.sql': one },
    prepare(folder) {
      symlinkSync(join(folder, 'outside.sql'), join(folder, 'sql/hop'))
      symlinkSync(join(folder, 'sql/hop'), join(folder, 'sql/demo/GET/out.sql'))
    },
    error: 'InvalidQueryException',
    names: [/hop|out\.sql/],
  },
  {
    title: 'a link named .sql that leads to nothing [D3.3]',
    files: { 'demo/GET/fine.sql': one },
    prepare: (folder) => symlinkSync('gone.sql', join(folder, 'sql/demo/GET/broken.sql')),
    error: 'InvalidQueryException',
    names: ['demo/GET/broken.sql'],
  },
  {
    title: 'a link named .sql that leads to itself [D3.3]',
    files: { 'demo/GET/fine.sql': one },
    prepare: (folder) => symlinkSync('self.sql', join(folder, 'sql/demo/GET/self.sql')),
    error: 'InvalidQueryException',
    names: ['demo/GET/self.sql'],
  },
  {
    title: 'a folder that is linked into itself [D3.3]',
    files: { 'demo/GET/a/one.sql': one },
    prepare: (folder) => symlinkSync('..', join(folder, 'sql/demo/GET/a/again')),
    error: 'InvalidDirectoryException',
    names: ['demo/GET/a/again'],
  },
  {
    title: 'a directory named .sql [D3.3]',
    files: { 'demo/GET/x.sql/one.sql': one },
    error: 'InvalidQueryException',
    names: ['demo/GET/x.sql', 'not a regular file'],
  },
  {
    title: 'a pipe named .sql does not hang the start [D3.3]',
    files: { 'demo/GET/fine.sql': one },
    prepare: (folder) => execFileSync('mkfifo', [join(folder, 'sql/demo/GET/pipe.sql')]),
    error: 'InvalidQueryException',
    names: ['demo/GET/pipe.sql', 'not a regular file'],
    skip: isWindows && 'Windows has no such pipes',
  },
]

const configurations: Refusal[] = [
  {
    title: 'a configuration without sql_dir [S-config.sql_dir]',
    yaml: 'logging: {format: json}',
    error: 'InvalidConfigurationException',
    names: ['sqlapi.yaml', 'sql_dir', 'missing'],
  },
  {
    title: 'two datasources of one name [S-startup.4]',
    config: { datasources: [demo, crm, { ...demo, url: 'sqlite:other.db' }] },
    error: 'InvalidConfigurationException',
    names: ['datasources[2].name', '"demo"'],
  },
  {
    title: 'a username without password_env [S-startup.5] [S-config.datasources.username]',
    config: { datasources: [{ ...crm, username: 'app' }] },
    error: 'InvalidConfigurationException',
    names: ['datasources[0].password_env'],
  },
  {
    title: 'a variable that is not set [S-startup.6] [S-config.datasources.password_env]',
    config: { datasources: [{ ...crm, username: 'app', password_env: 'CRM_PASSWORD' }] },
    error: 'InvalidConfigurationException',
    names: ['datasources[0].password_env', 'CRM_PASSWORD'],
  },
  {
    title: 'a project mapped to an unknown datasource [S-startup.7] [S-config.project_datasource_map]',
    config: { datasources: [demo], project_datasource_map: { billing: 'biling' } },
    error: 'InvalidConfigurationException',
    names: ['project_datasource_map.billing', '"biling"', '"demo"'],
  },
  {
    title: 'an unknown field at the top [S-startup.8]',
    config: { sqldir: 'sql' },
    error: 'InvalidConfigurationException',
    names: ['sqldir', 'unknown field'],
  },
  {
    title: 'an unknown field of a datasource [S-startup.8]',
    config: { datasources: [{ ...demo, pool_size: 3 }] },
    error: 'InvalidConfigurationException',
    names: ['datasources[0].pool_size', 'unknown field'],
  },
  {
    title: 'an unknown field, and the log is text [S-startup.8]',
    config: { server: { bnd: '127.0.0.1:0' } },
    format: 'text',
    error: 'InvalidConfigurationException',
    names: ['server.bnd', 'bind'],
  },
  {
    title: 'a file that is no YAML [D6.1]',
    yaml: 'sql_dir: sql\nserver: {bind: [\n',
    format: 'text',
    error: 'InvalidConfigurationException',
    names: [/sqlapi\.yaml:\d+:\d+/],
  },
  {
    title: 'a file that is no text [D6.1]',
    yaml: Buffer.from([0xff, 0xfe, 0x00]),
    format: 'text',
    error: 'InvalidConfigurationException',
    names: ['sqlapi.yaml', 'UTF-8'],
  },
  {
    title: 'a --config that does not exist, though a file lies where one is looked for [D6.1]',
    args: ['--config', 'missing.yaml'],
    format: 'text',
    error: 'InvalidConfigurationException',
    names: ['--config', 'missing.yaml'],
  },
  {
    title: 'a SQLAPI_CONFIG that does not exist [D6.1]',
    env: { SQLAPI_CONFIG: 'missing.yaml' },
    format: 'text',
    error: 'InvalidConfigurationException',
    names: ['SQLAPI_CONFIG', 'missing.yaml'],
  },
  {
    title: '--config beats SQLAPI_CONFIG [D6.1]',
    args: ['-c', 'missing.yaml'],
    env: { SQLAPI_CONFIG: 'sqlapi.yaml' },
    format: 'text',
    error: 'InvalidConfigurationException',
    names: ['--config', 'missing.yaml'],
  },
  {
    title: 'no configuration anywhere [S-config.search]',
    prepare: (folder) => renameSync(join(folder, 'sqlapi.yaml'), join(folder, 'other.yaml')),
    format: 'text',
    error: 'InvalidConfigurationException',
    names: ['/app/sqlapi.yaml', 'application-test.yml', '--config', 'SQLAPI_CONFIG'],
  },
  {
    title: 'a level that is none in SQLAPI_LOG [S-config.logging.level] [D6.8]',
    env: { SQLAPI_LOG: 'loud' },
    error: 'InvalidConfigurationException',
    names: ['SQLAPI_LOG', 'loud'],
  },
  {
    title: 'an H2 database in a legacy file [D6.2]',
    args: ['--config', 'application.yml'],
    prepare: (folder) =>
      writeFiles(folder, {
        'application.yml': 'sqlms:\n  saved-queries-dir: sql\n  datasources: [{name: a, jdbcUrl: "jdbc:h2:mem"}]\n',
      }),
    format: 'text',
    error: 'InvalidConfigurationException',
    names: ['application.yml', 'H2'],
  },
  {
    title: 'a port that is none [S-config.server.bind]',
    config: { server: { bind: '127.0.0.1:99999' } },
    error: 'InvalidConfigurationException',
    names: ['server.bind', '99999'],
  },
  {
    title: 'an address that is none [S-config.server.bind]',
    config: { server: { bind: 'everywhere' } },
    error: 'InvalidConfigurationException',
    names: ['server.bind', 'everywhere'],
  },
  {
    title: 'an address of another machine [S-config.server.bind] [D6.1]',
    config: { server: { bind: '203.0.113.1:0' } },
    error: 'ListenException',
    names: ['server.bind', '203.0.113.1'],
  },
]

/**
 * Runs until it ends by itself and checks all that is the same for every refusal; in a process of its own, or by the
 * same `main` in the one that runs commands.
 */
function refuse(refusal: Refusal, where: 'process' | 'host' = 'host'): Promise<Ended> {
  const { files = {}, config = {}, env = {}, args = [], prepare, format = 'json', yaml, command } = refusal
  const folder = newFolder()
  mkdirSync(join(folder, 'sql'))
  const full = { sql_dir: 'sql', server: { bind: '127.0.0.1:0' }, logging: { format }, ...config }
  writeFileSync(join(folder, 'sqlapi.yaml'), yaml ?? JSON.stringify(full))
  writeFiles(join(folder, 'sql'), files)
  prepare?.(folder)
  const order = { cwd: folder, args, env }
  const spawned =
    where === 'process'
      ? spawnSqlapi({ ...order, ...(command ? { command } : {}) })
      : { ended: runCommand(order), kill: () => undefined }
  return checkRefused({ spawned, format, target: 'sqlapi', error: refusal.error, names: refusal.names })
}

const groups = { directories, collisions, batchCollisions, texts, links, configurations }
for (const [group, refusals] of Object.entries(groups)) {
  describe(`a start is refused: ${group}`, concurrency, () => {
    for (const [index, refusal] of refusals.entries()) {
      const isProcess =
        (refusals === directories && index === 0) ||
        refusal.command !== undefined ||
        refusal.error === 'ListenException'
      test(refusal.title, { skip: refusal.skip ?? false }, async () => {
        const { stdout } = await refuse(refusal, isProcess ? 'process' : 'host')
        if (refusal.error !== 'ListenException') strictEqual(linesOf(stdout).length, 1, 'nothing but the refusal')
      })
    }
  })
}

describe('a start is refused: the rest', concurrency, () => {
  test('a port that is taken [D6.1] [S-config.server.bind]', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const bind = `127.0.0.1:${(taken.address() as AddressInfo).port}`
    for (const format of ['text', 'json'] as const) {
      const refusal: Refusal = {
        title: '',
        config: { server: { bind } },
        format,
        error: 'ListenException',
        names: ['server.bind', bind],
      }
      await refuse(refusal, 'process')
    }
    taken.close()
  })

  test('every problem of a file is in the one line [D6.1]', async () => {
    const datasources = [
      { ...crm, username: 'app' },
      { ...crm, password_env: 'NOT_SET' },
    ]
    const names = ['datasources[0].password_env', 'datasources[1].name', 'NOT_SET', 'project_datasource_map.x']
    const config = { datasources, project_datasource_map: { x: 'y' } }
    await refuse({ title: '', config, error: 'InvalidConfigurationException', names })
  })

  test('a refusal shows no password, wherever one was written [D6.8]', async () => {
    const cases: Record<string, unknown>[] = [
      {
        datasources: [
          { name: 'a', url: 'postgres://u:hunter2@h/db' },
          { name: 'a', url: 'sqlite:x' },
        ],
      },
      { datasources: [{ name: 'a', url: 'mysql://u:hunter2@h/db' }] },
      { datasources: [{ name: 'a', url: 'postgres://u:hunter2%@h/db' }] },
      { datasources: [{ name: 'a', url: 'postgres://h/db', username: 'u', password_env: 'P' }], bogus: 1 },
    ]
    for (const config of cases) {
      const { stdout } = await refuse({
        title: '',
        config,
        env: { P: 'hunter2' },
        error: 'InvalidConfigurationException',
        names: ['sqlapi.yaml'],
      })
      ok(!stdout.includes('hunter2'), stdout)
    }
  })

  test('a configuration that is wrong is refused before the files are looked at [D6.1]', async () => {
    const files = { 'demo/GET/empty.sql': '' }
    await refuse({ title: '', files, config: { x: 1 }, error: 'InvalidConfigurationException', names: ['x'] })
  })
})

testFlags({
  rules: '[D6.1]',
  name: 'sqlapi',
  version: packaged.version,
  variables: ['SQLAPI_CONFIG', 'SQLAPI_LOG'],
  wrong: [['--port', '80'], ['sqlapi.yaml']],
  // One that explains and one that is wrong as a process: what a caller sees of either end.
  run: (args) =>
    ['-h', '-x'].includes(args[0] ?? '') ? spawnSqlapi({ args }).ended : runCommand({ args, cwd: newFolder() }),
})

describe('what must load', concurrency, () => {
  const running: Served[] = []
  const start = async (files: Files, folder?: string): Promise<Served> => {
    const config = { datasources: [demo], project_datasource_map: { '\u00c4RI': 'demo', linked: 'demo' } }
    const service = await startInside({ files, config, ...(folder === undefined ? {} : { folder }) })
    running.push(service)
    return service
  }
  after(() => Promise.all(running.map((service) => service.stop())))

  test('files as a ConfigMap mounts them: linked over a folder whose name begins with two dots [D3.3]', async () => {
    const folder = newFolder({
      'sql/demo/GET/..2026_07_01/one.sql': one,
      'sql/demo/GET/..2026_07_01/two.sql': 'SELECT 2 AS two',
      'sql/demo/GET/..2026_06_30/one.sql': 'SELECT 0 AS old',
    })
    const mount = join(folder, 'sql/demo/GET')
    symlinkSync('..2026_07_01', join(mount, '..data'))
    for (const name of ['one.sql', 'two.sql']) symlinkSync(`..data/${name}`, join(mount, name))
    const { port, stdout } = await start({}, folder)
    strictEqual((await call(port, '/demo/one')).text, '[{"one":1}]')
    strictEqual((await call(port, '/demo/two')).text, '[{"two":2}]')
    strictEqual(errorOf(await call(port, '/demo/..data/one')), 'SqlapiRuntimeException')
    match(stdout(), /endpoints=2/)
  })

  test('what stands in a tree of files and what of it is an endpoint [S-file.2] [D3.3]', async () => {
    const folder = newFolder()
    writeFiles(join(folder, 'sql'), { 'demo/GET/real/inner.sql': one, 'shared/GET/one.sql': one })
    symlinkSync('real/inner.sql', join(folder, 'sql/demo/GET/linked.sql'))
    symlinkSync('real', join(folder, 'sql/demo/GET/folder'))
    symlinkSync('shared', join(folder, 'sql/linked'))
    symlinkSync('nothing', join(folder, 'sql/demo/GET/broken-but-no-sql'))
    const { port, stdout } = await start(
      {
        'demo/GET/bom.sql': `${bom}SELECT 1 AS one`,
        'demo/GET/comments.sql': '-- nothing\n/* at all */\n',
        'demo/GET/semicolons.sql': ';;\n;',
        'demo/GET/a/b/c/deep.sql': one,
        'demo/GET/with space.sql': one,
        'demo/GET/100%.sql': one,
        'demo/GET/\u{1f600}.sql': one,
        '\u00e4ri/GET/\u00dcks.sql': one,
        'demo/GET/x/batch.sql': one,
        'demo/GET/x.sql': one,
        'demo/POST/only/batch.sql': 'SELECT 7 AS seven',
        'demo/GET/.hidden/one.sql': one,
        // Ignored, although each would be refused were it looked at.
        'demo/PUT/empty.sql': '',
        'demo/DELETE/empty.sql': '',
        'demo/get/empty.sql': '',
        'demo/Post/latin1.sql': Buffer.from([0xe4]),
        'demo/sub/GET/deeper.sql': one,
        'demo/loose.sql': one,
        'loose.sql': one,
        'demo/GET/README.md': '',
        'demo/GET/old.sql.bak': '',
        'demo/GET/sql': '',
        'demo/GET/list.sqlx': '',
      },
      folder,
    )
    const found = [
      'demo/bom', 'demo/a/b/c/deep', 'demo/with%20space', 'demo/100%25', 'demo/%F0%9F%98%80', '%C3%A4ri/%C3%BCks',
      '%C3%84RI/%C3%9CKS', 'demo/x', 'demo/x/batch', 'demo/.hidden/one', 'demo/real/inner', 'demo/linked',
      'demo/folder/inner', 'linked/one', 'DEMO/A/b/C/Deep',
    ] // prettier-ignore
    for (const path of found) strictEqual((await call(port, `/${path}`)).text, '[{"one":1}]', path)
    for (const path of ['demo/comments', 'demo/semicolons'])
      strictEqual((await call(port, `/${path}`)).text, '[]', path)
    strictEqual((await call(port, '/demo/only/batch', { body: {} })).text, '[{"seven":7}]')
    const ignored = [
      'demo/empty',
      'demo/latin1',
      'demo/sub/deeper',
      'demo/deeper',
      'demo/loose',
      'loose',
      'demo/README.md',
    ]
    for (const path of [...ignored, 'demo/old.sql', 'demo/list', 'demo/README', 'demo/broken-but-no-sql']) {
      strictEqual(errorOf(await call(port, `/${path}`)), 'SqlapiRuntimeException', path)
    }
    match(stdout(), new RegExp(`endpoints=${found.length - 2 + 2 + 1 + 1}\\b`))
  })

  test('an empty directory, and a link to one [S-config.sql_dir]', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'real'))
    symlinkSync('real', join(folder, 'sql'))
    const { port } = await start({}, folder)
    strictEqual(errorOf(await call(port, '/demo/one')), 'SqlapiRuntimeException')
    strictEqual((await call(port, '/health')).status, 200)
  })

  test('files are read once: what is changed, added or removed afterwards has no effect [S-startup.1]', async () => {
    const { port, folder } = await start({ 'demo/GET/one.sql': one, 'demo/GET/gone.sql': 'SELECT 2 AS two' })
    writeFiles(join(folder, 'sql'), { 'demo/GET/one.sql': 'SELECT 9 AS nine', 'demo/GET/new.sql': one })
    renameSync(join(folder, 'sql/demo/GET/gone.sql'), join(folder, 'sql/demo/GET/moved.sql'))
    strictEqual((await call(port, '/demo/one')).text, '[{"one":1}]')
    strictEqual((await call(port, '/demo/gone')).text, '[{"two":2}]')
    for (const path of ['/demo/new', '/demo/moved'])
      strictEqual(errorOf(await call(port, path)), 'SqlapiRuntimeException')
  })

  test('a legacy file starts the service and each key that was dropped is one WARN [D6.2]', async () => {
    const folder = newFolder({
      'sql/demo/GET/one.sql': one,
      'application.yml': [
        'saved-queries-dir: sql', 'server: {port: 0, address: 127.0.0.1}', 'spring: {main: {}}', 'management: {}',
        'sqlms: {datasources: [{name: demo, jdbcUrl: "jdbc:sqlite:file.db", driverClassName: org.sqlite.JDBC}]}', '',
      ].join('\n'), // prettier-ignore
    })
    const service = await untilListening(spawnSqlapi({ cwd: folder }))
    strictEqual((await call(service.port, '/demo/one')).text, '[{"one":1}]')
    const { code, stdout } = await service.stop()
    strictEqual(code, 0)
    const warnings = linesOf(stdout).filter((line) => line.includes(' WARN '))
    for (const key of ['spring', 'management', 'driverClassName']) {
      strictEqual(warnings.filter((line) => line.includes(key)).length, 1, stdout)
    }
  })

  test('SQLAPI_CONFIG names the file [S-config.search]', async () => {
    const folder = newFolder({ 'sql/demo/GET/one.sql': one, 'sqlapi.yaml': 'broken: [' })
    writeFiles(folder, { 'other.yaml': JSON.stringify({ sql_dir: 'sql', server: { bind: '127.0.0.1:0' } }) })
    const service = spawnSqlapi({ cwd: folder, env: { SQLAPI_CONFIG: join(folder, 'other.yaml') } })
    await service.line(/Listening/)
    service.kill('SIGINT')
    strictEqual((await service.ended).code, 0)
  })

  test(
    'ten thousand files, where a process may have few of them open [S-file.1]',
    { skip: isWindows && 'Windows has no such limit' },
    async (t) => {
      const files: Record<string, string> = {}
      for (let i = 0; i < 10_000; i++) {
        const method = i % 2 === 0 ? 'GET' : 'POST'
        files[`sql/demo/${method}/group${i % 37}/number${i}.sql`] =
          `-- @transactional\nSELECT :x AS x /* ${'filler '.repeat(50)} */ WHERE 1 = 1;\nSELECT ${i} AS number`
      }
      const fields = { sql_dir: 'sql', server: { bind: '127.0.0.1:0' }, datasources: [demo] }
      const folder = newFolder({ ...files, 'sqlapi.yaml': JSON.stringify(fields) })
      const since = elapsed()
      const command = ['/bin/sh', '-c', 'ulimit -n 100; exec "$0" "$@"', process.execPath, binary]
      const { port, ...service } = await untilListening(spawnSqlapi({ cwd: folder, command }))
      t.diagnostic(`read and listening after ${Math.round(since())} ms`)
      match(service.stdout(), /endpoints=10000\b/)
      strictEqual((await call(port, '/demo/group8/number9998?x=1')).text, '[{"number":9998}]')
      strictEqual((await call(port, '/demo/group9/number9999', { body: { x: 1 } })).text, '[{"number":9999}]')
      strictEqual((await service.stop()).code, 0)
    },
  )
})
