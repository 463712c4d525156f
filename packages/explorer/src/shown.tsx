import type { ComponentChildren } from 'preact'
import { ServiceError } from 'reward-campaigns-client'
import type { Asked } from './asked.ts'

/** Shows an answer, or that it is on its way, or why there is none. */
export function Shown<Answer>({
  asked,
  children,
}: {
  asked: Asked<Answer>
  children: (answer: Answer) => ComponentChildren
}) {
  if (asked.state === 'loading') {
    return (
      <p class="waiting" role="status">
        Loading…
      </p>
    )
  }
  if (asked.state === 'failed') return <Failure failure={asked.failure} />
  return <>{children(asked.answer)}</>
}

function Failure({ failure }: { failure: unknown }) {
  const isAnswered = failure instanceof ServiceError
  return (
    <div class="failure" role="alert">
      <p>
        {isAnswered && failure.status < 500
          ? failure.message
          : 'The service cannot say at the moment. Nothing is shown, so that nothing wrong is; this page asks again by itself.'}
      </p>
      {isAnswered && (
        <p class="soft">
          {failure.status}
          {failure.requestId !== undefined && `, request ${failure.requestId}`}
        </p>
      )}
    </div>
  )
}
