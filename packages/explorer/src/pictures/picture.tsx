import { useState } from 'preact/hooks'
import { Mark } from '../parts/name.tsx'
import { firstPicture } from './picture-urls.ts'

/** Of pictures and letters, in pixels; small ones stand in a line of text. */
const SIZE = 36
const SMALL_SIZE = 20

/** Hosts that pages may load pictures from; the page that the service sends names them. */
const imageHosts = document.documentElement.dataset.imageHosts?.split(' ') ?? []

/**
 * A picture of what a row or a page is about, over the letter that stands for it until it is there, and where there is none.
 * What it shows is said beside it.
 *
 * @param uris as records name them, the best first.
 */
export function Picture({
  text,
  uris,
  isSmall = false,
}: {
  text: string
  uris: readonly (string | null | undefined)[]
  isSmall?: boolean
}) {
  const size = isSmall ? SMALL_SIZE : SIZE
  const url = firstPicture(uris, imageHosts)
  const [failed, setFailed] = useState<string>()
  return (
    <span class={isSmall ? 'picture small' : 'picture'}>
      <Mark text={text} />
      {url !== undefined && url !== failed && (
        <img
          key={url}
          src={url}
          width={size}
          height={size}
          alt=""
          loading="lazy"
          decoding="async"
          referrerpolicy="no-referrer"
          onError={() => setFailed(url)}
        />
      )}
    </span>
  )
}
