import type { Static } from '@sinclair/typebox'
import type { Hex } from 'viem'
import { decodeAbiParameters, hexToString } from 'viem/utils'
import type { TokenRecord } from '../../../ingest/records.ts'
import type { AllowListType } from '../../../schemas/campaigns/allow-lists.ts'
import type { AuctionState } from '../../../schemas/campaigns/incentives.ts'
import type { ValidatorKind } from '../../../schemas/payloads/claim-signers.ts'
import {
  type FixedIncentive,
  type IncentiveParts,
  type RawCriteria,
  toAddress,
  zeroAddress,
} from '../fixed-incentives.ts'
import type { ContractReader, ReadResult } from './contract-reader.ts'

/* The components of a campaign: its incentives, its validator, its allow list, and its tokens. */

/** What distinguishes the kinds of incentives without events, and their parts. */
const namesRead = [
  'strategy',
  'cgdaParams',
  'venue',
  'allowList',
  'peg',
  'getPeg',
  'totalClaimed',
  'asset',
  'reward',
  'selector',
  'totalBudget',
  'maxReward',
  'getMaxReward',
  'claims',
] as const

/** Reads everything that shows the kind of an incentive, in one round. */
export async function readIncentive(reader: ContractReader, contract: Hex): Promise<IncentiveParts> {
  const [criteria, ...responses] = await Promise.all([
    reader.readBytes(contract, 'getIncentiveCriteria'),
    ...namesRead.map(async (name) => [name, await reader.read(contract, name)] as const),
  ])
  const read: { [Name in (typeof namesRead)[number]]?: ReadResult<Name> | undefined } = Object.fromEntries(responses)
  const [rewardDecay, rewardBoost, , currentReward] = read.cgdaParams ?? []
  return {
    ...read,
    ...{ rewardDecay, rewardBoost },
    // The first reward can be read until the first claim.
    initialReward: read.claims === 0n ? currentReward : undefined,
    peg: read.peg ?? read.getPeg,
    maxReward: read.getMaxReward ?? read.maxReward,
    criteria: criteria === undefined ? undefined : readCriteria(criteria),
  }
}

const rawCriteria = [
  { type: 'uint8', name: 'criteriaType' },
  { type: 'bytes32', name: 'signature' },
  { type: 'uint32', name: 'fieldIndex' },
  { type: 'address', name: 'targetContract' },
] as const
const rawScaledCriteria = [...rawCriteria, { type: 'uint8', name: 'valueType' }] as const

/** Prefix and digits of the two forms of criteria. */
const CRITERIA_DIGITS = 2 + 2 * 128
const SCALED_CRITERIA_DIGITS = 2 + 2 * 160

/** Null if the bytes have neither form. */
function readCriteria(bytes: Hex): RawCriteria | null {
  const isScaled = bytes.length === SCALED_CRITERIA_DIGITS
  if (!isScaled && bytes.length !== CRITERIA_DIGITS) return null
  try {
    const [criteriaType, signature, fieldIndex, targetContract, valueType] = isScaled
      ? decodeAbiParameters(rawScaledCriteria, bytes)
      : decodeAbiParameters(rawCriteria, bytes)
    return { criteriaType, signature, fieldIndex, targetContract, valueType }
  } catch {
    return null
  }
}

/** The state of an incentive as of a block; absent if it does not return it. */
export interface StateResults {
  limit?: bigint | undefined
  claims?: bigint | undefined
  totalClaimed?: bigint | undefined
  /** Its balance of its asset. */
  balance?: bigint | undefined
  /** Of an auction: when its reward began to rise, and from what. */
  auction?: ReadResult<'cgdaParams'> | undefined
}

/** Reads the state that incentives of its kind have. */
export async function readState(reader: ContractReader, contract: Hex, fixed: FixedIncentive): Promise<StateResults> {
  switch (fixed.type) {
    case 'CGDAIncentive': {
      const [auction, balance] = await Promise.all([
        reader.read(contract, 'cgdaParams'),
        reader.read(toAddress(fixed.asset), 'balanceOf', [contract]),
      ])
      return { auction, balance }
    }
    case 'AllowListIncentive':
    case 'PointsIncentive':
      return { limit: await reader.read(contract, 'limit') }
  }
  const [limit, claims, balance, totalClaimed] = await Promise.all([
    reader.read(contract, 'limit'),
    reader.read(contract, 'claims'),
    reader.read(toAddress(fixed.asset), 'balanceOf', [contract]),
    fixed.type === 'ERC20Incentive' ? undefined : reader.read(contract, 'totalClaimed'),
  ])
  return { limit, claims, balance, totalClaimed }
}

/** Whether an incentive does not return its limit, as all of its kind do. */
export const lacksLimit = (fixed: FixedIncentive, { limit }: StateResults) =>
  fixed.type !== 'CGDAIncentive' && limit === undefined

/**
 * An incentive in the form of a record. One that does not return its limit stays, since it may have claims, and has
 * nothing left. The claimed amount of an ERC20Incentive is left out: it is the sum of its claims.
 */
export function toIncentiveRecord(fixed: FixedIncentive, responses: StateResults) {
  const { limit = 0n, claims, totalClaimed, balance, auction } = responses
  if (fixed.type === 'CGDAIncentive') {
    if (auction === undefined || balance === undefined) return fixed
    const [, , lastClaimAt, reward] = auction
    // No field of the API: it is stored beside what the record says.
    const state: AuctionState = { lastClaimAt: String(lastClaimAt), reward: String(reward), balance: String(balance) }
    return { ...fixed, auction: state }
  }
  if (fixed.type === 'AllowListIncentive' || fixed.type === 'PointsIncentive') return { ...fixed, limit: String(limit) }
  const totals = {
    ...(claims !== undefined && { totalClaims: String(claims) }),
    ...(totalClaimed !== undefined && { totalAmountClaimed: String(totalClaimed) }),
    ...(balance !== undefined && { remainingBalance: String(balance) }),
  }
  if (fixed.type !== 'ERC20Incentive') return { ...fixed, limit: String(limit), ...totals }
  // The contract's limit is that of all claims; the record's is what remains of it.
  const remaining = claims !== undefined && limit > claims ? limit - claims : 0n
  return { ...fixed, limit: String(remaining), ...totals }
}

/** What a validator says of itself: how many claims it allows one claimant on one incentive, and its kind; null if unknown. */
export interface ValidatorFacts {
  maxClaimsPerClaimant: number | 'unlimited' | null
  validatorKind: ValidatorKind | null
}

/** Kinds of validators by component interface. */
const validatorKinds: ReadonlyMap<string, ValidatorKind> = new Map([
  ['0xb8ce7b22', 'SignerValidator'],
  ['0x81818aa3', 'SignerValidatorV2'],
  ['0xc8ebc758', 'LimitedSignerValidator'],
  ['0xf1a436d9', 'LimitedSignerValidatorV2'],
  ['0xb0fafe58', 'PayableLimitedSignerValidator'],
  ['0x89b50fd9', 'PayableLimitedSignerValidatorV2'],
])

/** Those that do not count claims. */
const unlimited: ReadonlySet<ValidatorKind> = new Set(['SignerValidator', 'SignerValidatorV2'])

/** Reads the kind of a validator. Neither its kind nor its maximum ever changes. */
export async function readValidator(reader: ContractReader, validator: Hex): Promise<ValidatorFacts> {
  const [component = '', max] = await Promise.all([
    reader.read(validator, 'getComponentInterface'),
    reader.read(validator, 'maxClaimCount'),
  ])
  const validatorKind = validatorKinds.get(component) ?? null
  return { validatorKind, maxClaimsPerClaimant: toMaxClaims(validatorKind, max) }
}

function toMaxClaims(kind: ValidatorKind | null, max: bigint | undefined) {
  if (kind === null) return null
  if (unlimited.has(kind)) return 'unlimited'
  // A maximum of 0 would allow no claim at all: it counts as unknown.
  if (max === undefined || max === 0n) return null
  // No claimant ever has so many claims.
  return max > BigInt(Number.MAX_SAFE_INTEGER) ? 'unlimited' : Number(max)
}

/** Who may claim, as far as a chain says: it does not list the members of simple lists. */
export interface ChainAllowList {
  type: Static<typeof AllowListType>
  contractAddress: Hex
  owner: Hex
  /** For an OffchainAccessList: IDs of the access lists that admit, and of those that deny. */
  accessLists?: { allowed: string[]; denied: string[] }
}

/** Kinds of lists by the component interface of their contracts. */
const kinds: ReadonlyMap<string, ChainAllowList['type']> = new Map([
  ['0x1392d798', 'SimpleAllowList'],
  ['0x3d30a22c', 'SimpleDenyList'],
  ['0x2a6b3c38', 'OffchainAccessList'],
])

/** Reads the kind of a list; null if it is unknown. */
export async function readAllowList(
  reader: ContractReader,
  contract: Hex,
  openAllowLists: ReadonlySet<Hex>,
): Promise<ChainAllowList | null> {
  const [kind, owner, allowed, denied] = await Promise.all([
    reader.read(contract, 'getComponentInterface'),
    reader.read(contract, 'owner'),
    reader.read(contract, 'getAllowListIds'),
    reader.read(contract, 'getDenyListIds'),
  ])
  const type = openAllowLists.has(contract) ? 'OpenAllowList' : kinds.get(kind ?? '')
  if (type === undefined || owner === undefined) return null
  const list = { type, contractAddress: contract, owner: toAddress(owner) }
  if (type !== 'OffchainAccessList') return list
  if (allowed === undefined || denied === undefined) return null
  return { ...list, accessLists: { allowed: allowed.filter(isListId), denied: denied.filter(isListId) } }
}

/** Whether a list could have this ID here: whoever deploys a contract decides what it returns. */
const isListId = (text: string) => text.length > 0 && text.length <= 128 && text.isWellFormed() && !text.includes('\0')

/** The tokens of an incentive: the reward, its peg, and what backs its points. */
export function tokensOf(fixed: FixedIncentive): Hex[] {
  const tokens = [
    'asset' in fixed ? fixed.asset : undefined,
    'peg' in fixed ? fixed.peg : undefined,
    'venue' in fixed ? fixed.venue : undefined,
  ]
  // As a peg, the zero address is the native token of the chain.
  return tokens.filter((token): token is Hex => token !== undefined && token !== zeroAddress)
}

/** The longest text a record holds. */
const MAX_CHARACTERS = 4096

/** Reads the metadata of a token; undefined if it has no decimals, without which its amounts mean nothing. */
export async function readToken(
  reader: ContractReader,
  chainId: number,
  address: Hex,
): Promise<TokenRecord | undefined> {
  const [decimals, name, symbol] = await Promise.all([
    reader.read(address, 'decimals'),
    reader.readBytes(address, 'name'),
    reader.readBytes(address, 'symbol'),
  ])
  if (decimals === undefined || decimals > 255) return undefined
  return { type: 'token', chainId, address, decimals, name: toText(name), symbol: toText(symbol), imageUri: '' }
}

/** Old tokens return 32 bytes padded with zeros. Characters that no text can contain are removed. */
function toText(bytes: Hex | undefined): string {
  if (bytes === undefined) return ''
  return readText(bytes).replaceAll('\0', '').toWellFormed().slice(0, MAX_CHARACTERS).toWellFormed()
}

function readText(bytes: Hex): string {
  if (bytes.length === 2 + 2 * 32) return hexToString(bytes)
  try {
    return decodeAbiParameters([{ type: 'string' }], bytes)[0]
  } catch {
    return ''
  }
}
