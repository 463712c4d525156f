import { useEffect, useState } from 'preact/hooks'
import { AbsoluteTime, RelativeTime } from '../parts/times.tsx'
import { onStaleness, staleSince } from './staleness.ts'

/** What the service keeps for when its database is unreachable is right for its time only. */
export function StaleNotice() {
  const [since, setSince] = useState(staleSince)
  useEffect(() => onStaleness(() => setSince(staleSince)), [])
  return (
    <div role="status">
      {since !== undefined && (
        <p class="notice">
          The database of the service is unreachable. The data is from <AbsoluteTime at={since} />,{' '}
          <RelativeTime at={since} />.
        </p>
      )}
    </div>
  )
}
