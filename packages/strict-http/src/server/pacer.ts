/**
 * Limits how many go on in one turn of the event loop: each waits until it may.
 */
export function createPacer(count: number) {
  const waiting: (() => void)[] = []

  function open() {
    for (const go of waiting.splice(0, count)) go()
    if (waiting.length > 0) setImmediate(open)
  }

  return () =>
    new Promise<void>((resolve) => {
      if (waiting.length === 0) setImmediate(open)
      waiting.push(resolve)
    })
}
