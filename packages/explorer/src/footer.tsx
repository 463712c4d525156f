import { useEffect, useState } from 'preact/hooks'
import { servicePath } from './navigation/service-path.ts'
import { ChainLabel } from './parts/chain-label.tsx'
import { RelativeTime } from './parts/times.tsx'
import { isLive, onChange } from './requests/live-changes.ts'
import { client } from './requests/service.ts'
import { onStaleness, staleSince } from './requests/staleness.ts'
import { useRequest } from './requests/use-request.ts'
import { groupDigits } from './texts/format-numbers.ts'

/** How often the indexing status is asked for: blocks are no changes. */
const STATUS_REFRESH_MS = 10_000

/** How fresh what is shown is: as of which block of which chain. */
export function Footer() {
  const request = useRequest((signal) => client.getStatus({ signal }), 'status', STATUS_REFRESH_MS)
  const [live, setLive] = useState(isLive)
  useEffect(() => onChange(() => setLive(isLive())), [])
  const [since, setSince] = useState(staleSince)
  useEffect(() => onStaleness(() => setSince(staleSince)), [])
  const isShown = request.state === 'shown'
  const chains = isShown ? request.response.chains.filter(({ asOfBlock }) => asOfBlock !== null) : []
  return (
    <footer class="foot">
      <div>
        {request.state === 'loading' && 'Loading indexing status…'}
        {request.state === 'failed' && 'The indexing status is not available at the moment.'}
        {isShown && chains.length === 0 && 'Imported data; no chain is indexed.'}
        {chains.length > 0 && (
          <ul class="as-of" aria-label="As of">
            {chains.map(({ chainId, asOfBlock, asOfTime }) => (
              <li key={chainId}>
                <ChainLabel chainId={chainId} /> as of block <span class="figure">{groupDigits(asOfBlock ?? '')}</span>
                {asOfTime !== null && (
                  <>
                    , <RelativeTime at={asOfTime} />
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
      <p>
        <a href={servicePath('/openapi.json')}>OpenAPI</a>
        {live && isShown && since === undefined && (
          <span title="What is shown changes as soon as the data does">Live</span>
        )}
        {isShown && <span>Version {request.response.version}</span>}
      </p>
    </footer>
  )
}
