import { useEffect, useState } from 'preact/hooks'
import { absoluteTime, day, exactTime, relativeTime, remaining, toMoment } from '../texts/format-times.ts'

/** How often relative times are told again. */
const TICK_MS = 5_000

/** The time, and again from time to time. */
function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}

interface TimeProps {
  /** ISO 8601 or Unix seconds, as the service writes them. */
  at: string | Date
}

/** How long ago, or how soon: `3 minutes ago`. */
export function RelativeTime({ at }: TimeProps) {
  const now = useNow()
  return <Time at={at} format={(moment) => relativeTime(moment, now)} />
}

/** Date and time where the visitor is. */
export function AbsoluteTime({ at }: TimeProps) {
  return <Time at={at} format={absoluteTime} />
}

/** The day, where the visitor is. */
export function Day({ at }: TimeProps) {
  const now = useNow()
  return <Time at={at} format={(moment) => day(moment, now)} />
}

/** How long it is until then: `2 days`. */
export function Remaining({ until }: { until: string }) {
  const now = useNow()
  return <Time at={until} format={(moment) => remaining(moment, now)} />
}

function Time({ at, format }: TimeProps & { format: (moment: Date) => string }) {
  const moment = toMoment(at)
  // A chain may say anything.
  if (moment === undefined) return <span>{String(at)}</span>
  return (
    <time dateTime={moment.toISOString()} title={exactTime(moment)}>
      {format(moment)}
    </time>
  )
}
