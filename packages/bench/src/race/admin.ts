/**
 * What the metrics of a service cost: the service without an admin listener races itself with one, which is scraped once a second, more
 * often than any Prometheus does. Prints the figures; the process ends with 1 where the one that is measured is too slow.
 */
import { medianOf, ratio, readable } from './figures.ts'
import { type Entrant, type Lengths, race } from './race.ts'

export interface AdminRace {
  /** Of the scenario. */
  readonly title: string
  readonly without: Entrant
  /** The same service, with its admin listener on the port. */
  readonly measured: Entrant
  readonly adminPort: number
  /** Short rounds, which prove that it works and judge nothing. */
  readonly isQuick: boolean
}

const least = 0.97
const whole: Lengths = { rounds: 10, warmUpSeconds: 1.5, seconds: 2 }
const quick: Lengths = { rounds: 1, warmUpSeconds: 0.5, seconds: 1 }

export async function raceWithAdmin({ title, without, measured, adminPort, isQuick }: AdminRace): Promise<void> {
  const results = await race(title, [without, scraped(measured, adminPort)], isQuick ? quick : whole)
  const [bare, counted] = results
  const share = ratio(counted, bare, 'requests/s') ?? 0
  const cpu = results.map((result) => readable(medianOf(result, 'cpuSecondsPer1000') ?? 0)).join(' and ')
  console.log(`with metrics ${readable(share)} of the requests/s, at least ${least} is wanted; CPU s per 1000: ${cpu}`)
  if (share < least && !isQuick) process.exitCode = 1
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
