import type { RequestState } from './poll-request.ts'

/** Older responses are asked for again before anything is shown. */
const MAX_AGE_MS = 30_000

/** The pages that somebody goes back to; a response can be large. */
const MAX_RESPONSES = 20

const responses = new Map<string, RequestState<unknown> & { state: 'shown' }>()

/** Keeps a response for who goes back to it soon, and none that a failure has followed. */
export function store(key: string, state: RequestState<unknown>) {
  responses.delete(key)
  if (state.state !== 'shown') return
  responses.set(key, state)
  const [oldest = key] = responses.keys()
  if (responses.size > MAX_RESPONSES) responses.delete(oldest)
}

/** The last response under a key, if it is recent. What is asked under a key always has the same type. */
export function lookup<ResponseOf>(key: string): RequestState<ResponseOf> {
  const known = responses.get(key) as (RequestState<ResponseOf> & { state: 'shown' }) | undefined
  return known !== undefined && Date.now() - known.at.getTime() < MAX_AGE_MS ? known : { state: 'loading' }
}
