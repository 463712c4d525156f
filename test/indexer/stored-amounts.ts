import type { SimulatedChain } from './simulation/simulated-chain.ts'
import type { StoredChain } from './stored-chain.ts'

/** The figures of the campaigns that are stored, as the simulation tells them. */
export const figuresIn = (
  { campaigns }: Pick<ReturnType<StoredChain['facts']>, 'campaigns'>,
  claimFees: ReturnType<StoredChain['claimFees']>,
) =>
  campaigns.map(({ record, incentives }) => ({
    id: record.id,
    validator: record.validator,
    maxClaims: record.maxClaimsPerClaimant,
    claimFee: claimFees[record.id],
    protocolFee: record.protocolFee,
    listType: record.allowList?.type ?? null,
    ...(record.incentives[0]?.type === 'TimeBasedIncentive' && {
      ...{ startTime: record.startTime, endTime: record.endTime },
    }),
    incentives: incentives.map((place, index) => ({ ...place, ...record.incentives[index] })),
  }))

/** The figures without what managers do not count: the service counts claims by itself. */
export const countless = (expected: ReturnType<SimulatedChain['facts']>['figures']) =>
  expected.map((campaign) =>
    'endTime' in campaign
      ? { ...campaign, incentives: campaign.incentives.map(({ totalClaims: _, ...incentive }) => incentive) }
      : campaign,
  )
