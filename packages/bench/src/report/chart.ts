/**
 * Results -> an SVG: how many times as good each contender was as the one that its scenario is measured by. Bars begin
 * at 1 and go right for better, left for worse, on a logarithmic scale, so that twice and half are equally far.
 */
import { medianOf, type RaceMerit, ratio, readable } from '../race/figures.ts'
import type { Result } from '../race/race.ts'
import { classOf, type Colours, drawLegend, drawPicture, escape, round, width } from './svg.ts'

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

const labels = 330
/** Room for the number at the end of a bar. */
const margin = 56
/** From the legend to the bars. */
const headRoom = 40
const barHeight = 14
const barGap = 3
const groupGap = 18
const ticks = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]

export function drawRatios({ title, heading, colours, groups: all }: RatioChart): string {
  const groups = all.filter(({ bars }) => bars.length > 0)
  const contenders = Object.keys(colours)
  const legend = drawLegend(colours, new Set(groups.flatMap(({ bars }) => bars.map(({ contender }) => contender))))
  const top = legend.bottom + headRoom
  const height = top + groups.reduce((sum, group) => sum + heightOf(group) + groupGap, 0)
  const place = scaleOf(groups)
  let y = top
  const drawn = groups.map((group) => {
    const part = drawGroup(group, y, { place, contenders })
    y += heightOf(group) + groupGap
    return part
  })
  return drawPicture({
    title,
    heading,
    colours,
    height,
    content: [legend.drawn, drawGrid(place, { top, bottom: height }), ...drawn],
  })
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

function drawGrid(place: (ratio: number) => number, { top, bottom }: { top: number; bottom: number }): string {
  const lines = ticks
    .map((tick) => ({ tick, x: place(tick) }))
    .filter(({ x }) => x > labels + 10 && x < width - 10)
    .map(({ tick, x }) => {
      const kind = tick === 1 ? 'one' : 'line'
      const line = `<line class="${kind}" x1="${round(x)}" y1="${top - 10}" x2="${round(x)}" y2="${bottom - 8}"/>`
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

/** Two lines of text have to fit beside a single bar. */
function heightOf(group: RatioGroup): number {
  return Math.max(28, barsHeight(group))
}

function barsHeight({ bars }: RatioGroup): number {
  return bars.length * (barHeight + barGap) - barGap
}
