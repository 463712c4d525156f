import { chainName } from '../texts/chain-names.ts'

/** The name of a chain; its ID for who points at it. */
export function ChainLabel({ chainId }: { chainId: number }) {
  return (
    <span class="chain" title={`chain ID ${chainId}`}>
      {chainName(chainId)}
    </span>
  )
}
