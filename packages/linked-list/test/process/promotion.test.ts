/** How much of what passes through a queue the collector takes for long-lived. */
import { ok } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const flags = ['--expose-gc', '--max-semi-space-size=8', '--trace-gc-nvp']

interface Scavenge {
  readonly gc: string
  readonly allocated: number
  readonly promoted: number
}

/** Of the bytes allocated between scavenges, which share was promoted by them. */
function promotedShare(queue: string): number {
  const text = execFileSync(process.execPath, [...flags, join(import.meta.dirname, '../support/churn.ts'), queue], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const scavenges = Array.from(
    text.matchAll(/GC: (\{.*\})$/gm),
    ([, json = '']) => JSON.parse(json) as Scavenge,
  ).filter(({ gc }) => gc === 's')
  const sum = (field: 'allocated' | 'promoted'): number => scavenges.reduce((total, each) => total + each[field], 0)
  return sum('promoted') / sum('allocated')
}

test('what passes through a linked list is not promoted, what passes through a map is [H7]', (t) => {
  const shares = { list: promotedShare('list'), map: promotedShare('map') }
  t.diagnostic(`promoted: list ${percent(shares.list)}, map ${percent(shares.map)}`)
  ok(shares.list < 0.01, percent(shares.list))
  ok(shares.map > 10 * shares.list, `a map could be used as well: ${percent(shares.map)}`)
})

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
