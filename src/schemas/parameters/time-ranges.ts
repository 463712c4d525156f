import { Type } from '@sinclair/typebox'
import { Instant } from '../primitives.ts'
import { inline } from '../references.ts'

/** Parameters that select block timestamps in a range. */
export const timeRange = {
  since: Type.Optional(
    inline(Instant, { description: 'Only what is of this instant or later.', example: '2025-01-01T00:00:00Z' }),
  ),
  until: Type.Optional(
    inline(Instant, { description: 'Only what is earlier than this instant.', example: '2100-01-01T00:00:00Z' }),
  ),
}

const series = ['since', 'until', 'interval'] as const

/** Each of `since`, `until` and `interval` requires the other two: together they ask for a series. */
export const seriesDependencies = Object.fromEntries(
  series.map((name) => [name, series.filter((other) => other !== name)]),
)

/** The first whole second at or after an instant: block timestamps have no fractions. */
export function toSecondFrom(instant: string) {
  const whole = Date.parse(`${instant.slice(0, 19)}Z`) / 1000
  return /\.0*[1-9]/.test(instant) ? whole + 1 : whole
}
