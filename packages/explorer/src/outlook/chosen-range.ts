const DAY_MS = 86_400_000

/** Days (`2026-01-31`) in UTC, both in it. */
export interface ChosenRange {
  from: string
  to: string
}

/** The range that an address names, in whichever order; undefined where it names none that there is. */
export function chosenRange({ from = '', to = '' }: Readonly<Record<string, string>>): ChosenRange | undefined {
  const isDay = (text: string) => /^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}$/.test(text) && !Number.isNaN(Date.parse(text))
  if (!isDay(from) || !isDay(to)) return undefined
  return from <= to ? { from, to } : { from: to, to: from }
}

/** What to ask for a range: by hours where it is short, by weeks where it is long. */
export function rangeQuery({ from, to }: ChosenRange) {
  const until = Date.parse(to) + DAY_MS
  const days = (until - Date.parse(from)) / DAY_MS
  const interval = days <= 14 ? '1h' : days <= 400 ? '1d' : '1w'
  return { since: new Date(from).toISOString(), until: new Date(until).toISOString(), interval } as const
}
