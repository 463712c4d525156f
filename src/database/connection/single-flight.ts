/** How long a question may take before another is asked beside it: that one may be on a connection that is lost. */
const TIMEOUT_MS = 100

/**
 * Has a question asked for all who come while the one before is under way, once that has been answered. Nobody joins one
 * that has already been asked: what that one sees may be older than who comes. So each waits for two answers at the most,
 * and the more come, the more share one.
 */
export function coalesceNext<T>(ask: () => Promise<T>): () => Promise<T> {
  let before: Promise<unknown> | undefined
  let next: Promise<T> | undefined

  async function runNext() {
    await before
    // All who come in one turn of the event loop share one, also where the one before has just ended.
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

/** Until there is an outcome, or has not been one for too long. */
const settled = (response: Promise<unknown>) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, TIMEOUT_MS)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    response.then(end, end)
  })
