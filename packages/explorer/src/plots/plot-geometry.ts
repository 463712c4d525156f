/** A bar of a plot, from the upper left. */
export interface BarGeometry {
  x: number
  y: number
  width: number
  height: number
}

/**
 * Where the bars of a plot stand: one for each value, side by side, the highest value as high as the plot.
 *
 * @param highest what reaches the top; absent: the highest value.
 * @param least height of a bar whose value is not 0: few stay different from none.
 */
export function barsOf(
  values: readonly number[],
  { width, height, gap, least = 0 }: { width: number; height: number; gap: number; least?: number },
  highest = Math.max(...values),
): BarGeometry[] {
  const step = width / values.length
  return values.map((value, index) => {
    const share = highest > 0 ? Math.max(value, 0) / highest : 0
    const tall = share === 0 ? 0 : Math.max(share * height, least)
    return { x: round(index * step), y: round(height - tall), width: round(step * (1 - gap)), height: round(tall) }
  })
}

/** The end of an axis: the next 1, 2 or 5 with zeros, so that people can read it; at least 1. */
export function axisEnd(highest: number): number {
  if (!(highest > 1)) return 1
  const power = 10 ** Math.floor(Math.log10(highest))
  return ([1, 2, 5, 10].find((step) => step * power >= highest) ?? 10) * power
}

/** Two decimals are finer than any screen. */
const round = (length: number) => Math.round(length * 100) / 100
