import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'

const PAGES = [
  ['/', 'Trending'],
  ['/explorer/campaigns', 'Campaigns'],
  ['/explorer/contracts', 'Contracts'],
  ['/explorer/chains', 'Chains'],
] as const

/** What every page has around it: the way to the others and to the documentation. */
export function Layout({ children }: { children: ComponentChildren }) {
  const { path } = useLocation()
  const isAt = (page: string) => (page === '/' ? path === '/' : path.startsWith(page))
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <header class="top">
        <a class="name" href="/">
          Reward Campaigns
        </a>
        <nav aria-label="Pages">
          {PAGES.map(([page, title]) => (
            <a key={page} href={page} aria-current={isAt(page) ? 'page' : undefined}>
              {title}
            </a>
          ))}
          {/* Not a page of this script: the browser loads it. */}
          <a href="/docs" target="_self">
            Docs
          </a>
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}
