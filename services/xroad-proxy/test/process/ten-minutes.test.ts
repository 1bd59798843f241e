/**
 * docs/ten-minutes.md, followed word by word in an empty folder: each command of its `console` blocks is run by a
 * shell, and has to say what the page says. Only ports, times and ids are other ones; a line that ends in `..` goes on
 * as it likes.
 */
import { ok, strictEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { freePort, newFolder, type Spawned, spawnProcess, until } from '@services/testing'
import { binary } from '../support/process.ts'

const service = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(service, 'docs/ten-minutes.md'), 'utf8')
const blocks = Array.from(page.matchAll(/^```console\n([^]*?)^```$/gm), ([, block = '']) => block)

interface Step {
  readonly command: string
  readonly output: string
}

/** A command goes on to the end of its here-document; what follows is its output. */
function toSteps(block: string): readonly Step[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [, command = ''] = /^(.*<<END\n[^]*?^END\n|.*\n)/m.exec(text) ?? []
      return { command: command.trimEnd(), output: text.slice(command.length) }
    })
}

/** What differs from run to run. */
function settled(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replaceAll(/version=\S+/g, 'version=V')
}

function compare(command: string, said: string, expected: string): void {
  const cut = expected.indexOf('..\n')
  if (cut === -1) strictEqual(settled(said), settled(expected), command)
  else strictEqual(settled(said).slice(0, cut), settled(expected).slice(0, cut), command)
}

const left: Spawned[] = []
after(async () => {
  for (const process of left) process.kill('SIGTERM')
  await Promise.all(left.map(({ ended }) => ended))
})

const hasCurl = spawnSync('curl', ['--version']).status === 0

test('the page, followed in an empty folder [P1.3]', { skip: !hasCurl && 'curl is not installed' }, async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(service, join(folder, 'node_modules/xroad-proxy'))
  const tools = newFolder({ npx: `#!/bin/sh\nshift 2\nexec '${process.execPath}' '${binary}' "$@"\n` })
  chmodSync(join(tools, 'npx'), 0o755)
  const ports = { 5500: await freePort(), 8080: await freePort() }
  const here = (text: string): string =>
    text.replaceAll(/\b(5500|8080)\b/g, (port) => String(ports[port as unknown as keyof typeof ports]))
  const env: Record<string, string> = { PATH: `${tools}:${process.env['PATH']}` }

  for (const { command, output } of blocks.flatMap(toSteps)) {
    const [, name, value = ''] = /^export (\w+)=(\w+)$/.exec(command) ?? []
    if (name !== undefined) {
      env[name] = value
      continue
    }
    const isMock = command.startsWith('npx --no-install xroad-proxy mock')
    const isLasting = isMock || command === 'npx --no-install xroad-proxy'
    // A lasting one takes the place of its shell, so that a signal reaches it.
    const own = `${isLasting ? 'exec ' : ''}${command}${isMock ? ' --port 5500' : ''}`
    const run = spawnProcess({ command: ['sh', '-c', here(own)], cwd: folder, env })
    if (isLasting) {
      left.push(run)
      const lines = output.trimEnd().split('\n').length
      const isSaid = (): boolean => run.stdout().trimEnd().split('\n').length >= lines
      await until(() => isSaid() || run.child.exitCode !== null, command)
      compare(command, run.stdout().trimEnd(), here(output).trimEnd())
      strictEqual(run.stderr(), '', command)
    } else {
      const { code, stdout, stderr } = await run.ended
      compare(command, stdout, here(output))
      strictEqual(`${code} ${stderr}`, '0 ', command)
    }
  }
  const [mock] = left
  ok(mock !== undefined)
  // What the page shows of the first terminal.
  const [, shown = ''] = /^```text\n([^]*?)^```$/m.exec(page) ?? []
  for (const line of shown.trimEnd().split('\n')) ok(mock.stdout().includes(`${line.split(',')[0]},`), line)
  ok(!readdirSync(join(folder, 'wsdl')).includes('registry'))
})

test('every command of the page is looked at [P1.3]', () => {
  const commands = blocks.flatMap(toSteps).map(({ command }) => command.split('\n')[0])
  strictEqual(commands.length, page.match(/^\$ /gm)?.length)
  ok(commands.length > 8)
})
