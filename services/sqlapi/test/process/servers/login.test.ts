/**
 * Passwords and certificates that change, or break, while the service runs: what a new connection logs in with.
 * Connections are ended by the test, so that new ones are needed.
 */
import { deepStrictEqual, doesNotMatch, ok, strictEqual, throws } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, linesOf, newFolder, until } from '@services/testing'
import { issueServer, makeAuthority } from '@services/testing/certificates'
import { startThrowawayPostgres } from '@services/testing/postgres'
import { Login } from '../../../src/database/postgres/login.ts'
import { startWithAdmin } from '../../support/admin.ts'

test('a password that was rotated counts for the next connection, without a reload; a file that breaks takes none away [O3.2]', async () => {
  const postgres = await startThrowawayPostgres()
  await postgres.query(`CREATE ROLE app LOGIN PASSWORD 'first'`)
  const folder = newFolder({ secret: 'first\n', 'ca.pem': makeAuthority().certificate })
  const [secret, ca] = [join(folder, 'secret'), join(folder, 'ca.pem')]
  const url = `${postgres.url.replace(/\/\/.*@/, '//')}?application_name=rotated&sslmode=prefer&sslrootcert=${ca}`
  const datasource = { name: 'pg', url, username: 'app', password_file: secret }
  const files = { 'pg/GET/who.sql': 'SELECT current_user AS who' }
  const running = await startWithAdmin({ folder, files, config: { datasources: [datasource] } })
  const answers = async (): Promise<boolean> => (await call(running.port, '/pg/who')).text === '[{"who":"app"}]'
  /** Nobody has a connection, so whoever calls opens one. */
  const endSessions = async (): Promise<void> => {
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rotated'`
    await until(async () => (await postgres.query(end)).length === 0, 'no session')
  }
  ok(await answers())
  await postgres.query(`ALTER ROLE app PASSWORD 'second'`)
  // The password that it had is of no use any more.
  await endSessions()
  await until(async () => (await call(running.port, '/pg/who')).text.includes('(SQLSTATE 28P01)'), 'a refusal')
  writeFileSync(secret, 'second')
  await until(answers, 'an answer with the new password')
  await running.untilReady('ready')
  for (const spoil of [
    () => writeFileSync(secret, 'first\nand more'),
    () => rmSync(secret),
    () => execFileSync('mkfifo', [secret]),
    () => writeFileSync(ca, 'no certificate'),
    () => rmSync(ca),
    () => execFileSync('mkfifo', [ca]),
  ]) {
    spoil()
    await endSessions()
    await until(answers, 'an answer with what was good')
  }
  await running.untilReady('ready')
  const reasons = [/secret has more than one line/, /secret does not exist/, /secret is not a regular file/, /^sslrootcert: /, /ENOENT/, /ca\.pem is not a regular file/] // prettier-ignore
  const told = (): number[] => {
    const kept = linesOf(running.stdout()).flatMap((line) => / WARN .*used instead datasource=pg reason="(.*)"/.exec(line)?.[1] ?? []) // prettier-ignore
    return reasons.map((reason) => kept.filter((each) => reason.test(each)).length)
  }
  await until(() => told().every((count) => count > 0), 'a line for each reason')
  ok(told().every((count) => count === 1))
  doesNotMatch(running.stdout(), /first|second/)
  await running.stop()
  await postgres.remove()
})

test('a URL with a password of its own keeps it beside password_file [O3.2]', () => {
  const password = { atStart: 'of the file', read: () => Promise.resolve('of the file now') }
  const current = (url: string): unknown => new Login(url, password).locate({}).currentPassword?.()
  strictEqual(current('postgres://app:own@h/db'), undefined)
  strictEqual(current('postgres://app@h/db?password=own'), undefined)
  ok(current('postgres://app:of%20the%20file@h/db') instanceof Promise)
})

test('certificates that cannot be used are passed over for those that could, until they can [O3.2]', () => {
  const authority = makeAuthority()
  const [one, other] = [issueServer(authority), issueServer(makeAuthority(), { key: authority.key })]
  const folder = newFolder({ 'ca.pem': authority.certificate, 'c.pem': one.certificate, 'k.pem': one.key })
  const [ca, cert, key] = ['ca.pem', 'c.pem', 'k.pem'].map((name) => join(folder, name)) as [string, string, string]
  const url = `postgres://h/db?sslmode=verify-full&sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`
  const login = new Login(url)
  const used = (): unknown => {
    const { ca, cert, key } = login.locate({}).ssl as Record<string, unknown>
    return { ca, cert, key }
  }
  const good = { ca: authority.certificate, cert: one.certificate, key: one.key }
  deepStrictEqual(used(), good)
  // Files that change one after another: for a moment they do not fit.
  writeFileSync(cert, other.certificate)
  deepStrictEqual(used(), good)
  throws(() => new Login(url).locate({}), /sslcert and sslkey: /)
  writeFileSync(key, other.key)
  deepStrictEqual(used(), { ...good, cert: other.certificate, key: other.key })
  writeFileSync(ca, '')
  deepStrictEqual(used(), { ...good, cert: other.certificate, key: other.key })
  rmSync(ca)
  execFileSync('mkfifo', [ca])
  deepStrictEqual(used(), { ...good, cert: other.certificate, key: other.key })
  throws(() => new Login(url).locate({}), /ca\.pem is not a regular file/)
  rmSync(ca)
  writeFileSync(ca, makeAuthority().certificate)
  ok((used() as { ca: string }).ca !== good.ca)
})
