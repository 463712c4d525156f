import { percentile } from './measure.ts'

/** A target and its unit. */
export interface Target {
  what: string
  unit: string
  rule: 'at most' | 'at least'
  limit: number
}

/** The value that a part has measured for one of its targets. */
export interface Finding {
  target: string
  value: number
  /** What else was seen: where the figure comes from, processor time, the worst case. */
  note: string
}

/** A line of the results. */
export interface Figure extends Target {
  part: string
  /** Absent where it could not be measured; the note says why. */
  value?: number
  note: string
}

/** How much of the target is reached: 1 is all of it. */
export function shareReached({ rule, limit, value }: Figure) {
  if (value === undefined) return undefined
  if (rule === 'at least') return value / limit
  return value <= 0 ? Number.POSITIVE_INFINITY : limit === 0 ? 0 : limit / value
}

export function isReached(figure: Figure) {
  if (figure.value === undefined) return false
  return figure.rule === 'at least' ? figure.value >= figure.limit : figure.value <= figure.limit
}

/** A number with its significant digits. */
export function toText(value: number) {
  if (!Number.isFinite(value)) return '∞'
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return Number(value.toFixed(digits)).toLocaleString('en-US')
}

export const withUnit = (value: number, unit: string) => `${toText(value)} ${unit}`.trim()

/** The middle of numbers in any order. */
export const medianOf = (values: number[]) =>
  percentile(
    [...values].sort((one, other) => one - other),
    0.5,
  )
