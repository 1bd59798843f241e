/**
 * How long the proxy takes from the start of its process to the line that says it listens, and what memory that takes.
 */
import { join } from 'node:path'
import { median, type Start, startOnce, toMB } from '@services/bench'
import { type Tree, writeTree } from './boot-tree.ts'
import type { Setup } from '../setup.ts'

export interface BootResult extends Tree {
  readonly contender: 'package' | 'sources'
  readonly seconds: number
  readonly fastestSeconds: number
  readonly slowestSeconds: number
  readonly cpuSeconds: number
  readonly peakMB: number
}

export const bootTarget = { files: 3000, seconds: 2 }

/** Starts with one file and with as many as the target names, from the package and from the sources, in turns. */
export async function measureBoot(setup: Setup, rounds: number): Promise<BootResult[]> {
  const trees = [1, bootTarget.files].flatMap((files) => {
    const dslPath = join(setup.folder, `dsl-${files}`)
    const tree = writeTree(dslPath, files)
    return (['package', 'sources'] as const).map((contender) => ({
      contender,
      tree,
      command: setup.proxy(contender, dslPath),
      starts: [] as Start[],
    }))
  })
  for (let round = 0; round <= rounds; round++) {
    for (const { command, starts } of trees) {
      const start = await startOnce(command)
      // The first one warms the file cache.
      if (round > 0) starts.push(start)
    }
  }
  return trees.map(({ contender, tree, starts }) => {
    const seconds = starts.map((start) => start.seconds)
    return {
      ...tree,
      contender,
      seconds: median(seconds),
      fastestSeconds: Math.min(...seconds),
      slowestSeconds: Math.max(...seconds),
      cpuSeconds: median(starts.map((start) => start.cpuSeconds)),
      peakMB: toMB(median(starts.map((start) => start.peakBytes))),
    }
  })
}
