import { type Static, Type } from '@sinclair/typebox'
import { followingStates } from '../../database/lookups/followed-chains.ts'
import { ChainId, Instant, MAX_SAFE_INTEGER, text, wholeNumber } from '../../schemas/primitives.ts'
import { component, listOf, ref, refOrNull, stringOrNull, word } from '../../schemas/schema-builders.ts'

const blockNumber = (description: string) => stringOrNull(`${description} Decimal.`, { maxLength: 16 })

const countOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, maximum: MAX_SAFE_INTEGER, description })

const ChainStatus = component('ChainStatus', 'Indexing status of a chain.', {
  chainId: ref(ChainId, 'The indexed chain.'),
  asOfBlock: blockNumber('The newest block whose effects are in the responses; `null`: none yet.'),
  asOfBlockHash: stringOrNull('Hash of that block.', { maxLength: 66 }),
  asOfTime: refOrNull(Instant, 'Time of that block.'),
  headBlock: blockNumber('The newest known block of the chain; `null`: not known yet.'),
  finalizedBlock: blockNumber('The newest finalized block, which no reorganisation can revert; `null`: not known yet.'),
  lagSeconds: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 0,
    description: 'Whole seconds since `asOfTime`; `null`: none yet.',
  }),
  state: word(
    followingStates,
    '`back-filling`: the chain is read from its start block, without effect on responses. `following`: at most two blocks behind the head. `behind`: further behind, or the indexer has not reported for 15 seconds.',
  ),
  contractVersion: stringOrNull(
    'Versions that the cores and managers of the chain tell, each once, with commas; `null`: none tells one.',
    { maxLength: 10_000 },
  ),
  unvaluedClaims24h: wholeNumber(
    'Claims of the last 24 hours without a value in US dollars: price or decimals are unknown.',
  ),
  provenBlock: blockNumber(
    'The finalized block at which counters of the contracts were last compared with what is stored; `null`: not yet. Each comparison covers a part of the counters: new claims within minutes, the others within a day.',
  ),
  provenAt: refOrNull(Instant, 'Time of that comparison.'),
  provenCampaigns: countOrNull(
    'Campaigns that a counter of the contracts has confirmed; `null`: none was compared yet.',
  ),
  provenClaims: countOrNull('Claims that a counter of the contracts has confirmed; `null`: none was compared yet.'),
  differences: wholeNumber(
    'Number of counters of the contracts that differ from what is stored: data is missing or wrong.',
  ),
})

export const GetStatusResponse = component('GetStatusResponse', 'Indexing status.', {
  chains: listOf(ChainStatus, 1000, 'The indexed chains, ascending; empty if there are none.'),
  version: text('Version of the service.'),
})
export type GetStatusResponse = Static<typeof GetStatusResponse>

export const statusSchemas = [ChainStatus, GetStatusResponse]
