import { useContext } from 'preact/hooks'
import { chainName, knownChainIds } from '../../../texts/chain-names.ts'
import { groupDigits } from '../../../texts/format-numbers.ts'
import { Counts } from './facet-counts.ts'
import { optionsOf } from './facet-options.ts'

/**
 * The chain of the campaigns, those with most of them first, or of the contract that they act on.
 *
 * @param isOfContract then the counts, of the chains where campaigns were created, say nothing of it.
 */
export function ChainChoice({ chosen, isOfContract }: { chosen: string; isOfContract: boolean }) {
  const counted = optionsOf('chainId', [chosen], useContext(Counts))
  const others = knownChainIds.map(String).filter((id) => counted.every(({ value }) => value !== id))
  return (
    <label class="field">
      Chain
      <select name="chainId" value={chosen}>
        <option value="">Any</option>
        {counted.map(({ value, count }) => (
          <option key={value} value={value}>
            {nameOf(value)}
            {!isOfContract && count !== undefined && ` (${groupDigits(String(count))})`}
          </option>
        ))}
        {others.map((id) => (
          <option key={id} value={id}>
            {nameOf(id)}
          </option>
        ))}
      </select>
    </label>
  )
}

const nameOf = (id: string) => (/^[0-9]+$/.test(id) ? chainName(Number(id)) : id)
