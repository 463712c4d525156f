import type { ComponentChildren } from 'preact'
import { Picture } from '../pictures/picture.tsx'

/** How a row of a ranking begins: its place, a picture or a letter of what it is about, and what that is. */
export function RowHead({
  rank,
  mark,
  pictures = [],
  children,
}: {
  rank: number
  mark: string
  pictures?: readonly (string | null | undefined)[]
  children: ComponentChildren
}) {
  return (
    <div class="who">
      <span class="rank" aria-hidden="true">
        {rank}
      </span>
      <Picture text={mark} uris={pictures} />
      <div>{children}</div>
    </div>
  )
}
