import { servicePath } from '../navigation/service-path.ts'
import { Heading } from '../parts/heading.tsx'

/** A path inside the explorer that has no page. The service has a page of its own for those that are loaded. */
export function NotFoundPage() {
  return (
    <>
      <Heading title="Page not found" />
      <p class="lead">
        There is no page at this address. <a href={servicePath('/')}>The first page</a> and{' '}
        <a href={servicePath('/explorer/campaigns')}>all campaigns</a> are there.
      </p>
    </>
  )
}
