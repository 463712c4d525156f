import { type Chip, withoutFilters } from './filter-chips.ts'

/** What the list is filtered by, each to be taken away. */
export function Chips({
  chips,
  parameters,
  leave,
}: {
  chips: Chip[]
  parameters: URLSearchParams
  /** Goes to another list. */
  leave: (url: string) => void
}) {
  if (chips.length === 0) return null
  return (
    <ul class="chips" aria-label="Filters that are set">
      {chips.map(({ label, value, without }) => (
        <li key={`${label} ${value}`} class="chip">
          <bdi title={value}>{value === undefined ? label : `${label}: ${value}`}</bdi>
          <button type="button" onClick={() => leave(without)}>
            <span aria-hidden="true">×</span>
            <span class="hidden">
              Remove {label} {value}
            </span>
          </button>
        </li>
      ))}
      <li>
        <button type="button" class="plain" onClick={() => leave(withoutFilters(parameters))}>
          Clear all
        </button>
      </li>
    </ul>
  )
}
