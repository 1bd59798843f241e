/** Files that hold a password. */
import { doesNotMatch, match, strictEqual, throws } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '@services/testing'
import { readSecretFile, SecretFileError } from '../src/index.ts'

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
