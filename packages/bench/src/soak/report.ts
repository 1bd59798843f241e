/** A soak as Markdown. Pure. */
import { table } from '../report/report.ts'
import type { SoakReport } from './soak.ts'

/** `name` is that of the service; `machine` the line that every bench has. */
export function toSoakMarkdown(name: string, machine: string, report: SoakReport): string {
  const { minutes, counts, samples, problems, isGrowthJudged } = report
  const verdict = problems.length === 0 ? 'nothing wrong, lost or doubled' : `${problems.length} problems`
  const growth = isGrowthJudged ? 'growth was judged' : 'too short to judge growth'
  const shown = samples.filter((_, index) => index % Math.ceil(samples.length / 10) === 0)
  return [
    `${name}, ${minutes} minutes: ${verdict}; ${growth}. ${machine}`,
    '',
    ...problems.map((problem) => `- ${problem}`),
    ...(problems.length > 0 ? [''] : []),
    ...table(
      ['who', 'right', 'refused', 'cut off'],
      Array.from(counts, ([who, { right, refused, cut }]) => [who, `${right}`, `${refused}`, `${cut}`]),
      1,
    ),
    '',
    ...table(
      ['after s', 'resident MB', 'handles', 'p50 ms', 'p99 ms'],
      shown.map(({ seconds, residentMB, handles, p50Ms, p99Ms }) =>
        [seconds, residentMB.toFixed(0), handles, p50Ms.toFixed(1), p99Ms.toFixed(1)].map(String),
      ),
      0,
    ),
  ].join('\n')
}
