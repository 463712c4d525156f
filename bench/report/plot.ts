import { type Figure, isReached, shareReached, toText, withUnit } from '../measuring/measurements.ts'

const WIDTH = 960
const ROW = 34
const TOP = 48
/** Where the bars begin, and how long one is that reaches its target. */
const LEFT = 16
const TARGET = 440
/** Bars end here, however far beyond the target they reach. */
const MAX = 2

/** A bar for each target: how much of it is reached. Readable on light and on dark ground. */
export function plotOf(figures: Figure[]) {
  const height = TOP + figures.length * ROW + 16
  const target = LEFT + TARGET
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="How much of each target is reached">
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .ground { fill: #ffffff } .line { stroke: #59636e } .reached { fill: #2da44e } .missed { fill: #d4a72c } .failed { fill: #cf222e }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .ground { fill: #0d1117 } .line { stroke: #9198a1 } .reached { fill: #238636 } .missed { fill: #9e6a03 } .failed { fill: #da3633 }
  }
</style>
<rect class="ground" width="${WIDTH}" height="${height}"/>
<text x="${target}" y="20" text-anchor="middle">target</text>
<text x="${LEFT}" y="20">share of the target that is reached</text>
<line class="line" x1="${target}" y1="28" x2="${target}" y2="${height - 12}" stroke-dasharray="4 3"/>
${figures.map((figure, index) => barOf(figure, TOP + index * ROW)).join('\n')}
</svg>
`
}

function barOf(figure: Figure, y: number) {
  const share = shareReached(figure)
  const length = Math.max(2, Math.min(share ?? 0, MAX) * TARGET)
  const kind = share === undefined ? 'failed' : isReached(figure) ? 'reached' : 'missed'
  const measured = figure.value === undefined ? 'not measured' : withUnit(figure.value, figure.unit)
  const wanted = `${figure.rule} ${toText(figure.limit)}`
  const beyond = share !== undefined && share > MAX && Number.isFinite(share) ? `, ${toText(share)} × better` : ''
  return `<text x="${LEFT}" y="${y}">${escaped(`${figure.what}: ${measured} (${wanted}${beyond})`)}</text>
<rect class="${kind}" x="${LEFT}" y="${y + 5}" width="${length.toFixed(0)}" height="10" rx="2"/>`
}

const escaped = (text: string) =>
  text.replaceAll('`', '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
