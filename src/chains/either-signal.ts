/**
 * A signal that comes with either of two. It lets go of both when it comes, which `AbortSignal.any` does not: the one that
 * ends the process would remember each look at a chain.
 */
export function eitherSignal(one: AbortSignal, other: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const both = [one, other]
  const come = () => {
    for (const signal of both) signal.removeEventListener('abort', come)
    controller.abort(both.find(({ aborted }) => aborted)?.reason)
  }
  for (const signal of both) signal.addEventListener('abort', come)
  if (one.aborted || other.aborted) come()
  return controller.signal
}
