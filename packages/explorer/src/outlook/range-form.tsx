import { useLocation } from 'preact-iso'
import { withQuery } from '../navigation/page-query.ts'
import type { ChosenRange } from './chosen-range.ts'

/** Asks for a range of days, which the address of the page then has. */
export function RangeForm({ range }: { range: ChosenRange | undefined }) {
  const { route, url } = useLocation()
  const onSubmit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    route(withQuery(url, { from: String(form.get('from')), to: String(form.get('to')) }))
  }
  const day = (name: 'from' | 'to', label: string) => (
    <label>
      {label}
      <input type="date" name={name} key={range?.[name]} defaultValue={range?.[name] ?? ''} required />
    </label>
  )
  return (
    <form class="filters" onSubmit={onSubmit} aria-label="Days">
      {day('from', 'From')}
      {day('to', 'To')}
      <button type="submit">Show days</button>
      {range !== undefined && <a href={withQuery(url, { from: undefined, to: undefined })}>Up to now</a>}
    </form>
  )
}
