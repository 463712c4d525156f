import { pageHeaders } from '../../http/response-headers.ts'
import { type CachedRoutes, responsesOf } from '../../http/responses.ts'
import type { ContractRepository } from './contract-repository.ts'
import { type ExploredContract, ListContractsQuery, ListContractsResponse } from './contract-schemas.ts'

const example: ExploredContract = {
  chainId: 8453,
  address: '0x2626664c2603336e57b271c5c0b26f421741e481',
  name: 'Uniswap: SwapRouter02',
  stats: { campaignCount: 42, totalClaims: 10_804, totalAmountClaimedUsd: 25_310.118402 },
}

const listContracts = {
  operationId: 'listContracts',
  summary: 'List contracts',
  description:
    'One page of the contracts that campaigns target, with statistics of their campaigns. A time range ends at the second of the response.',
  tags: ['Contracts'],
  querystring: ListContractsQuery,
  response: responsesOf(
    {
      description: 'The page.',
      headers: pageHeaders,
      schema: ListContractsResponse,
      example: [example],
      otherExamples: { empty: ['/explore/contracts?creator=0x0000000000000000000000000000000000000001', []] },
    },
    {
      400: 'unknown parameter "chainId", did you mean chainIds? Known are page, pageSize, sortBy, timeRange, chainIds, creator, minBlock',
    },
  ),
}

export const contractRoutes: CachedRoutes<{ contracts: ContractRepository }> = async (
  app,
  { contracts, responseCache },
) => {
  app.get('/explore/contracts', { schema: listContracts }, (request, reply) =>
    responseCache.send(request, reply, () => contracts.list(request.query), {
      changesEachSecond: request.query.timeRange !== undefined,
    }),
  )
}
