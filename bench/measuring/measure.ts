export async function request(url: string) {
  const response = await fetch(url)
  const body = Buffer.from(await response.arrayBuffer())
  if (!response.ok) throw new Error(`${url}: ${response.status} ${body}`)
  return body
}

/** How long each of several turns takes, in milliseconds, the shortest first. */
export async function timesOf(turns: number, act: () => Promise<unknown>) {
  const times: number[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const start = performance.now()
    await act()
    times.push(performance.now() - start)
  }
  return times.sort((one, other) => one - other)
}

/** The time that a share of the turns keeps below, of sorted times. */
export const percentile = (times: number[], share: number) =>
  times[Math.min(Math.floor(times.length * share), times.length - 1)] ?? Number.NaN

export const print = (what: string, figure: string) => process.stdout.write(`${what}: ${figure}\n`)
export const seconds = (ms: number) => (ms / 1000).toFixed(1)
export const percent = (share: number) => `${Math.round(share * 100)} %`

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
