/**
 * Returns a function that runs work one after the other, in the order of the calls, whether or not earlier work fails.
 */
export function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work)
    last = done
    return done
  }
}
