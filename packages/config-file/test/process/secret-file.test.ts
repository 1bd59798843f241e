/** Files that hold a password. */
import { deepStrictEqual, doesNotMatch, match, strictEqual, throws } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '@services/testing'
import { CurrentSecret, readSecretFile, SecretFileError } from '../../src/secret-file.ts'

function read(content: string | Uint8Array): string {
  return readSecretFile(join(newFolder({ secret: content }), 'secret'))
}

test('the text is the password, but for the end of its line [O3.2]', () => {
  strictEqual(read('open sesame'), 'open sesame')
  strictEqual(read('open sesame\n'), 'open sesame')
  strictEqual(read('open sesame\r\n'), 'open sesame')
  strictEqual(read(' õ\t'), ' õ\t')
})

test('what cannot be one is refused with the name of the file and without what stands there [O3.2]', () => {
  const refused: [content: string | Uint8Array, problem: RegExp][] = [
    ['', /is empty; it is to hold the password and nothing else/],
    ['\n', /is empty/],
    ['hunter2\nmore', /has more than one line/],
    ['hunter2\n\n', /has more than one line/],
    ['hunter2\0', /has more than one line/],
    [Uint8Array.of(0xff, 0xfe, 0x68), /is not UTF-8 text/],
    ['hunter2'.repeat(10_000), /has more than 65536 bytes/],
  ]
  for (const [content, problem] of refused) {
    throws(
      () => read(content),
      (error: unknown) => {
        if (!(error instanceof SecretFileError)) return false
        match(error.message, problem)
        match(error.message, /^file .*secret /)
        doesNotMatch(error.message, /hunter2/)
        return true
      },
    )
  }
  const folder = newFolder()
  throws(() => readSecretFile(join(folder, 'none')), /none does not exist/)
  throws(() => readSecretFile(folder), /is a directory, expected a file/)
})

test('a pipe or a device, whose end may never come, is refused without reading it [O3.2]', () => {
  const pipe = join(newFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  throws(() => readSecretFile(pipe), /pipe is not a regular file; it is to hold the password/)
  throws(() => readSecretFile('/dev/zero'), /zero is not a regular file/)
})

test('a secret is read anew by each who needs it, and is what it was while it cannot be read [O3.2]', async () => {
  const folder = newFolder({ secret: 'first\n' })
  const path = join(folder, 'secret')
  const secret = new CurrentSecret(path, readSecretFile(path))
  strictEqual(await secret.read(), 'first')
  writeFileSync(path, 'second')
  strictEqual(await secret.read(), 'second')
  const spoilers: (() => void)[] = [
    () => writeFileSync(path, ''),
    () => writeFileSync(path, 'third\nand more'),
    () => rmSync(path),
    () => execFileSync('mkfifo', [path]),
    () => rmSync(path),
    () => mkdirSync(path),
  ]
  for (const spoil of spoilers) {
    spoil()
    strictEqual(await secret.read(), 'second')
  }
  rmSync(path, { recursive: true })
  writeFileSync(path, 'third')
  deepStrictEqual(await Promise.all([secret.read(), secret.read()]), ['third', 'third'])
  strictEqual(secret.atStart, 'first')
})

test('what should be a path and may be the password is not shown [O3.2] [S19]', () => {
  const folder = newFolder({ empty: '' })
  for (const text of ['hunter2', 'hunter 2', 'none/hunter2', '4711', 'hunter2/+a==', String.raw`hunter\2`]) {
    throws(
      () => readSecretFile(text),
      /^SecretFileError: the file \(what stands there is not shown, .*\) does not exist$/,
    )
  }
  throws(() => readSecretFile('crm-password.txt'), /^SecretFileError: file crm-password\.txt does not exist$/)
  for (const text of ['./hunter2', '../hunter2', join(folder, 'hunter2'), `${relative('.', folder)}/hunter2`]) {
    throws(() => readSecretFile(text), /hunter2 does not exist$/)
  }
  throws(() => readSecretFile(relative('.', join(folder, 'empty'))), /^SecretFileError: file .*empty is empty/)
})
