import { type Movement, movementInWords, movementOf } from './movement.ts'

const SIGNS = { up: '▲', down: '▼', same: '=', new: '●' } as const

/** How a figure has moved since the window before. @param told the figure before, as it is shown. */
export function MovementShown({ now, before, told }: { now: number; before: number; told: string }) {
  const movement: Movement = movementOf(now, before)
  const words = movementInWords(movement, told)
  return (
    <span class={`movement ${movement.direction}`} title={words}>
      <span aria-hidden="true">
        {SIGNS[movement.direction]} {movement.change ?? (movement.direction === 'new' ? 'new' : '')}
      </span>
      <span class="hidden">{words}</span>
    </span>
  )
}
