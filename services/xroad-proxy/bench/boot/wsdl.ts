/**
 * How long a start with WSDL files takes, from the start of the process to the line that says it listens, and what
 * memory that takes: the first time, when DSL files are written, and the second time, when nothing has changed. Once
 * with generated WSDL files, and with those of a folder that XROAD_PROXY_REAL_WSDLS names, of which `wsdl explain` also
 * says what becomes of them.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Command, median, type Start, startOnce, toMB } from '@services/bench'
import type { Tree } from './boot-tree.ts'
import type { Setup } from '../setup.ts'
import { writeWsdls } from './wsdl-tree.ts'

export interface WsdlBoot extends Tree {
  readonly source: 'generated' | 'real'
  readonly contender: 'package' | 'sources'
  readonly endpoints: number
  readonly first: WsdlStart
  readonly second: WsdlStart
}

interface WsdlStart {
  readonly seconds: number
  readonly peakMB: number
}

/** What `wsdl explain` says of a WSDL. */
export interface Explained {
  /** Below the folder. */
  readonly file: string
  readonly problem: string
  readonly operations: number
  readonly generated: number
  /** How many for which reason, most first. */
  readonly skipped: readonly (readonly [reason: string, count: number])[]
}

export interface WsdlResult {
  readonly boots: readonly WsdlBoot[]
  /** Undefined where no folder is named. */
  readonly explained: readonly Explained[] | undefined
}

export const wsdlTarget = { endpoints: 3000, seconds: 3, peakMB: 300 }
export const folderVariable = 'XROAD_PROXY_REAL_WSDLS'

export async function measureWsdl(setup: Setup, rounds: number): Promise<WsdlResult> {
  const generated = join(setup.folder, 'wsdl')
  const trees = [{ source: 'generated' as const, dir: generated, tree: writeWsdls(generated, wsdlTarget.endpoints) }]
  const real = process.env[folderVariable]
  const all = real === undefined ? trees : [...trees, { source: 'real' as const, dir: real, tree: sizeOf(real) }]
  const boots: WsdlBoot[] = []
  for (const { source, dir, tree } of all) {
    for (const contender of ['package', 'sources'] as const) {
      const dslPath = join(setup.folder, `dsl-wsdl-${source}-${contender}`)
      const starts = await startInTurns(setup.proxy(contender, dslPath, dir), { dslPath, rounds })
      boots.push({ ...tree, source, contender, endpoints: filesBelow(dslPath, '.yml').length, ...starts })
    }
  }
  return { boots, explained: real === undefined ? undefined : explain(setup, real) }
}

interface Turns {
  readonly dslPath: string
  readonly rounds: number
}

async function startInTurns(command: Command, { dslPath, rounds }: Turns) {
  const [first, second]: [Start[], Start[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    rmSync(dslPath, { recursive: true, force: true })
    for (const starts of [first, second]) {
      const start = await startOnce(command)
      // The first round warms the file cache.
      if (round > 0) starts.push(start)
    }
  }
  return { first: middle(first), second: middle(second) }
}

function middle(starts: readonly Start[]): WsdlStart {
  return {
    seconds: median(starts.map(({ seconds }) => seconds)),
    peakMB: toMB(median(starts.map(({ peakBytes }) => peakBytes))),
  }
}

function sizeOf(folder: string): Tree {
  const files = filesBelow(folder, '.wsdl')
  return { files: files.length, bytes: files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0) }
}

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending))
}

interface Row {
  readonly file: string
  readonly problem: string
  readonly operations: readonly { readonly outcome: string; readonly reason: string }[]
}

function explain(setup: Setup, folder: string): Explained[] {
  const { args, env } = setup.proxy('package', join(setup.folder, 'dsl-explain'), folder)
  const [program = '', ...flags] = args
  const command = [program, 'wsdl', 'explain', folder, '--format', 'json', ...flags]
  // Exit code 1 says that some WSDL gives nothing at all, which its row tells.
  const { stdout, stderr } = spawnSync(process.execPath, command, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (stderr !== '') throw new Error(`wsdl explain: ${stderr}`)
  return (JSON.parse(stdout) as Row[]).map(({ file, problem, operations }) => {
    const skipped = Map.groupBy(
      operations.filter(({ outcome }) => outcome === 'skipped'),
      ({ reason }) => reason,
    )
    return {
      file: relative(folder, file),
      problem,
      operations: operations.length,
      generated: operations.filter(({ outcome }) => outcome === 'generated').length,
      skipped: [...skipped].map(([reason, { length }]) => [reason, length] as const).sort(([, a], [, b]) => b - a),
    }
  })
}
