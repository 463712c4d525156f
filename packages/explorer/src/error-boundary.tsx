import type { ComponentChildren } from 'preact'
import { useErrorBoundary, useLayoutEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'

/** A page that cannot show something says so; the way to the others stays. */
export function Guard({ children }: { children: ComponentChildren }) {
  const { url } = useLocation()
  const [error, forget] = useErrorBoundary((failure) => console.error(failure))
  // Before the layout looks for the heading of the page.
  useLayoutEffect(forget, [url])
  if (error === undefined) return <>{children}</>
  return (
    <div class="failure" role="alert">
      <h1 tabIndex={-1}>This cannot be shown</h1>
      <p>This page has an error. The data is not affected: the API documentation says how to request it.</p>
    </div>
  )
}
