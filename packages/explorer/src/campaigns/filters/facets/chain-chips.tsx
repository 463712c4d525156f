import { useContext } from 'preact/hooks'
import { chainName } from '../../../texts/chain-names.ts'
import { ChipLine, FilterChip } from './facet-chips.tsx'
import { Counts } from './facet-counts.ts'
import { optionsOf } from './facet-options.ts'

/**
 * The chain of the campaigns, those with most of them first, or of the contract that they act on.
 *
 * @param isOfContract then the counts, of the chains where campaigns were created, say nothing of it.
 */
export function ChainChips({ chosen, isOfContract }: { chosen: string; isOfContract: boolean }) {
  const options = optionsOf('chainId', [chosen], useContext(Counts))
  return (
    <ChipLine title="Chain">
      <FilterChip type="radio" name="chainId" option={{ value: '', isChosen: chosen === '' }}>
        Any
      </FilterChip>
      {options.map((option) => (
        <FilterChip
          key={option.value}
          type="radio"
          name="chainId"
          option={isOfContract ? { ...option, count: undefined } : option}
        >
          {nameOf(option.value)}
        </FilterChip>
      ))}
    </ChipLine>
  )
}

const nameOf = (id: string) => (/^[0-9]+$/.test(id) ? chainName(Number(id)) : id)
