/** How a figure stands to that of the window before. */
export interface Movement {
  direction: 'up' | 'down' | 'same' | 'new'
  /** `12%`; absent where there was nothing before, or nothing has changed. */
  change?: string
}

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 })
/** From here on percents say less than how many times as much it is. */
const MANY_TIMES = 10
const times = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 2 })

/** @param now figure of this window. @param before that of the window before. Neither is negative. */
export function movementOf(now: number, before: number): Movement {
  if (now === before) return { direction: 'same' }
  if (before === 0) return { direction: 'new' }
  const ratio = now / before
  return {
    direction: ratio > 1 ? 'up' : 'down',
    change: ratio >= MANY_TIMES ? `${times.format(ratio)}×` : percent.format(Math.abs(ratio - 1)),
  }
}

/** The same in words: `up 12%`. @param shown the figure of the window before, as it is shown. */
export function movementInWords({ direction, change }: Movement, shown: string): string {
  if (direction === 'same') return `the same as in the window before`
  if (direction === 'new') return 'none in the window before'
  return change?.endsWith('×')
    ? `${change.slice(0, -1)} times the ${shown} of the window before`
    : `${direction} ${change} from ${shown} in the window before`
}
