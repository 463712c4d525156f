const relatively = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' })
const absolutely = new Intl.DateTimeFormat('en', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
})
const toTheSecond = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' })

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 365.25 * 86_400],
  ['month', 30.4 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** A moment as the service writes it: ISO 8601, or Unix seconds as decimal digits. Absent where no calendar has it. */
export function toMoment(written: string | Date): Date | undefined {
  const moment =
    typeof written === 'string' && /^[0-9]+$/.test(written) ? new Date(Number(written) * 1000) : new Date(written)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}

/** `3 minutes ago`, `in 2 days`: the largest unit of which there are two, rounded toward now. */
export function relativeTime(moment: Date, now: Date): string {
  const seconds = (moment.getTime() - now.getTime()) / 1000
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= 2 * length) ?? ['second', 1]
  const amount = Math.trunc(seconds / length)
  return unit === 'second' && Math.abs(amount) < 5 ? 'just now' : relatively.format(amount, unit)
}

/** `2 days`: how long it is until a moment; `a moment` where it is there. */
export function remaining(moment: Date, now: Date): string {
  const seconds = (moment.getTime() - now.getTime()) / 1000
  const [unit, length] = UNITS.find(([, length]) => seconds >= 2 * length) ?? ['minute', 60]
  const amount = Math.floor(seconds / length)
  return amount < 1 ? 'a moment' : `${amount} ${unit}${amount === 1 ? '' : 's'}`
}

/** `Dec 3`, with the year where it is another one. */
export const day = (moment: Date, now: Date) =>
  moment.toLocaleDateString('en', {
    month: 'short',
    day: 'numeric',
    ...(moment.getFullYear() !== now.getFullYear() && { year: 'numeric' }),
  })

/** `Nov 22, 2026, 7:40 AM UTC`, where the visitor is. */
export const absoluteTime = (moment: Date) => absolutely.format(moment)

/** `Nov 22, 2026, 7:40:12 AM UTC`, where the visitor is. */
export const exactTime = (moment: Date) => toTheSecond.format(moment)

/** `42 s`, `5 min`, `3 h`, `2 d`: for columns of figures. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 2 * 3_600) return `${Math.floor(seconds / 60)} min`
  return seconds < 2 * 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`
}
