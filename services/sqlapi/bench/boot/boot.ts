/** How long sqlapi takes from the start of its process to the line that says it listens. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median, type Start, startOnce, toMiB } from '@services/bench'
import { type Tree, writeTree } from './boot-tree.ts'
import { sqlapiCommand } from '../contenders/sqlapi.ts'

export interface BootResult extends Tree {
  readonly seconds: number
  readonly fastestSeconds: number
  readonly slowestSeconds: number
  readonly cpuSeconds: number
  readonly peakMiB: number
}

export const mostFiles = 10_000
const sizes = [1, mostFiles]

/** Starts with one file and with many, in turns. */
export async function measureBoot(folder: string, rounds: number): Promise<BootResult[]> {
  const trees = sizes.map((files) => ({
    ...makeTree(folder, files),
    starts: [] as Start[],
  }))
  for (let round = 0; round <= rounds; round++) {
    for (const { tree, config, starts } of trees) {
      const start = await startOnce(sqlapiCommand(config))
      // The first one warms the file cache.
      if (round > 0) starts.push(start)
      console.error(`boot, round ${round}, ${tree.files} files: ${start.seconds.toFixed(2)} s`)
    }
  }
  return trees.map(({ tree, starts }) => {
    const seconds = starts.map((start) => start.seconds)
    return {
      ...tree,
      seconds: median(seconds),
      fastestSeconds: Math.min(...seconds),
      slowestSeconds: Math.max(...seconds),
      cpuSeconds: median(starts.map((start) => start.cpuSeconds)),
      peakMiB: toMiB(median(starts.map((start) => start.peakBytes))),
    }
  })
}

/**
 * Gives what starts sqlapi over so many files; `service` is its folder, if it is not this one. The first start of each
 * version is done twice: it fills caches.
 */
export function makeBoot(folder: string, files: number): (service?: string) => Promise<Start> {
  let config: string | undefined
  const warm = new Set<string | undefined>()
  return async (service) => {
    config ??= makeTree(folder, files).config
    const command = sqlapiCommand(config, service)
    if (!warm.has(service)) await startOnce(command)
    warm.add(service)
    return startOnce(command)
  }
}

function makeTree(folder: string, files: number): { tree: Tree; config: string } {
  const place = join(folder, `boot-${files}`)
  mkdirSync(place)
  const config = join(place, 'sqlapi.yaml')
  const sqlDir = join(place, 'sql')
  writeFileSync(config, `sql_dir: ${JSON.stringify(sqlDir)}\nserver:\n  bind: 127.0.0.1:0\n`)
  return { tree: writeTree(sqlDir, files), config }
}
