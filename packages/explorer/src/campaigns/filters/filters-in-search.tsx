import { client } from '../../requests/service.ts'
import { useRequest } from '../../requests/use-request.ts'
import { chainName } from '../../texts/chain-names.ts'
import { toQuery, toUrl } from '../campaign-query.ts'
import { actionsInWords, filtersIn, type SearchedFilters } from './searched-filters.ts'

/** What is filtered changes with imports and claims, and is looked at once. */
const REFRESH_MS = 600_000

/** The search looks through names alone: where it names a chain or an action and finds nothing, the list filtered by them. */
export function FiltersInSearch({ parameters }: { parameters: URLSearchParams }) {
  const filters = filtersIn(parameters.get('search') ?? '')
  return filters === undefined ? null : <Filtered parameters={parameters} {...filters} />
}

/** A list is offered only where it has something. */
function Filtered({ parameters, ...filters }: SearchedFilters & { parameters: URLSearchParams }) {
  const { chainId, actionType = 'campaign', search } = filters
  const all = filtered(parameters, filters)
  const request = useRequest(
    (signal) => client.listCampaigns({ ...toQuery(all), pageSize: 0 }, { signal }),
    `in search ${all}`,
    REFRESH_MS,
  )
  if (request.state !== 'shown' || request.response.totalCampaigns === 0) return null
  const what = actionsInWords(request.response.totalCampaigns, actionType)
  return (
    <p>
      <a href={toUrl(all)}>
        <bdi>{`Show ${what}${search === '' ? '' : ` named ${search}`}`}</bdi>
        {chainId !== undefined && ` on ${chainName(chainId)}`}
      </a>
      : the search looks through names of campaigns and rewards.
    </p>
  )
}

/** The list with these filters in place of the search, from its first page. */
function filtered(parameters: URLSearchParams, { chainId, actionType, search }: SearchedFilters): URLSearchParams {
  const query = new URLSearchParams(parameters)
  for (const name of ['page', 'search']) query.delete(name)
  if (chainId !== undefined) query.set('chainId', String(chainId))
  if (actionType !== undefined) query.set('actionType', actionType)
  if (search !== '') query.set('search', search)
  return query
}
