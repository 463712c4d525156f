import { barsOf } from './plot-geometry.ts'

const WIDTH = 96
const HEIGHT = 28

/** A single claim does not look like many. */
const LOWEST_TOP = 4

/**
 * Values over time in the size of a word. @param of what the values are: `claims`. @param step how long one is:
 * `30 min`.
 */
export function Sparkline({ values, of, step }: { values: readonly number[]; of: string; step: string }) {
  const highest = Math.max(0, ...values)
  const bars = barsOf(values, { width: WIDTH, height: HEIGHT - 1, gap: 0.2, least: 1.5 }, Math.max(highest, LOWEST_TOP))
  const label =
    highest === 0
      ? `No ${of} in ${values.length} steps of ${step}.`
      : `${values.length} steps of ${step}, at most ${highest} ${of} in one, ${values.at(-1)} in the last.`
  return (
    <svg class="sparkline" role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
      <rect class="ground" x="0" y={HEIGHT - 1} width={WIDTH} height="1" />
      {/* One element for all bars: a page has hundreds of them. */}
      <path d={bars.map(({ x, y, width, height }) => `M${x} ${y}h${width}v${height}h${-width}z`).join('')} />
    </svg>
  )
}
