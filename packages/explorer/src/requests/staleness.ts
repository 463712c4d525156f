/** When the service made what it answers while its database is unreachable; absent: it answers what is. */
let asOf: Date | undefined

const listeners = new Set<() => void>()

/** Takes note whether a response is one that was kept for when the database is unreachable. */
export function recordAge({ ok, status, headers }: Response) {
  if (!ok && status !== 304) return
  const isStale = headers.get('cache-status')?.includes('fwd=stale') === true
  asOf = isStale ? new Date(Date.now() - Number(headers.get('age') ?? 0) * 1000) : undefined
  for (const listener of listeners) listener()
}

/** Since when the figures of the service stand still, as its last answer said. */
export const staleSince = () => asOf

/** @returns what ends it. */
export function onStaleness(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
