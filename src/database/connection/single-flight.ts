/** How long a query may take before another is sent beside it: its connection may be lost. */
const TIMEOUT_MS = 100

/**
 * Sends one query for all callers that arrive while the query before it is under way, after that one has ended. Nobody
 * joins a query that has been sent, whose snapshot may be older than the caller. So each caller waits for at most two
 * queries, and the more callers, the more share one.
 */
export function coalesceNext<T>(ask: () => Promise<T>): () => Promise<T> {
  let before: Promise<unknown> | undefined
  let next: Promise<T> | undefined

  async function runNext() {
    await before
    // Callers of one turn of the event loop share a query, also if the one before has just ended.
    await new Promise<void>((resolve) => setImmediate(resolve))
    next = undefined
    const response = ask()
    const isOver = settled(response)
    before = isOver
    void isOver.then(() => {
      if (before === isOver) before = undefined
    })
    return response
  }

  return () => {
    next ??= runNext()
    return next
  }
}

/** Settles with the work, or when it has taken too long. */
const settled = (response: Promise<unknown>) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, TIMEOUT_MS)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    response.then(end, end)
  })
