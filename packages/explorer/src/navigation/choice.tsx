import { useLocation } from 'preact-iso'
import { withQuery } from './page-query.ts'

/**
 * One of a few ways to look at a page, each a link, so that it can be shared, gone back to, and opened beside.
 *
 * @param name of the parameter in the address of the page; the first option is the one without it.
 */
export function Choice({
  legend,
  name,
  options,
  chosen,
}: {
  legend: string
  name: string
  options: readonly (readonly [value: string, title: string])[]
  chosen: string
}) {
  const { url } = useLocation()
  return (
    <nav class="choice" aria-label={legend}>
      <span class="legend" aria-hidden="true">
        {legend}
      </span>
      <ul>
        {options.map(([value, title], index) => (
          <li key={value}>
            <a
              href={withQuery(url, { [name]: index === 0 ? undefined : value, page: undefined, cursor: undefined })}
              aria-current={value === chosen ? 'true' : undefined}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The option that the address names; the first where it names none of them. */
export function chosenOf<Value extends string>(
  options: readonly (readonly [value: Value, title: string])[],
  named: string | undefined,
): Value {
  const found = options.find(([value]) => value === named) ?? options[0]
  if (found === undefined) throw new RangeError('a choice needs an option')
  return found[0]
}
