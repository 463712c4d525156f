import { useEffect, useState } from 'preact/hooks'

/** When the service made what it answers while its database is away; absent: it answers what is. */
let asOf: Date | undefined

const listeners = new Set<(asOf: Date | undefined) => void>()

/** Takes note whether an answer is one that was kept for when the database is away. */
export function noteAge({ ok, status, headers }: Response) {
  if (!ok && status !== 304) return
  const isStale = headers.get('cache-status')?.includes('fwd=stale') === true
  asOf = isStale ? new Date(Date.now() - Number(headers.get('age') ?? 0) * 1000) : undefined
  for (const listener of listeners) listener(asOf)
}

/** Since when the figures of the service stand still, as its last answer said. */
export function useStaleSince(): Date | undefined {
  const [since, setSince] = useState(asOf)
  useEffect(() => {
    listeners.add(setSince)
    return () => {
      listeners.delete(setSince)
    }
  }, [])
  return since
}
