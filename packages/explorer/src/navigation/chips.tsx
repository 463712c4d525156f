/** A filter that is set, and the address of the page without it. */
export interface Chip {
  label: string
  without: string
}

/** What is filtered by; each is taken away by a click. */
export function Chips({ chips }: { chips: readonly Chip[] }) {
  if (chips.length === 0) return null
  return (
    <ul class="chips" aria-label="Filters that are set">
      {chips.map(({ label, without }) => (
        <li key={label}>
          <a href={without}>
            <bdi>{label}</bdi> <span aria-hidden="true">×</span>
            <span class="hidden">, remove</span>
          </a>
        </li>
      ))}
    </ul>
  )
}
