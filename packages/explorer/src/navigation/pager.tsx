import { useLocation } from 'preact-iso'
import { groupDigits } from '../texts/format-numbers.ts'
import { withQuery } from './page-query.ts'

/** The way to the pages before and after. @param what the entries are: `contracts`. */
export function Pager({
  page,
  pageSize,
  total,
  what,
}: {
  page: number
  pageSize: number
  total: number
  what: string
}) {
  const { url } = useLocation()
  const pages = Math.max(Math.ceil(total / pageSize), 1)
  const first = (page - 1) * pageSize + 1
  const last = Math.min(page * pageSize, total)
  const toTop = ({ ctrlKey, metaKey, shiftKey, altKey }: MouseEvent) => {
    // Otherwise it is opened elsewhere.
    if (ctrlKey || metaKey || shiftKey || altKey) return
    document.querySelector('h1')?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }
  const to = (other: number) => withQuery(url, { page: other === 1 ? undefined : String(other) })
  return (
    <nav class="pager" aria-label="Pages of the list">
      {page > 1 ? (
        <a href={to(Math.min(page - 1, pages))} key="previous" rel="prev" onClick={toTop}>
          Previous
        </a>
      ) : (
        <span class="soft">Previous</span>
      )}
      <span class="figure">
        {first > last
          ? `none of ${groupDigits(String(total))}`
          : `${groupDigits(String(first))}–${groupDigits(String(last))} of ${groupDigits(String(total))}`}{' '}
        {what}
      </span>
      {page < pages ? (
        <a href={to(page + 1)} key="next" rel="next" onClick={toTop}>
          Next
        </a>
      ) : (
        <span class="soft">Next</span>
      )}
    </nav>
  )
}
