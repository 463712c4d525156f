import { useEffect, useState } from 'preact/hooks'
import { pollRequest, type RequestState } from './poll-request.ts'
import { lookup, remember } from './response-memory.ts'

/** How often what is shown is asked for again; unchanged answers come without their bytes. */
const REFRESH_MS = 10_000

/**
 * Asks the service, and again from time to time as long as the page is looked at.
 *
 * @param ask must give up when its signal says so.
 * @param key says what is asked, in all of the pages: another one asks at once, and shows what was answered a moment ago,
 *   or nothing, until there is a response.
 */
export function useRequest<ResponseOf>(
  ask: (signal: AbortSignal) => Promise<ResponseOf>,
  key: string,
  everyMs = REFRESH_MS,
): RequestState<ResponseOf> {
  const [known, setKnown] = useState<{ key: string; asked: RequestState<ResponseOf> }>()
  useEffect(() => {
    const rpcCall = pollRequest(
      ask,
      (asked) => {
        remember(key, asked)
        setKnown({ key, asked })
      },
      () => !document.hidden,
      everyMs,
    )
    document.addEventListener('visibilitychange', rpcCall.retryNow)
    // The network is back.
    addEventListener('online', rpcCall.retryNow)
    return () => {
      document.removeEventListener('visibilitychange', rpcCall.retryNow)
      removeEventListener('online', rpcCall.retryNow)
      rpcCall.stop()
    }
  }, [key])
  return known?.key === key ? known.asked : lookup(key)
}
