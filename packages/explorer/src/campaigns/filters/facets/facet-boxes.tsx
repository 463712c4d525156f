import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { groupDigits } from '../../../texts/format-numbers.ts'
import { Counts } from './facet-counts.ts'
import { type FacetOption, optionsOf } from './facet-options.ts'

/**
 * Values of a filter to choose among, each with how many campaigns it leaves. Folded, it is as high as its title: nothing
 * moves when the counts come.
 */
export function FacetBoxes({
  facet,
  name,
  title,
  chosen,
  titleOf,
}: {
  facet: 'incentiveType' | 'distributionChannel'
  /** Of the parameter. */
  name: string
  title: string
  chosen: readonly string[]
  titleOf: (option: FacetOption) => ComponentChildren
}) {
  const counted = useContext(Counts)
  const options = optionsOf(facet, chosen, counted)
  return (
    <details class="facet">
      <summary>
        {title}
        {chosen.length > 0 && ` (${chosen.length})`}
      </summary>
      <fieldset>
        <legend class="hidden">{title}</legend>
        {options.map((option) => (
          <label key={option.value}>
            <input type="checkbox" name={name} value={option.value} checked={option.isChosen} />
            <span>{titleOf(option)}</span> <Count of={option.count} />
          </label>
        ))}
        {options.length === 0 && <p class="soft">No campaign has any.</p>}
        {counted.facetsWithMore?.includes(facet) && <p class="soft">And others of fewer campaigns.</p>}
      </fieldset>
    </details>
  )
}

export const asWritten = ({ value }: FacetOption) => <bdi>{value}</bdi>

/** How many campaigns a choice leaves; its place is kept while that is not known. */
export function Count({ of }: { of: number | undefined }) {
  return (
    <span class="count">
      {of !== undefined && (
        <>
          <span class="figure">{groupDigits(String(of))}</span>
          <span class="hidden"> campaigns</span>
        </>
      )}
    </span>
  )
}
