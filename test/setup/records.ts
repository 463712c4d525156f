import { createHash } from 'node:crypto'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import type {
  AccessListRecord,
  ActionTemplateRecord,
  ClaimProofRecord,
  ClaimRecord,
  ImportRecord,
  ProfileRecord,
  RemovalRecord,
  TokenRecord,
} from '../../src/ingest/records.ts'
import { type IncentiveType, incentiveTypes } from '../../src/schemas/campaigns/incentives.ts'
import { fieldsBySchema } from './data/fields-by-schema.ts'

/*
 * Records for tests: complete, all different, and the same in every run. What a test is about, it says itself.
 */

let count = 0
const next = () => {
  count += 1
  return count
}

/** An address that is the same for the same word. */
export const anAddress = (word: string | number) => `0x${digest(word).slice(0, 40)}`
/** A transaction hash that is the same for the same word. */
export const aHash = (word: string | number) => `0x${digest(word)}`

const digest = (word: string | number) => createHash('sha256').update(String(word)).digest('hex')

export const aToken = (parts: Partial<TokenRecord> = {}): TokenRecord => ({
  type: 'token',
  chainId: 8453,
  address: anAddress(`token ${next()}`),
  decimals: 18,
  name: 'Test Token',
  symbol: 'TEST',
  imageUri: 'https://images.example/test.png',
  whitelisted: true,
  ...parts,
})

export const anActionTemplate = (parts: Partial<ActionTemplateRecord> = {}): ActionTemplateRecord => ({
  type: 'actionTemplate',
  id: `00000000-0000-4000-8000-${String(next()).padStart(12, '0')}`,
  projectId: 'project',
  actionType: 'swap',
  projectImage: 'https://images.example/project.png',
  ...parts,
})

/** A campaign without incentives: active, and shown by the default filter. */
export function aCampaign(parts: Partial<CampaignRecord> = {}): CampaignRecord {
  const number = next()
  return {
    type: 'campaign',
    // The sample's campaigns have the same core, and count from 1: these never meet them.
    id: `8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:${10_000_000 + number}`,
    action: anAddress('action'),
    budget: anAddress('budget'),
    owner: anAddress('owner'),
    validator: anAddress('validator'),
    blockTimestamp: String(1_750_000_000 + number),
    txHash: aHash(`campaign ${number}`),
    protocolFee: '1000',
    maxParticipants: '0',
    incentives: [],
    ...parts,
  }
}

export const aClaim = (campaign: CampaignRecord, parts: Partial<ClaimRecord> = {}): ClaimRecord => ({
  type: 'claim',
  campaignId: campaign.id,
  incentiveIndex: 0,
  claimant: anAddress(`claimant ${next()}`),
  amount: '1',
  txHash: aHash(`claim ${count}`),
  logIndex: 0,
  blockTimestamp: '1760000000',
  ...parts,
})

export const anAccessList = (parts: Partial<AccessListRecord> = {}): AccessListRecord => ({
  type: 'accessList',
  id: `list-${next()}`,
  userId: 'user-1',
  name: 'Test list',
  createdAt: '2025-01-01T00:00:00.000Z',
  ...parts,
})

export const aProfile = (parts: Partial<ProfileRecord> = {}): ProfileRecord => ({
  type: 'profile',
  userAddress: anAddress(`profile ${next()}`),
  ethEarned: '1',
  score: 1,
  streak: {
    value: 1,
    lastExpirationTime: '2025-12-31T00:00:00.000Z',
    nextExpirationTime: '2026-01-02T00:00:00.000Z',
    lastCompletionTime: '2025-12-31T12:00:00.000Z',
  },
  ...parts,
})

/** An action step on a contract. */
export const aStep = (targetContract: string, chainId = 8453) => ({
  chainId,
  signature: '0xddf252ad',
  signatureName: 'Transfer(address,address,uint256)',
  signatureType: 'event' as const,
  actionType: 0,
  targetContract,
  parameters: { filterType: 0, fieldType: 1, fieldIndex: 0, filterData: '0x00' },
})

/** An ERC-20 incentive of a fixed reward. */
export const anErc20Incentive = (asset: string, parts: Record<string, unknown> = {}) => ({
  type: 'ERC20Incentive',
  asset,
  strategy: 0,
  reward: '100',
  limit: '10',
  ...parts,
})

/** An incentive that is claimed by proofs. */
export const aTimeBasedIncentive = (asset: string, parts: Record<string, unknown> = {}) => ({
  ...{ type: 'TimeBasedIncentive', asset, limit: '1000', claimUntil: '2100-03-01T00:00:00.000Z', openEnded: false },
  ...{ isFinal: false, configHash: aHash('terms') },
  ...parts,
})

/** What is owed to a claimant by such a campaign. */
export const aClaimProof = (
  { id }: { id: string },
  claimant: string,
  parts: Partial<ClaimProofRecord> = {},
): ClaimProofRecord => ({
  ...{ type: 'claimProof', campaignId: id, claimant, cumulativeAmount: '100' },
  ...{ proof: [aHash('left'), aHash('right')], root: aHash('root') },
  ...parts,
})

/** The same address as others may write it. */
export const inUpperCase = (address: string) => `0x${address.slice(2).toUpperCase()}`

/** A step that mints on a contract of the same name in every test. */
export const mintingStep = { ...aStep(anAddress('mint')), signatureName: 'mint(address,uint256)' }

type IncentiveRecord = CampaignRecord['incentives'][number]

/**
 * Each of the variants once, with all its fields, in the order of the reference; those of a variant that is not here follow from its schema. `toAddress` makes the addresses
 * from the words `asset`, `peg`, `venue`, `allow list` and `criteria`.
 */
export function anIncentiveOfEachVariant(toAddress: (word: string) => string): IncentiveRecord[] {
  const asset = toAddress('asset')
  const peg = toAddress('peg')
  const figures = { claimedAmount: '11', totalAmountClaimed: '12', totalClaims: '13', remainingBalance: '14' }
  const criteria = { criteriaType: 1, signature: '0xa9059cBB', fieldIndex: 3, targetContract: toAddress('criteria') }
  const scaled = { reward: '2000000000000000000', limit: '5000', maxReward: '600', rebatePercentage: 2.5 }
  const fields: Partial<Record<IncentiveType, object>> = {
    AllowListIncentive: { allowListAddress: toAddress('allow list'), limit: '10' },
    CGDAIncentive: { asset, initialReward: '100', rewardDecay: '5', rewardBoost: '6', totalBudget: '7000' },
    ERC20Incentive: { asset, strategy: 1, reward: '100', limit: '20', ...figures },
    PointsIncentive: { venue: toAddress('venue'), selector: '0x40C10f19', reward: '30', limit: '40' },
    ERC20VariableIncentive: { asset, reward: '1', limit: '5000', ...figures },
    ERC20VariableCriteriaIncentive: { asset, criteria: { ...criteria, criteriaType: 0 }, ...scaled, ...figures },
    ERC20VariableCriteriaIncentiveV2: { asset, criteria: { ...criteria, valueType: 1 }, ...scaled, ...figures },
    ERC20PeggedIncentive: { asset, peg, reward: '100', limit: '5000', ...figures },
    ERC20PeggedVariableCriteriaIncentive: { asset, peg, criteria, ...scaled, ...figures },
    ERC20PeggedVariableCriteriaIncentiveV2: {
      ...{ asset, peg, criteria: { ...criteria, valueType: 0 } },
      ...scaled,
      ...figures,
    },
    TimeBasedIncentive: {
      ...{ asset, limit: '5000', committed: '40', ...figures, claimUntil: '2031-03-01T00:00:00.000Z' },
      ...{ openEnded: true, emissionRate: '7000000000000', isFinal: false },
      ...{ configHash: `0x${'c'.repeat(64)}`, root: `0x${'d'.repeat(64)}` },
    },
  }
  return incentiveTypes.map((type) => ({ type, ...(fields[type] ?? fieldsBySchema(type, toAddress)) }))
}

/** Records as a reader of files or blocks gives them: addresses and IDs in lower case. */
export const toLowerCase = (records: ImportRecord[]): ImportRecord[] =>
  JSON.parse(JSON.stringify(records), (key, value: unknown) =>
    typeof value === 'string' && (/^0x[0-9a-f]+$/i.test(value) || ['id', 'campaignId'].includes(key))
      ? value.toLowerCase()
      : value,
  )

/** What a claim is withdrawn by. */
export const toClaimIdentity = ({ campaignId, txHash, logIndex }: ClaimRecord) => ({
  chainId: Number(campaignId.split(':')[0]),
  txHash,
  logIndex,
})

const identityKeys: Record<ImportRecord['type'], readonly string[]> = {
  token: ['chainId', 'address'],
  tokenPrice: ['chainId', 'address', 'at'],
  contract: ['chainId', 'address'],
  actionTemplate: ['id'],
  accessList: ['id'],
  campaign: ['id'],
  campaignMetadata: ['id'],
  claim: ['txHash', 'logIndex'],
  claimSignature: ['campaignId', 'claimant', 'incentiveId'],
  claimProof: ['campaignId', 'claimant'],
  profile: ['userAddress'],
}

/** What takes a record back. */
export function toRemoval(record: ImportRecord): RemovalRecord {
  const keys: readonly string[] = identityKeys[record.type]
  const identity = Object.fromEntries(Object.entries(record).filter(([key]) => keys.includes(key)))
  const chain = record.type === 'claim' ? { chainId: Number(record.campaignId.split(':')[0]) } : {}
  return { type: 'removal', of: record.type, ...chain, ...identity }
}
