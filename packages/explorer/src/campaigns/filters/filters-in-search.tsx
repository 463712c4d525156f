import { chainName } from '../../texts/chain-names.ts'
import { toUrl } from '../campaign-query.ts'
import { searchedOnChain } from './searched-on-chain.ts'

/** The search looks through names alone: where it names a chain and finds nothing, the same on that chain. */
export function ChainInSearch({ parameters }: { parameters: URLSearchParams }) {
  const found = searchedOnChain(parameters.get('search') ?? '')
  if (found === undefined) return null
  const { chainId, search } = found
  const onChain = new URLSearchParams(parameters)
  for (const name of ['page', 'search']) onChain.delete(name)
  onChain.set('chainId', String(chainId))
  if (search !== '') onChain.set('search', search)
  return (
    <p>
      The search looks through names of campaigns and rewards.{' '}
      <a href={toUrl(onChain)}>
        {search === '' ? 'All' : <bdi>{search}</bdi>} on {chainName(chainId)}
      </a>
    </p>
  )
}
