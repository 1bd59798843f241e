/** Results -> chart.svg: sqlapi and others, beside what each scenario is measured by. */
import { type Colours, drawRatios, type RatioGroup, readable, toRatioGroup } from '@services/bench'
import { contenderTitles } from '../scenarios/scenario.ts'
import type { Results } from './targets.ts'

/** In the order of the legend. */
export const colours: Colours = {
  [contenderTitles.sqlapi]: ['#0969da', '#4493f8'],
  [contenderTitles['rust-10']]: ['#cf222e', '#ff7b72'],
  [contenderTitles['rust-3']]: ['#bf3989', '#f778ba'],
  [contenderTitles['rust-1']]: ['#82061e', '#ffa198'],
  [contenderTitles.go]: ['#1b7c83', '#39c5cf'],
  [contenderTitles.pgbench]: ['#1a7f37', '#3fb950'],
  [contenderTitles.toolbox]: ['#bc4c00', '#f0883e'],
  [contenderTitles.fastify]: ['#8250df', '#ab7df8'],
  [contenderTitles.constant]: ['#9a6700', '#d29922'],
  [contenderTitles.floor]: ['#818b98', '#9198a1'],
}

export function toChart({ races, million }: Pick<Results, 'races' | 'million'>): string {
  const groups = races.map(({ scenario: { title, reference, merit }, results }) =>
    toRatioGroup(title, results, contenderTitles[reference], merit),
  )
  return drawRatios({
    title: 'Ratios of sqlapi and others, scenario by scenario',
    heading: 'Times as good as what each scenario is measured by',
    colours,
    groups: [...groups, toMillionGroup(million)],
  })
}

function toMillionGroup(million: Results['million']): RatioGroup {
  const title = 'one answer of 1 000 000 rows'
  const referee = million.find(({ contender }) => contender === contenderTitles.floor)
  if (referee === undefined) return { title, reference: '', bars: [] }
  return {
    title,
    reference: `1 = ${referee.contender}, ${readable(referee.seconds)} s`,
    bars: million
      .filter((result) => result !== referee)
      .map(({ contender, seconds }) => ({ contender, ratio: referee.seconds / seconds })),
  }
}
