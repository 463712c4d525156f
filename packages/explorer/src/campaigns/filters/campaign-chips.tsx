import { Chips } from '../../navigation/chips.tsx'
import { shortenHex } from '../../texts/shorten-hex.ts'
import { chipsOf, withoutFilters } from './filter-chips.ts'

/** What the list is filtered by, each to be taken away, and all at once. */
export function CampaignChips({ parameters }: { parameters: URLSearchParams }) {
  const chips = chipsOf(parameters)
  if (chips.length === 0) return null
  return (
    <div class="filtered">
      <Chips
        chips={chips.map(({ label, without }) => ({ label: label.replace(/0x[0-9a-f]{40}/gi, shortenHex), without }))}
      />
      <p>
        <a href={withoutFilters(parameters)}>Clear all filters</a>
      </p>
    </div>
  )
}
