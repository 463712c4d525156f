import { type Static, Type } from '@sinclair/typebox'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { choice, optionalChoice, queryOf } from '../../schemas/parameters/query-values.ts'
import { chainIds, minimumBlocks, paging } from '../../schemas/parameters/shared-parameters.ts'
import { Address, ChainId, text, wholeNumber } from '../../schemas/primitives.ts'
import { closed, component, optional, ref } from '../../schemas/schema-builders.ts'

export const ListContractsQuery = queryOf({
  ...paging,
  sortBy: choice(['most-completions', 'total-spend', 'recently-deployed'], {
    default: 'most-completions',
    description:
      '`most-completions`: most claims in the time range first. `total-spend`: most US dollars claimed in it. `recently-deployed`: newest campaign. Ties: by the other two in this order, then chain ID and address.',
    example: 'total-spend',
  }),
  timeRange: optionalChoice(['6h', '24h', '7d'], {
    description:
      'Claims in (now − range, now] count, by block timestamp; absent: all claims. Contracts without a claim are included, with zeros.',
    example: '7d',
  }),
  chainIds: chainIds(),
  creator: optional(Address, {
    description: 'Count only campaigns created by this account; if the creator is not recorded, those it owns.',
    example: parameterExamples.owner,
  }),
  ...minimumBlocks,
})
export type ListContractsQuery = Static<typeof ListContractsQuery>

export const ExploredContract = component(
  'ExploredContract',
  'A target of action steps. The same address on two chains is two contracts.',
  {
    chainId: ref(ChainId, 'Chain of the contract.'),
    address: ref(Address, 'Address of the contract.'),
    name: text('Readable name; empty if unknown.'),
    stats: closed('Statistics of the campaigns that target the contract.', {
      campaignCount: wholeNumber('Number of campaigns with an action step on the contract.'),
      totalClaims: wholeNumber('Number of claims in the time range.'),
      totalAmountClaimedUsd: Type.Number({
        minimum: 0,
        description:
          'Their value in US dollars at their time, 6 decimals; a campaign counts fully on each of its contracts.',
      }),
    }),
  },
)
export type ExploredContract = Static<typeof ExploredContract>

export const ListContractsResponse = Type.Array(ref(ExploredContract), {
  $id: 'ListContractsResponse',
  maxItems: 100,
  description: 'One page of contracts, in the requested order.',
})
export type ListContractsResponse = Static<typeof ListContractsResponse>

export const contractSchemas = [ExploredContract, ListContractsResponse]
