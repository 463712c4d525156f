import { parseAbi } from 'viem/utils'

/** Of cores and their parts, of tokens and price feeds. */
export const coreFunctions = parseAbi([
  'struct Boost { address action; address validator; address allowList; address budget; address[] incentives; uint64 protocolFee; uint256 maxParticipants; address owner; }',
  'struct Claimant { uint8 signatureType; bytes32 signature; uint32 fieldIndex; address targetContract; uint256 chainId; }',
  'struct Parameter { uint8 filterType; uint8 fieldType; uint32 fieldIndex; bytes filterData; }',
  'struct Step { bytes32 signature; uint8 signatureType; uint8 actionType; address targetContract; uint256 chainId; Parameter actionParameter; }',
  'function getBoost(uint256 boostId) view returns (Boost)',
  'function getBoostCount() view returns (uint256)',
  'function limit() view returns (uint256)',
  'function claims() view returns (uint256)',
  'function totalClaimed() view returns (uint256)',
  'function asset() view returns (address)',
  'function reward() view returns (uint256)',
  'function strategy() view returns (uint8)',
  'function peg() view returns (address)',
  'function getPeg() view returns (address)',
  'function totalBudget() view returns (uint256)',
  'function venue() view returns (address)',
  'function selector() view returns (bytes4)',
  'function allowList() view returns (address)',
  'function maxReward() view returns (uint256)',
  'function getMaxReward() view returns (uint256)',
  'function cgdaParams() view returns (uint256 rewardDecay, uint256 rewardBoost, uint256 lastClaimTime, uint256 currentReward)',
  'function owner() view returns (address)',
  'function getComponentInterface() view returns (bytes4)',
  'function maxClaimCount() view returns (uint256)',
  'function getClaimFee() view returns (uint256)',
  'function getAllowListIds() view returns (string[])',
  'function getDenyListIds() view returns (string[])',
  'function getActionSteps() view returns (Step[])',
  'function getActionClaimant() view returns (Claimant)',
  'function balanceOf(address account) view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function description() view returns (string)',
  'function version() view returns (uint256)',
  'function aggregator() view returns (address)',
  'function phaseId() view returns (uint16)',
  'function phaseAggregators(uint16 phaseId) view returns (address)',
  'function getDataIdForProxy(address proxy) view returns (bytes16)',
  'function latestRound() view returns (uint256)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function getRoundData(uint80 round) view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])

/** Of managers of time-based incentives and their campaigns. */
export const timeBasedFunctions = parseAbi([
  'function campaignCount() view returns (uint256)',
  'function budget() view returns (address)',
  'function endTime() view returns (uint256)',
  'function claimExpiryDuration() view returns (uint256)',
  'function totalRewards() view returns (uint256)',
  'function totalCommitted() view returns (uint256)',
  'function finalized() view returns (bool)',
  'function emissionRate() view returns (uint256)',
  'function isOpenEnded(uint256 campaignId) view returns (bool)',
])

/** The read functions of the protocols' contracts, declared by ourselves, and of their tokens and price feeds. */
export const readFunctions = [...coreFunctions, ...timeBasedFunctions] as const

/**
 * Functions whose response has several forms: criteria are 128 bytes, or 160 with the scale of the value; old tokens
 * return names of 32 bytes. They are read as bytes.
 */
export const rawReadFunctions = parseAbi([
  'function getIncentiveCriteria() view',
  'function name() view',
  'function symbol() view',
  'function version() view',
])
