import { useLocation } from 'preact-iso'
import type { Query } from 'reward-campaigns-client'
import { ContractFilters } from '../contracts/contract-filters.tsx'
import { ContractsView } from '../contracts/contracts-view.tsx'
import { Choice, chosenOf } from '../navigation/choice.tsx'
import { numberOf, pageOf } from '../navigation/page-query.ts'
import { Heading } from '../parts/heading.tsx'
import { recordContract } from '../recorded-contracts.ts'
import { ApiRequests } from '../requests/api-requests.tsx'
import { Shown } from '../requests/request-result.tsx'
import { requestPath } from '../requests/request-text.ts'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'

const PAGE_SIZE = 20

const ORDERS = [
  ['most-completions', 'Claims'],
  ['total-spend', 'Paid'],
  ['recently-deployed', 'Newest'],
] as const

const TIME_RANGES = [
  ['all', 'All'],
  ['7d', '7 days'],
  ['24h', '24 hours'],
  ['6h', '6 hours'],
] as const

export function ContractsPage() {
  const { query } = useLocation()
  const sortBy = chosenOf(ORDERS, query.sortBy)
  const timeRange = chosenOf(TIME_RANGES, query.timeRange)
  const page = pageOf(query.page)
  const chainIds = query.chainIds === undefined ? [] : query.chainIds.split(',')
  const filters: Omit<Query<'listContracts'>, 'page' | 'pageSize'> = {
    sortBy,
    ...(timeRange !== 'all' && { timeRange }),
    ...(chainIds.length > 0 && { chainIds: chainIds.map(numberOf) }),
    ...(query.creator !== undefined && { creator: query.creator }),
  }
  const request = {
    method: 'listContracts',
    path: '/explore/contracts',
    query: { ...filters, page, pageSize: PAGE_SIZE },
  } as const
  const result = useRequest(async (signal) => {
    const contracts = await client.eachContract({ ...filters, pageSize: PAGE_SIZE }, { signal }).page(page)
    contracts.entries.forEach(recordContract)
    return contracts
  }, requestPath(request))
  return (
    <>
      <Heading title="Contracts" />
      <p class="lead">
        The contracts that have to be used for a reward, with its claims and the dollars paid, where their value is
        known.
      </p>
      <div class="choices">
        <Choice legend="By" name="sortBy" options={ORDERS} chosen={sortBy} />
        <Choice legend="Time" name="timeRange" options={TIME_RANGES} chosen={timeRange} />
      </div>
      <ContractFilters chainIds={chainIds} creator={query.creator} />
      <Shown request={result} lines={PAGE_SIZE}>
        {(contracts) => (
          <ContractsView contracts={contracts} page={page} pageSize={PAGE_SIZE} isByPaid={sortBy === 'total-spend'} />
        )}
      </Shown>
      <ApiRequests requests={[request]} />
    </>
  )
}
