/**
 * Results -> an SVG: how many times as good each contender was as the one that its scenario is measured by. Bars begin at 1
 * and go right for better, left for worse, on a logarithmic scale, so that twice and half are equally far. Colours follow the
 * reader's light or dark mode; nothing is loaded and no script runs, so it can be an image in a page.
 */
import { medianOf, type RaceMerit, ratio, readable } from '../race/figures.ts'
import type { Result } from '../race/race.ts'

/** Colours of each contender, in light and in dark mode, in the order of the legend. */
export type Colours = Readonly<Record<string, readonly [light: string, dark: string]>>

/** A scenario: a bar for each contender but the one that is 1. */
export interface RatioGroup {
  readonly title: string
  /** What is 1, in words. */
  readonly reference: string
  readonly bars: readonly { readonly contender: string; readonly ratio: number }[]
}

export interface RatioChart {
  /** For those who do not see the image. */
  readonly title: string
  readonly heading: string
  readonly colours: Colours
  /** Those without bars are left out. */
  readonly groups: readonly RatioGroup[]
}

const width = 920
const labels = 330
/** Room for the number at the end of a bar. */
const margin = 56
const top = 92
const barHeight = 14
const barGap = 3
const groupGap = 18
const ticks = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]

export function drawRatios({ title, heading, colours, groups: all }: RatioChart): string {
  const groups = all.filter(({ bars }) => bars.length > 0)
  const contenders = Object.keys(colours)
  const height = top + groups.reduce((sum, group) => sum + heightOf(group) + groupGap, 0)
  const place = scaleOf(groups)
  let y = top
  const drawn = groups.map((group) => {
    const part = drawGroup(group, y, { place, contenders })
    y += heightOf(group) + groupGap
    return part
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escape(title)}</title>
<style>${style(colours)}</style>
<rect class="ground" width="${width}" height="${height}" rx="6"/>
<text class="head" x="16" y="26">${escape(heading)}</text>
${legend(groups, contenders)}
${grid(place, height)}
${drawn.join('\n')}
</svg>
`
}

/** No bars if the contender called `reference` was not there. */
export function toRatioGroup(
  title: string,
  results: readonly Result[],
  reference: string,
  merit: RaceMerit,
): RatioGroup {
  const referee = results.find(({ contender }) => contender === reference)
  if (referee === undefined) return { title, reference: '', bars: [] }
  const isP99 = merit === 'p99'
  const figure = readable(medianOf(referee, isP99 ? 'p99Ms' : 'requestsPerSecond') ?? Number.NaN)
  return {
    title,
    reference: `1 = ${reference}, ${isP99 ? `p99 of ${figure} ms` : `${figure}/s`}`,
    bars: results
      .filter((result) => result !== referee)
      .map((result) => ({ contender: result.contender, ratio: ratio(result, referee, merit) ?? Number.NaN }))
      .filter((bar) => bar.ratio > 0 && Number.isFinite(bar.ratio)),
  }
}

/** Ratio -> x. */
function scaleOf(groups: readonly RatioGroup[]): (ratio: number) => number {
  const all = groups.flatMap(({ bars }) => bars.map((bar) => bar.ratio))
  const [least, most] = [Math.log(Math.min(0.5, ...all)), Math.log(Math.max(2, ...all))]
  const [from, to] = [labels + margin, width - margin]
  return (ratio) => from + ((Math.log(ratio) - least) / (most - least)) * (to - from)
}

function grid(place: (ratio: number) => number, height: number): string {
  const lines = ticks
    .map((tick) => ({ tick, x: place(tick) }))
    .filter(({ x }) => x > labels + 10 && x < width - 10)
    .map(({ tick, x }) => {
      const kind = tick === 1 ? 'one' : 'line'
      const line = `<line class="${kind}" x1="${round(x)}" y1="${top - 10}" x2="${round(x)}" y2="${height - 8}"/>`
      return `${line}<text class="tick" x="${round(x)}" y="${top - 15}">${tick}</text>`
    })
  return lines.join('\n')
}

interface Scale {
  readonly place: (ratio: number) => number
  readonly contenders: readonly string[]
}

function drawGroup(group: RatioGroup, y: number, { place, contenders }: Scale): string {
  const middle = y + heightOf(group) / 2
  const one = place(1)
  const bars = group.bars.map(({ contender, ratio }, index) => {
    const barY = y + index * (barHeight + barGap) + (heightOf(group) - barsHeight(group)) / 2
    const end = place(ratio)
    const size = `width="${round(Math.max(1, Math.abs(end - one)))}" height="${barHeight}"`
    const bar = `<rect class="${classOf(contenders.indexOf(contender))}" x="${round(Math.min(one, end))}" y="${round(barY)}" ${size} rx="2"/>`
    const side = ratio < 1 ? `class="left" x="${round(end - 6)}"` : `x="${round(end + 6)}"`
    return `${bar}<text ${side} y="${round(barY + barHeight - 3)}">${readable(ratio)}</text>`
  })
  return [
    `<text class="left" x="${labels}" y="${round(middle - 2)}">${escape(group.title)}</text>`,
    `<text class="left note" x="${labels}" y="${round(middle + 12)}">${escape(group.reference)}</text>`,
    ...bars,
  ].join('\n')
}

function legend(groups: readonly RatioGroup[], contenders: readonly string[]): string {
  const present = new Set(groups.flatMap(({ bars }) => bars.map(({ contender }) => contender)))
  let x = 16
  const parts = contenders
    .filter((contender) => present.has(contender))
    .map((contender) => {
      const box = `<rect class="${classOf(contenders.indexOf(contender))}" x="${x}" y="40" width="12" height="12" rx="2"/>`
      const part = `${box}<text x="${x + 18}" y="50">${escape(contender)}</text>`
      x += 40 + contender.length * 7
      return part
    })
  return parts.join('\n')
}

function style(colours: Colours): string {
  const fills = (mode: 0 | 1): string =>
    Object.values(colours)
      .map((colour, index) => `.${classOf(index)}{fill:${colour[mode]}}`)
      .join('')
  return [
    'text{font:12px system-ui,sans-serif}.head{font-size:15px;font-weight:600}.left{text-anchor:end}',
    '.note,.tick{font-size:11px}.tick{text-anchor:middle}line{stroke-width:1}',
    `.ground{fill:#fff}text{fill:#1f2328}.note,.tick{fill:#59636e}.line{stroke:#d1d9e0}.one{stroke:#59636e}${fills(0)}`,
    '@media (prefers-color-scheme:dark){.ground{fill:#0d1117}text{fill:#f0f6fc}.note,.tick{fill:#9198a1}',
    `.line{stroke:#3d444d}.one{stroke:#9198a1}${fills(1)}}`,
  ].join('\n')
}

/** By the place in the legend. */
function classOf(index: number): string {
  return `c${index}`
}

/** Two lines of text have to fit beside a single bar. */
function heightOf(group: RatioGroup): number {
  return Math.max(28, barsHeight(group))
}

function barsHeight({ bars }: RatioGroup): number {
  return bars.length * (barHeight + barGap) - barGap
}

function round(value: number): string {
  return value.toFixed(1)
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
