import { useEffect, useState } from 'preact/hooks'

/** How often what is shown is asked for again; unchanged answers come without their bytes. */
const REFRESH_MS = 10_000

/**
 * What is known of an answer. A failure never stands beside figures that were right once: they could be wrong by now, and
 * the page says so in their place.
 */
export type Asked<Answer> =
  | { state: 'loading' }
  | { state: 'shown'; answer: Answer; at: Date }
  | { state: 'failed'; failure: unknown }

/**
 * Asks the service, and again from time to time as long as the page is looked at.
 *
 * @param ask must give up when its signal says so.
 * @param key says what is asked: another one asks at once, and shows nothing until there is an answer.
 */
export function useAsked<Answer>(ask: (signal: AbortSignal) => Promise<Answer>, key: string): Asked<Answer> {
  const [known, setKnown] = useState<{ key: string; asked: Asked<Answer> }>({ key, asked: { state: 'loading' } })
  useEffect(() => {
    const left = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const tell = (asked: Asked<Answer>) => {
      if (!left.signal.aborted) setKnown({ key, asked })
    }
    async function askAndWait() {
      clearTimeout(timer)
      if (!document.hidden) {
        await ask(left.signal).then(
          (answer) => tell({ state: 'shown', answer, at: new Date() }),
          (failure: unknown) => tell({ state: 'failed', failure }),
        )
      }
      if (!left.signal.aborted) timer = setTimeout(() => void askAndWait(), REFRESH_MS)
    }
    const onVisible = () => {
      if (!document.hidden) void askAndWait()
    }
    document.addEventListener('visibilitychange', onVisible, { signal: left.signal })
    void askAndWait()
    return () => {
      left.abort()
      clearTimeout(timer)
    }
  }, [key])
  return known.key === key ? known.asked : { state: 'loading' }
}
