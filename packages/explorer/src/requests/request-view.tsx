import { servicePath } from '../navigation/service-path.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { asClientCode, asCurl, type RequestMade, requestPath } from './request-text.ts'

/** The request behind what is shown, to be made elsewhere: as a link, as a command line, as code. */
export function RequestView({ request }: { request: RequestMade }) {
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
