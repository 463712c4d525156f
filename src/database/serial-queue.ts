/** Returns what does work one after the other, in the order in which it is asked for, whatever becomes of what was before. */
export function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work)
    last = done
    return done
  }
}
