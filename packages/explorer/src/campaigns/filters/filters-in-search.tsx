import { client } from '../../requests/service.ts'
import { useRequest } from '../../requests/use-request.ts'
import { chainName } from '../../texts/chain-names.ts'
import { toQuery, toUrl } from '../campaign-query.ts'
import { actionsInWords, searchedAction } from './searched-action.ts'
import { searchedOnChain } from './searched-on-chain.ts'

/** What is filtered changes with imports and claims, and is looked at once. */
const REFRESH_MS = 600_000

/** The search looks through names alone: where it names a chain or an action and finds nothing, the list filtered by them. */
export function FiltersInSearch({ parameters }: { parameters: URLSearchParams }) {
  const text = parameters.get('search') ?? ''
  const onChain = searchedOnChain(text)
  const action = searchedAction(onChain?.search ?? text)
  if (action !== undefined) return <Actions parameters={parameters} chainId={onChain?.chainId} {...action} />
  if (onChain === undefined) return null
  return (
    <Offer
      url={toUrl(filtered(parameters, onChain))}
      text={onChain.search === '' ? 'All' : onChain.search}
      chainId={onChain.chainId}
    />
  )
}

interface Filters {
  chainId: number | undefined
  actionType?: string
  /** What is still searched. */
  search: string
}

function Actions({
  parameters,
  ...filters
}: Filters & {
  parameters: URLSearchParams
  actionType: string
}) {
  const { chainId, actionType, search } = filters
  const all = filtered(parameters, filters)
  const request = useRequest(
    (signal) => client.listCampaigns({ ...toQuery(all), pageSize: 0 }, { signal }),
    `in search ${all}`,
    REFRESH_MS,
  )
  if (request.state !== 'shown' || request.response.totalCampaigns === 0) return null
  const what = actionsInWords(request.response.totalCampaigns, actionType)
  return <Offer url={toUrl(all)} text={`Show ${what}${search === '' ? '' : ` named ${search}`}`} chainId={chainId} />
}

function Offer({ url, text, chainId }: { url: string; text: string; chainId: number | undefined }) {
  return (
    <p>
      <a href={url}>
        <bdi>{text}</bdi>
        {chainId !== undefined && ` on ${chainName(chainId)}`}
      </a>
      : the search looks through names alone.
    </p>
  )
}

/** The list with these filters in place of the search, from its first page. */
function filtered(parameters: URLSearchParams, { chainId, actionType, search }: Filters): URLSearchParams {
  const query = new URLSearchParams(parameters)
  for (const name of ['page', 'search']) query.delete(name)
  if (chainId !== undefined) query.set('chainId', String(chainId))
  if (actionType !== undefined) query.set('actionType', actionType)
  if (search !== '') query.set('search', search)
  return query
}
