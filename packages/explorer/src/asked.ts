import { useEffect, useState } from 'preact/hooks'
import { type Asked, keepAsking } from './asking.ts'
import { recall, remember } from './remembered.ts'

/** How often what is shown is asked for again; unchanged answers come without their bytes. */
const REFRESH_MS = 10_000

/**
 * Asks the service, and again from time to time as long as the page is looked at.
 *
 * @param ask must give up when its signal says so.
 * @param key says what is asked, in all of the pages: another one asks at once, and shows what was answered a moment ago,
 *   or nothing, until there is an answer.
 */
export function useAsked<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  key: string,
  everyMs = REFRESH_MS,
): Asked<Answer> {
  const [known, setKnown] = useState<{ key: string; asked: Asked<Answer> }>()
  useEffect(() => {
    const asking = keepAsking(
      ask,
      (asked) => {
        remember(key, asked)
        setKnown({ key, asked })
      },
      () => !document.hidden,
      everyMs,
    )
    document.addEventListener('visibilitychange', asking.lookAgain)
    // The network is back.
    addEventListener('online', asking.lookAgain)
    return () => {
      document.removeEventListener('visibilitychange', asking.lookAgain)
      removeEventListener('online', asking.lookAgain)
      asking.stop()
    }
  }, [key])
  return known?.key === key ? known.asked : recall(key)
}
