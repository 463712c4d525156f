import { servicePath } from '../navigation/service-path.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { asClientCode, asCurl, type RequestMade, requestPath } from './request-text.ts'

/** The requests behind what a page shows, folded into a line. */
export function ApiRequests({ requests }: { requests: readonly RequestMade[] }) {
  return (
    <details class="api">
      <summary>
        API:{' '}
        <span class="soft">
          {requests.length === 1 ? 'the request' : `the ${requests.length} requests`} of this page
        </span>
      </summary>
      {requests.map((request) => (
        <Request key={requestPath(request)} request={request} />
      ))}
    </details>
  )
}

/** A request, to be sent elsewhere: as a link, as a command line, as code. */
function Request({ request }: { request: RequestMade }) {
  const path = requestPath(request)
  const baseUrl = location.origin + servicePath('')
  return (
    <div class="request">
      <p>
        <span class="method">GET</span>{' '}
        <a href={servicePath(path)} target="_blank" rel="noreferrer">
          <code>{path}</code>
          <span class="hidden"> (its response, in a new tab)</span>
        </a>
      </p>
      <p class="copies">
        <CopyButton text={asCurl(request, baseUrl)} label="Copy as curl" what={path} />
        <CopyButton text={asClientCode(request, baseUrl)} label="Copy as client code" what={path} />
      </p>
    </div>
  )
}
