import { listUrl } from '../campaigns/campaign-query.ts'
import { Count } from '../campaigns/filters/facets/facet-boxes.tsx'
import type { Counted } from '../campaigns/filters/facets/facet-options.ts'
import { chainName } from '../texts/chain-names.ts'
import { brief } from '../texts/truncate-name.ts'

/** What is counted for the links: more of them would not be read. */
export const WAYS_QUERY = { facets: ['chainId' as const, 'actionType' as const], facetSize: 5 }

const WAYS = [
  ['On', 'chainId', (value: string) => chainName(Number(value))],
  ['Do', 'actionType', (value: string) => brief(value)],
] as const

/** The active campaigns by chain and by action, those with most of them first. As high before the counts are there. */
export function WaysIn({ facets }: { facets: Counted['facets'] | undefined }) {
  return (
    <div>
      {WAYS.map(([title, name, toTitle]) => (
        <div key={name} class="way-in">
          <span class="way-title" id={`ways-${name}`}>
            {title}
          </span>
          <ul class="ways" aria-labelledby={`ways-${name}`}>
            {facets?.[name]?.map(({ value, count }) => (
              <li key={value}>
                <a class="way-link" href={listUrl({ [name]: value })}>
                  <bdi>{toTitle(value)}</bdi> <Count of={count} />
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}
