import { groupDigits } from '../texts/format-numbers.ts'
import { axisEnd, barsOf } from './plot-geometry.ts'

const WIDTH = 600
const HEIGHT = 140

/** What happened in one step of the time. */
export interface PlotPoint {
  /** When: `Nov 22, 7:40 AM`. */
  when: string
  value: number
}

/**
 * Whole numbers over time as bars, and as a table for those who would rather read. @param title what is shown, with its
 * time. @param of what the values are: `claims`.
 */
export function Plot({ title, of, points }: { title: string; of: string; points: readonly PlotPoint[] }) {
  const values = points.map(({ value }) => value)
  const end = axisEnd(Math.max(0, ...values))
  const bars = barsOf(values, { width: WIDTH, height: HEIGHT, gap: 0.18, least: 2 }, end)
  const middle = points[Math.floor(points.length / 2)]
  return (
    <figure class="plot">
      <figcaption>{title}</figcaption>
      <div class="drawing" aria-hidden="true">
        <span class="highest figure">{groupDigits(String(end))}</span>
        <span class="lowest figure">0</span>
        <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
          <path class="lines" d={`M0 .5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}`} />
          {points.map(({ when, value }, index) => (
            <rect key={when} {...bars[index]}>
              <title>{`${when}: ${groupDigits(String(value))} ${of}`}</title>
            </rect>
          ))}
        </svg>
        <span class="steps">
          <span>{points[0]?.when}</span>
          <span>{middle?.when}</span>
          <span>{points.at(-1)?.when}</span>
        </span>
      </div>
      <details>
        <summary>The same as a table</summary>
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">{of}</th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ when, value }) => (
              <tr key={when}>
                <th scope="row">{when}</th>
                <td>{groupDigits(String(value))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
