import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Footer } from './footer.tsx'
import { PREFIX, servicePath } from './navigation/service-path.ts'
import { hasAddressLookups } from './users/user-link.tsx'

const USERS = '/explorer/users'

const PAGES = [
  ['/', 'Earn'],
  ['/explorer/campaigns', 'Campaigns'],
  ['/explorer/contracts', 'Contracts'],
  [USERS, 'Rewards'],
  ['/explorer/chains', 'Chains'],
] as const

/** What every page has around it: the way to the others and to the documentation, and how fresh it is. */
export function Layout({ children }: { children: ComponentChildren }) {
  const { path, url } = useLocation()
  const main = useRef<HTMLElement>(null)
  const shownPath = useRef<string | undefined>(undefined)
  useEffect(() => {
    const before = shownPath.current
    shownPath.current = path
    // On another page, who uses a keyboard or a screen reader starts at its heading; and where what was chosen has gone
    // with the choice, too.
    if (before === undefined || (before === path && document.activeElement !== document.body)) return
    const heading = main.current?.querySelector('h1') ?? main.current
    heading?.focus({ preventScroll: true })
  }, [url])
  const shown = path.slice(PREFIX.length)
  const isAt = (page: string) => (page === '/' ? shown === '' || shown === '/' : shown.startsWith(page))
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <header class="top">
        <div>
          <a class="name" href={servicePath('/')}>
            <svg aria-hidden="true" viewBox="0 0 16 16">
              <circle cx="8" cy="8" r="7" />
              <path d="M5 8.5 7 10.5 11 6" />
            </svg>
            Reward Campaigns
          </a>
          <nav aria-label="Pages">
            {PAGES.filter(([page]) => page !== USERS || hasAddressLookups()).map(([page, title]) => (
              <a key={page} href={servicePath(page)} aria-current={isAt(page) ? 'page' : undefined}>
                {title}
              </a>
            ))}
            <a class="docs" href={servicePath('/docs')}>
              Docs
            </a>
          </nav>
        </div>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        {children}
      </main>
      <Footer />
    </>
  )
}
