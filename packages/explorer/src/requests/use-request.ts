import { useEffect, useState } from 'preact/hooks'
import { isLive, onChange } from './live-changes.ts'
import { pollRequest, type RequestState } from './poll-request.ts'
import { lookup, store } from './response-memory.ts'

/** How often what is shown is asked for again; unchanged answers come without their bytes. */
const REFRESH_MS = 10_000

/** The same where changes are told: what the clock changes is not among them. */
const LIVE_REFRESH_MS = 60_000

/**
 * Asks the service, and again from time to time as long as the page is looked at.
 *
 * @param send must give up when its signal says so.
 * @param key says what is asked, in all of the pages: another one asks at once, and shows what was answered a moment ago,
 *   or nothing, until there is a response.
 * @param everyMs of what is no matter of changes: then it is only polled.
 */
export function useRequest<ResponseOf>(
  send: (signal: AbortSignal) => Promise<ResponseOf>,
  key: string,
  everyMs?: number,
): RequestState<ResponseOf> {
  const [known, setKnown] = useState<{ key: string; state: RequestState<ResponseOf> }>()
  useEffect(() => {
    const rpcCall = pollRequest(
      send,
      (state) => {
        store(key, state)
        setKnown({ key, state })
      },
      () => !document.hidden,
      () => everyMs ?? (isLive() ? LIVE_REFRESH_MS : REFRESH_MS),
    )
    const endChanges = everyMs === undefined ? onChange(rpcCall.refresh) : undefined
    document.addEventListener('visibilitychange', rpcCall.retryNow)
    // The network is back.
    addEventListener('online', rpcCall.retryNow)
    return () => {
      document.removeEventListener('visibilitychange', rpcCall.retryNow)
      removeEventListener('online', rpcCall.retryNow)
      endChanges?.()
      rpcCall.stop()
    }
  }, [key])
  return known?.key === key ? known.state : lookup(key)
}
