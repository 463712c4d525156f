import type { Hex } from 'viem'
import type { Protocol, RangeFacts, RangeReading } from '../protocol.ts'
import { readBlockRange } from './block-range-facts.ts'
import { type BoostOrigin, originAt } from './campaign-origins.ts'
import { affectedByFees, feeContractsOf } from './claim-fees.ts'
import { incentiveTypes, tokensOf } from './incentives/incentives.ts'
import { variableTypes } from './incentives/variable-incentives.ts'
import { boostCall, recordParts } from './named-parts.ts'
import { coreTopics, datedTopics, protocolTopics } from './protocol-events.ts'
import { type CompleteOrigin, completeOrigin, readBoost, readCampaign } from './read-campaign.ts'

/** The protocol of campaign cores. */
export const boostCore: Protocol<BoostOrigin> = {
  name: 'boost-core',
  topics: protocolTopics,
  factoryTopics: coreTopics,
  factoriesOf: ({ cores }) => cores,
  factoryCall: (number) => boostCall(BigInt(number)),
  counters: {
    campaigns: 'getBoostCount',
    firstNumber: 0,
    typesWithClaims: incentiveTypes,
    typesWithAmounts: variableTypes,
  },
  fixedKeys: ['terms', 'actionDetails', 'maxClaimsPerClaimant', 'validatorKind', 'claimFee'],
  datedTopics,
  recordParts,
  readRange,
  complete: completeOrigin,
  readCampaign,
  originAt,
  contractsOf: (origin) => [...origin.incentives.map(({ contract }) => contract), ...feeContractsOf(origin)],
  tokensOf: ({ incentives }) => incentives.flatMap(({ fixed }) => (fixed ? tokensOf(fixed) : [])),
}

async function readRange({
  chain,
  logs,
  known,
  reader,
  readerAt,
  timestamps,
}: RangeReading<BoostOrigin>): Promise<RangeFacts<BoostOrigin>> {
  const { campaigns, setUps, feeChanges, ...found } = await readBlockRange(
    chain,
    logs,
    known,
    async (campaign) => (await readBoost(reader, campaign))?.incentives ?? [],
  )
  const completed = await Promise.all(
    campaigns.map(async (origin) => ({
      origin,
      complete: await completeOrigin(reader, withTime(origin, timestamps), readerAt, setUps),
    })),
  )
  const origins = completed.flatMap(({ complete }) => complete ?? [])
  const positions = knownPositions(origins)
  const claims = found.claims.filter(({ campaignId, incentiveIndex }) =>
    positions.has(`${campaignId}/${incentiveIndex}`),
  )
  return {
    origins,
    claims,
    undecoded: found.undecoded,
    affects: distinct([...found.affects, ...affectedByFees(origins, feeChanges)]),
    orphanClaims: found.claims.length - claims.length,
    unreadable: completed.flatMap(({ origin, complete }) =>
      complete === null
        ? [{ kind: 'campaign', campaignId: origin.id, contract: origin.core, blockNumber: origin.blockNumber }]
        : [],
    ),
  }
}

const distinct = (affects: RangeFacts['affects']) => [
  ...new Map(affects.map((one) => [`${one.blockNumber} ${one.campaignId}`, one])).values(),
]

function withTime(origin: BoostOrigin, timestamps: ReadonlyMap<Hex, number>): BoostOrigin {
  const blockTimestamp = origin.blockTimestamp ?? timestamps.get(origin.blockHash)
  return blockTimestamp === undefined ? origin : { ...origin, blockTimestamp }
}

/** The contracts of incentives of known kinds. */
const knownPositions = (origins: readonly CompleteOrigin[]) =>
  new Set(
    origins.flatMap(({ id, incentives }) =>
      incentives.flatMap(({ position, fixed }) => (fixed ? `${id}/${position}` : [])),
    ),
  )
