/** Results -> chart.svg: xroad-proxy and others, beside what each scenario is measured by. */
import { type Colours, drawRatios, readable, type RatioGroup, toRatioGroup } from '@services/bench'
import { nameOf, type Results } from './results.ts'

/** In the order of the legend. */
export const colours: Colours = {
  [nameOf('package')]: ['#0969da', '#4493f8'],
  [nameOf('sources')]: ['#54aeff', '#79c0ff'],
  haproxy: ['#cf222e', '#ff7b72'],
  undici: ['#1a7f37', '#3fb950'],
  'floor with context': ['#bc4c00', '#f0883e'],
  floor: ['#818b98', '#9198a1'],
  'node-soap': ['#8250df', '#ab7df8'],
  'saxes alone': ['#9a6700', '#d29922'],
}

/** For those who do not see the chart. */
export const chartTitle = 'Ratios of xroad-proxy and others, scenario by scenario'

export function toChart({ races, xml }: Pick<Results, 'races' | 'xml'>): string {
  const groups = races.map(({ scenario, results }) => {
    const named = results.map((result) => ({ ...result, contender: nameOf(result.contender) }))
    return toRatioGroup(scenario.title, named, nameOf(scenario.contenders.at(-1) ?? ''), 'requests/s')
  })
  return drawRatios({
    title: chartTitle,
    heading: 'Times as good as what each scenario is measured by',
    colours,
    groups: [...groups, ...(xml === undefined ? [] : [toXmlGroup(xml)])],
  })
}

function toXmlGroup({ parserMBps, ratio }: NonNullable<Results['xml']>): RatioGroup {
  return {
    title: 'XML to JSON, 1 MB',
    reference: `1 = saxes alone, ${readable(parserMBps)} MB/s`,
    bars: [{ contender: nameOf('package'), ratio }],
  }
}
