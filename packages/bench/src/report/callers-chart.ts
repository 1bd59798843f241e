/**
 * Results of the scenario `callers` -> an SVG: a panel each for requests per second, p99, CPU time and memory, over the
 * number of callers, with a curve for each contender.
 */
import type { CallersResult } from '../race/callers.ts'
import { medianOf, readable } from '../race/figures.ts'
import { toMB } from '../process/usage.ts'
import { classOf, type Colours, drawLegend, drawPicture, escape, round, width } from './svg.ts'

export interface CallersChart {
  /** For those who do not see the image. */
  readonly title: string
  readonly heading: string
  readonly colours: Colours
  readonly results: readonly CallersResult[]
}

interface Panel {
  readonly title: string
  readonly figure: (result: CallersResult) => number | undefined
  /** Otherwise it begins at 0. */
  readonly isLogarithmic: boolean
}

const panels: readonly Panel[] = [
  { title: 'requests/s', figure: (result) => medianOf(result, 'requestsPerSecond'), isLogarithmic: false },
  { title: 'p99, ms', figure: (result) => medianOf(result, 'p99Ms'), isLogarithmic: true },
  {
    title: 'CPU s per 1000 requests',
    figure: (result) => medianOf(result, 'cpuSecondsPer1000'),
    isLogarithmic: false,
  },
  {
    title: 'peak memory, MB',
    figure: ({ peakBytes }) => (peakBytes === undefined ? undefined : toMB(peakBytes)),
    isLogarithmic: false,
  },
]

const columns = 2
const panelHeight = 190
/** Room for the title above and the numbers of callers below. */
const panelGap = 62
const left = 64
const right = 24
const panelWidth = width / columns - left - right
const headRoom = 42
const mostTicks = 5

interface Corner {
  readonly left: number
  readonly top: number
}

export function drawCallers({ title, heading, colours, results }: CallersChart): string {
  const legend = drawLegend(colours, new Set(results.map(({ contender }) => contender)))
  const top = legend.bottom + headRoom
  const drawn = panels.map((panel, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)]
    const corner = { left: (width / columns) * column + left, top: top + row * (panelHeight + panelGap) }
    return drawPanel(panel, corner, { results, contenders: Object.keys(colours) })
  })
  const rows = Math.ceil(panels.length / columns)
  const height = top + rows * (panelHeight + panelGap) - panelGap + 40
  return drawPicture({ title, heading, colours, height, content: [legend.drawn, ...drawn] })
}

interface Drawn {
  readonly results: readonly CallersResult[]
  /** In the order of the colours. */
  readonly contenders: readonly string[]
}

function drawPanel(panel: Panel, corner: Corner, { results, contenders }: Drawn): string {
  const counts = [...new Set(results.map(({ callers }) => callers))]
  const x = (callers: number): number => corner.left + ((counts.indexOf(callers) + 0.5) / counts.length) * panelWidth
  const values = results.flatMap((result) => panel.figure(result) ?? []).filter((value) => value > 0)
  const scale = (panel.isLogarithmic ? logarithmic : linear)(values)
  const y = (value: number): number => corner.top + panelHeight * (1 - scale.share(value))
  const lines = scale.ticks.map((tick) => {
    const line = `<line class="line" x1="${round(corner.left)}" y1="${round(y(tick))}" x2="${round(corner.left + panelWidth)}" y2="${round(y(tick))}"/>`
    return `${line}<text class="left note" x="${round(corner.left - 6)}" y="${round(y(tick) + 4)}">${toLabel(tick)}</text>`
  })
  const numbers = counts.map(
    (count) => `<text class="tick" x="${round(x(count))}" y="${round(corner.top + panelHeight + 18)}">${count}</text>`,
  )
  const curves = contenders.map((contender, index) => {
    const points = results.flatMap((result) => {
      const value = panel.figure(result)
      if (result.contender !== contender || value === undefined || !(value > 0)) return []
      return [[round(x(result.callers)), round(y(value))] as const]
    })
    return drawCurve(points, classOf(index))
  })
  const name = `<text x="${round(corner.left)}" y="${round(corner.top - 14)}">${escape(panel.title)}</text>`
  // The first one last, on top of the others.
  return [name, ...lines, ...numbers, ...curves.filter((curve) => curve !== '').toReversed()].join('\n')
}

function drawCurve(points: readonly (readonly [x: string, y: string])[], colour: string): string {
  if (points.length === 0) return ''
  const line = `<polyline class="curve ${colour}" points="${points.map((point) => point.join(',')).join(' ')}"/>`
  return [line, ...points.map(([x, y]) => `<circle class="${colour}" cx="${x}" cy="${y}" r="3"/>`)].join('')
}

interface Scale {
  readonly ticks: readonly number[]
  /** From 0 at the bottom to 1 at the top. */
  share(value: number): number
}

function linear(values: readonly number[]): Scale {
  const step = stepFor(Math.max(1e-6, ...values))
  const count = Math.ceil(Math.max(step, ...values) / step)
  return {
    ticks: Array.from({ length: count + 1 }, (_, index) => index * step),
    share: (value) => value / (count * step),
  }
}

/** 1, 2 or 5 times a power of ten. */
function stepFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / mostTicks))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => most / step <= mostTicks) ?? power * 10
}

function logarithmic(values: readonly number[]): Scale {
  const all = values.length === 0 ? [1] : values
  const [from, to] = [Math.floor(Math.log10(Math.min(...all))), Math.floor(Math.log10(Math.max(...all))) + 1]
  return {
    ticks: Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index)),
    share: (value) => (Math.log10(value) - from) / (to - from),
  }
}

function toLabel(tick: number): string {
  return tick >= 1000 ? readable(tick) : String(Number(tick.toPrecision(3)))
}
