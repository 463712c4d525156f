import { type Movement, movementInWords, movementOf } from '../texts/percent-change.ts'

const SIGNS = { up: '▲', down: '▼', same: '=', new: '●' } as const

/** How a figure has moved since the window before. @param shown the figure before, as it is shown. */
export function PercentChangeLabel({ now, before, shown }: { now: number; before: number; shown: string }) {
  const movement: Movement = movementOf(now, before)
  const words = movementInWords(movement, shown)
  return (
    <span class={`movement ${movement.direction}`} title={words}>
      <span aria-hidden="true">
        {SIGNS[movement.direction]} {movement.change ?? (movement.direction === 'new' ? 'new' : '')}
      </span>
      <span class="hidden">{words}</span>
    </span>
  )
}
