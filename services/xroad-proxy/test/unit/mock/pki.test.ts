/** The throw-away certificates of the mock: what they hold, that a good set is kept and a bad one replaced. */
import { deepStrictEqual, match, notDeepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { newFolder } from '@services/testing'
import { issueServer, makeAuthority, makeKey } from '@services/testing/certificates'
import { StartupFailure } from '../../../src/errors.ts'
import { keystorePassword, type PkiFiles, writePki as writeSet } from '../../../src/mock/pki.ts'

const day = 86_400_000

/** Three sets have no key in common. A key takes a tenth of a second to find, and what counts here is who has which. */
const keys = Array.from({ length: 9 }, () => makeKey())
let taken = 0

function writePki(folder: string, hosts?: readonly string[]): PkiFiles {
  return writeSet(folder, hosts, () => keys[taken++ % keys.length] as string)
}

function bytesOf(files: PkiFiles): Buffer[] {
  return Object.values(files).map((path: string) => readFileSync(path))
}

function certificate(path: string): X509Certificate {
  return new X509Certificate(readFileSync(path))
}

/** Whether the files are one working set. */
function checkSet(files: PkiFiles): void {
  const ca = certificate(files.ca)
  const server = certificate(files.serverCertificate)
  const client = certificate(files.clientCertificate)
  strictEqual(ca.ca, true)
  for (const each of [server, client]) {
    strictEqual(each.ca, false)
    ok(each.checkIssued(ca))
    ok(each.verify(ca.publicKey))
    ok(!each.verify(each.publicKey))
  }
  ok(server.checkPrivateKey(createPrivateKey(readFileSync(files.serverKey))))
  createSecureContext({ pfx: readFileSync(files.keystore), passphrase: keystorePassword })
}

test('the set is whole, with names and times that work', () => {
  const folder = join(newFolder(), 'made', 'on the way')
  const files = writeSet(folder, ['mock_1', 'xroad.example.org', '10.1.2.3', 'fd00::17'])
  checkSet(files)
  deepStrictEqual(readdirSync(folder).toSorted(), ['ca.pem', 'client.p12', 'client.pem', 'server.key', 'server.pem'])
  const server = certificate(files.serverCertificate)
  for (const host of ['localhost', 'mock_1', 'xroad.example.org']) strictEqual(server.checkHost(host), host)
  for (const address of ['127.0.0.1', '::1', '10.1.2.3', 'fd00::17']) ok(server.checkIP(address), address)
  strictEqual(server.checkHost('other.example.org'), undefined)
  for (const path of [files.ca, files.serverCertificate, files.clientCertificate]) {
    const { validFromDate, validToDate, publicKey } = certificate(path)
    strictEqual(publicKey.asymmetricKeyDetails?.modulusLength, 2048)
    ok(validFromDate.getTime() <= Date.now() - day + 60_000)
    const left = validToDate.getTime() - Date.now()
    ok(left > 364 * day && left <= 365 * day, String(left))
  }
})

test('keys are for the owner alone, certificates for everybody', { skip: process.platform === 'win32' }, () => {
  const files = writePki(newFolder())
  const modes = Object.fromEntries(
    Object.entries(files).map(([name, path]) => [name, (statSync(path as string).mode & 0o777).toString(8)]),
  )
  const open = '644'
  const closed = '600'
  deepStrictEqual(modes, {
    ca: open,
    serverCertificate: open,
    serverKey: closed,
    keystore: closed,
    clientCertificate: open,
  })
})

test('another password does not open the keystore', () => {
  const { keystore } = writePki(newFolder())
  throws(() => createSecureContext({ pfx: readFileSync(keystore), passphrase: 'other' }), /mac verify failure/)
})

test('a good set is kept, whatever else is in the folder', () => {
  const folder = newFolder({ 'answers/a.json': '1' })
  const before = bytesOf(writePki(folder))
  deepStrictEqual(bytesOf(writePki(folder)), before)
  deepStrictEqual(bytesOf(writePki(folder, ['localhost', '::1'])), before)
  // Names that no certificate can hold do not cost the set.
  deepStrictEqual(bytesOf(writePki(folder, ['fe80::1%eth0', 'a b', '', 'õ'])), before)
  notDeepStrictEqual(bytesOf(writePki(folder, ['new.example.org'])), before)
  ok(existsSync(join(folder, 'answers/a.json')))
})

const names = ['ca.pem', 'server.pem', 'server.key', 'client.p12', 'client.pem'] as const
const damages: Readonly<Record<string, (path: string) => void>> = {
  missing: (path) => rmSync(path),
  empty: (path) => writeFileSync(path, ''),
  'cut in half': (path) => writeFileSync(path, readFileSync(path).subarray(0, 400)),
  'of another set': (path) => {
    const other = newFolder()
    writePki(other)
    writeFileSync(path, readFileSync(join(other, path.split(/[\\/]/).at(-1) as string)))
  },
}

for (const [damage, apply] of Object.entries(damages)) {
  test(`a set with one file ${damage} is made anew`, () => {
    const folder = newFolder()
    for (const name of names) {
      const before = bytesOf(writePki(folder))
      apply(join(folder, name))
      const files = writePki(folder)
      checkSet(files)
      const after = bytesOf(files)
      ok(
        before.every((bytes, index) => !bytes.equals(after[index] as Buffer)),
        name,
      )
    }
  })
}

test('a set that ends within a day is made anew', (context) => {
  const folder = newFolder()
  const before = bytesOf(writePki(folder))
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 363.9 * day })
  deepStrictEqual(bytesOf(writePki(folder)), before)
  context.mock.timers.setTime(Date.now() + 0.2 * day)
  const files = writePki(folder)
  notDeepStrictEqual(bytesOf(files), before)
  checkSet(files)
})

test("somebody else's files of these names are not touched", () => {
  const content = { 'server.key': 'KEY OF A REAL SERVER', 'client.p12': 'REAL IDENTITY' }
  const folder = newFolder(content)
  const refused = (): void =>
    throws(
      () => writePki(folder),
      (error: Error) =>
        error instanceof StartupFailure && /server\.key, client\.p12.*not written by the mock/.test(error.message),
    )
  refused()
  for (const [name, text] of Object.entries(content)) strictEqual(readFileSync(join(folder, name), 'utf8'), text)

  // A certificate of another CA beside files that look like ours.
  const ours = newFolder()
  writePki(ours)
  const foreign = issueServer(makeAuthority('Real'))
  writeFileSync(join(ours, 'server.pem'), foreign.certificate)
  throws(() => writePki(ours), /not written by the mock/)
  strictEqual(readFileSync(join(ours, 'server.pem'), 'utf8'), foreign.certificate)
})

test('a folder that cannot be written is one line that names it', () => {
  const folder = newFolder({ file: '' })
  throws(
    () => writePki(join(folder, 'file')),
    (error: Error) => {
      ok(error instanceof StartupFailure)
      match(error.message, /^mock: \S*file cannot hold the certificates: /)
      return !error.message.includes('\n')
    },
  )
  if (process.platform === 'win32' || process.getuid?.() === 0) return
  chmodSync(folder, 0o500)
  throws(() => writePki(folder), /cannot hold the certificates/)
  chmodSync(folder, 0o700)
})
