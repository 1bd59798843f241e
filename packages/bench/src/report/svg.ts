/**
 * What all charts of this package are drawn with. Colours follow the reader's light or dark mode; nothing is loaded and
 * no script runs, so a chart can be an image in a page.
 */

/** Colours of each contender, in light and in dark mode, in the order of the legend. */
export type Colours = Readonly<Record<string, readonly [light: string, dark: string]>>

export interface Picture {
  /** For those who do not see the image. */
  readonly title: string
  readonly heading: string
  readonly colours: Colours
  readonly height: number
  /** SVG elements. */
  readonly content: readonly string[]
}

export const width = 920
const legendTop = 40
const legendLine = 20
const edge = 16

export function drawPicture({ title, heading, colours, height, content }: Picture): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escape(title)}</title>
<style>${style(colours)}</style>
<rect class="ground" width="${width}" height="${height}" rx="6"/>
<text class="head" x="${edge}" y="26">${escape(heading)}</text>
${content.join('\n')}
</svg>
`
}

export interface Legend {
  readonly drawn: string
  /** Where it ends. */
  readonly bottom: number
}

/** In as many lines as it takes. */
export function drawLegend(colours: Colours, present: ReadonlySet<string>): Legend {
  let [x, y] = [edge, legendTop]
  const parts: string[] = []
  for (const [index, contender] of Object.keys(colours).entries()) {
    if (!present.has(contender)) continue
    const room = 40 + contender.length * 7
    if (x > edge && x + room > width) [x, y] = [edge, y + legendLine]
    const box = `<rect class="${classOf(index)}" x="${x}" y="${y}" width="12" height="12" rx="2"/>`
    parts.push(`${box}<text x="${x + 18}" y="${y + 10}">${escape(contender)}</text>`)
    x += room
  }
  return { drawn: parts.join('\n'), bottom: y + 12 }
}

function style(colours: Colours): string {
  const fills = (mode: 0 | 1): string =>
    Object.values(colours)
      .map((colour, index) => `.${classOf(index)}{fill:${colour[mode]};stroke:${colour[mode]}}`)
      .join('')
  return [
    'text{font:12px system-ui,sans-serif}.head{font-size:15px;font-weight:600}.left{text-anchor:end}',
    '.note,.tick{font-size:11px}.tick{text-anchor:middle}line{stroke-width:1}rect{stroke-width:0}',
    'polyline.curve{fill:none;stroke-width:2;stroke-linejoin:round}',
    `.ground{fill:#fff}text{fill:#1f2328}.note,.tick{fill:#59636e}.line{stroke:#d1d9e0}.one{stroke:#59636e}${fills(0)}`,
    '@media (prefers-color-scheme:dark){.ground{fill:#0d1117}text{fill:#f0f6fc}.note,.tick{fill:#9198a1}',
    `.line{stroke:#3d444d}.one{stroke:#9198a1}${fills(1)}}`,
  ].join('\n')
}

/** By the place in the legend. */
export function classOf(index: number): string {
  return `c${index}`
}

export function round(value: number): string {
  return value.toFixed(1)
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
