import { setMaxListeners } from 'node:events'

/*
 * Work that ends in time, or with whoever wants it. Not by `AbortSignal.any`: in Node.js 20 the garbage collector takes an
 * `AbortSignal.timeout` that only such a signal refers to, and the work never ends; and each leaves something behind at a
 * signal that lives as long as the process.
 */

/** Lets as much work as there is end with a signal: Node.js warns of more than ten listeners. */
export const allowListeners = (signal: AbortSignal) => setMaxListeners(0, signal)

/** A signal that follows either of two, and detaches from both when it fires. */
export function eitherSignal(one: AbortSignal, other: AbortSignal): AbortSignal {
  const controller = new AbortController()
  allowListeners(controller.signal)
  const both = [one, other]
  const follow = () => {
    for (const signal of both) signal.removeEventListener('abort', follow)
    controller.abort(both.find(({ aborted }) => aborted)?.reason)
  }
  for (const signal of both) signal.addEventListener('abort', follow)
  if (one.aborted || other.aborted) follow()
  return controller.signal
}

/**
 * Does some work with a signal that fires with another one, with its reason, and after some time, with a `TimeoutError`.
 * When the work has ended, nothing of the signal is left.
 */
export async function withDeadline<Result>(
  maxMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(new DOMException(`not done within ${maxMs} ms`, 'TimeoutError')), maxMs)
  try {
    return await work(signal === undefined ? ended.signal : eitherSignal(signal, ended.signal))
  } finally {
    clearTimeout(timer)
    ended.abort()
  }
}

/** Whether work ended because its time was over. */
export const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError'
