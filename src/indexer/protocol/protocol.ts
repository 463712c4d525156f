/* The registration of the protocol that is followed: all that the rest of the indexer knows of it. */

export type { BlockRangeFacts, ChainIdentity, KnownCampaigns } from './boost-core/block-range-facts.ts'
export { readBlockRange } from './boost-core/block-range-facts.ts'
export type { CampaignOrigin } from './boost-core/campaign-origins.ts'
export { originAt } from './boost-core/campaign-origins.ts'
export { affectedByFees, feeContractsOf } from './boost-core/claim-fees.ts'
export type { NamedParts } from './boost-core/contract-calls.ts'
export { createContractCalls, findIncentives, recordParts } from './boost-core/contract-calls.ts'
export { tokensOf } from './boost-core/incentives/incentives.ts'
export { coreTopics, needsTime, protocolTopics } from './boost-core/protocol-events.ts'
export type { ChainCampaign, CompleteOrigin, UnknownComponent } from './boost-core/read-campaign.ts'
export { completeOrigin, readBoost, readCampaign } from './boost-core/read-campaign.ts'
export type { ChainClaim } from './boost-core/transaction-claims.ts'
