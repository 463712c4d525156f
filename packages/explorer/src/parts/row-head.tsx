import type { ComponentChildren } from 'preact'
import { Mark } from './name.tsx'

/** How a row of a ranking begins: its place, a mark of what it is about, and what that is. */
export function RowHead({ rank, mark, children }: { rank: number; mark: string; children: ComponentChildren }) {
  return (
    <div class="who">
      <span class="rank" aria-hidden="true">
        {rank}
      </span>
      <Mark text={mark} />
      <div>{children}</div>
    </div>
  )
}
