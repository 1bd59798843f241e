/**
 * What the metrics of a service cost: the service without an admin listener races itself with one, which is scraped
 * once a second, more often than any Prometheus does. Prints the figures; the process ends with 1 where the one that is
 * measured is too slow. One process differs from the next, so each race has two new ones.
 */
import { racePair } from '../against/against.ts'
import { compare, type Compared, exitCode, type Limits } from '../against/compare.ts'
import { guard } from '../against/regression.ts'
import { median } from '../report/median.ts'
import { describeMachine } from '../report/report.ts'
import type { Entrant, Lengths } from './race.ts'

export interface AdminRace {
  /** Of the scenario. */
  readonly title: string
  readonly without: Entrant
  /** The same service, with its admin listener on the port. */
  readonly measured: Entrant
  readonly adminPort: number
  /** What else the figures depend on. */
  readonly versions: string
  /** Short rounds, which prove that it works and judge nothing. */
  readonly isQuick: boolean
}

const lengths: Lengths = { rounds: 2, warmUpSeconds: 1.5, seconds: 3 }
const limits: Limits = { races: 7, seconds: 420 }
const quickLengths: Lengths = { rounds: 1, warmUpSeconds: 0.5, seconds: 1 }
const quickLimits: Limits = { races: 1, seconds: -1 }

export async function raceWithAdmin({
  title,
  without,
  measured,
  adminPort,
  versions,
  isQuick,
}: AdminRace): Promise<void> {
  const entrants = { ours: scraped(measured, adminPort), theirs: without }
  const pair = { name: title, merit: 'requests/s', entrants, lengths: isQuick ? quickLengths : lengths } as const
  const trial = { ...pair, title, race: (isThisFirst: boolean) => racePair(pair, isThisFirst) }
  const all = await compare([trial], isQuick ? quickLimits : limits, console.error)
  for (const compared of all) console.log(`${describeMachine(versions)}. ${describe(compared)}`)
  if (!isQuick) process.exitCode = exitCode(all)
}

function describe({ title, speeds, judgement, cpu, cpuToLoad }: Compared): string {
  const figures = [
    [Math.min(...speeds), 'in the slowest race'],
    [Math.max(...speeds), 'in the fastest'],
    [cpu, 'of the CPU time'],
    [cpuToLoad, 'of it to that of the load'],
  ] as const
  const known = figures.flatMap(([value, words]) => (value === undefined ? [] : `${value.toFixed(2)} ${words}`))
  return `${title} with metrics: ${median(speeds).toFixed(2)} of the requests/s in ${speeds.length} races, ${known.join(', ')}. Less than ${guard.limit}: ${judgement === 'fine' ? 'no' : judgement}.`
}

function scraped(entrant: Entrant, port: number): Entrant {
  return {
    title: entrant.title,
    async start() {
      const racer = await entrant.start()
      const scrape = (): void => void fetch(`http://127.0.0.1:${port}/metrics`).then((answer) => answer.text())
      const timer = setInterval(scrape, 1000)
      return {
        round: (seconds) => racer.round(seconds),
        usage: () => racer.usage(),
        stop() {
          clearInterval(timer)
          return racer.stop()
        },
      }
    },
  }
}
