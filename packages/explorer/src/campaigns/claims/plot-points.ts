import type { ResponseOf } from 'reward-campaigns-client'
import { counted } from '../prose.ts'

type Activity = ResponseOf<'listActivity'>

/** As much of the time as tells the intervals of a range apart: they begin at any minute. */
const TIME: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' }
const DAY: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric', ...TIME }
/** Days and weeks are those of UTC. */
const DATE: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' }
const WHEN: Readonly<Record<NonNullable<Activity['timeRange']>, Intl.DateTimeFormatOptions>> = {
  '1h': TIME,
  '24h': { weekday: 'short', ...TIME },
  '7d': DAY,
  '30d': DAY,
}

/** Values of intervals with the time at which each begins. @param timeZone absent: that of the visitor. */
export function plotPoints(
  {
    timeRange,
    interval,
    since,
    intervalSeconds,
  }: Pick<Activity, 'timeRange' | 'interval' | 'since' | 'intervalSeconds'>,
  values: readonly number[],
  timeZone?: string,
): { when: string; value: number }[] {
  const options = timeRange !== undefined ? WHEN[timeRange] : interval === '1h' ? DAY : DATE
  const format = new Intl.DateTimeFormat('en', { ...(timeZone !== undefined && { timeZone }), ...options })
  const start = new Date(since).getTime()
  return values.map((value, index) => ({
    when: format.format(start + index * intervalSeconds * 1000),
    value,
  }))
}

/** What of a range a plot is titled with. @param range as a choice names it: `24 hours`, `1 hour`. */
export function plotTitle(range: string, totalClaims: number, before: number): string {
  const time = range.replace(/^1 /, '')
  const claims = totalClaims === 0 ? 'No claims' : counted(totalClaims, 'claim')
  return `${claims} in the last ${time}, ${before === 0 ? 'none' : before.toLocaleString('en')} in the ${time} before`
}

/** The same of chosen days. */
export const rangeTitle = ({ from, to }: { from: string; to: string }, totalClaims: number) =>
  `${totalClaims === 0 ? 'No claims' : counted(totalClaims, 'claim')} from ${from} to ${to} (UTC)`
