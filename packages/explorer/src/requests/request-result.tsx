import type { ComponentChildren } from 'preact'
import { ServiceError } from 'reward-campaigns-client'
import type { RequestState } from './poll-request.ts'
import { StaleNotice } from './stale-notice.tsx'

/**
 * Shows a response, or that it is on its way, or why there is none.
 *
 * @param lines about how many rows the response will have: their place is kept.
 */
export function Shown<ResponseOf>({
  request,
  lines = 3,
  children,
}: {
  request: RequestState<ResponseOf>
  lines?: number
  children: (response: ResponseOf, at: Date) => ComponentChildren
}) {
  if (request.state === 'loading') return <Waiting lines={lines} />
  if (request.state === 'failed') return <Failure failure={request.failure} />
  return (
    <>
      <StaleNotice />
      {children(request.response, request.at)}
    </>
  )
}

/** There is a response, and nothing in it. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>
}

function Waiting({ lines }: { lines: number }) {
  return (
    <div class="waiting">
      <p class="hidden" role="status">
        Loading…
      </p>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} aria-hidden="true" />
      ))}
    </div>
  )
}

/** Nothing is shown, so that nothing wrong is. */
function Failure({ failure }: { failure: unknown }) {
  return (
    <div class="failure" role="alert">
      <p class="what">{whatFailed(failure)}</p>
      {failure instanceof ServiceError && (
        <p class="soft">
          Status {failure.status}
          {failure.requestId !== undefined && (
            <>
              , request <code>{failure.requestId}</code>
            </>
          )}
        </p>
      )}
    </div>
  )
}

function whatFailed(failure: unknown): string {
  const again = 'This page retries by itself.'
  if (!(failure instanceof ServiceError)) return `The service cannot be reached. ${again}`
  if (failure.status === 429) return `Too many requests from this address. ${again}`
  if (failure.status < 500) return `${failure.message.charAt(0).toUpperCase()}${failure.message.slice(1)}.`
  return `The service is not available at the moment. ${again}`
}
