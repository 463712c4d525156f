import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type {
  AccessListRecord,
  ActionTemplateRecord,
  ClaimProofRecord,
  ClaimRecord,
  ClaimSignatureRecord,
  ImportRecord,
  TokenRecord,
} from '../../../src/ingest/records.ts'
import { type Incentive, isCriteria, isPegged, isToken, payoutOf } from './second-opinion-payouts.ts'
import { pricesOf, valueClaims } from './second-opinion-prices.ts'
import { isNamedBy } from './second-opinion-words.ts'

/*
 * A second opinion on the responses about claimed volume: what `GET /reward-kit/trending` and
 * `GET /explore/contracts` have to say (for `/campaigns`, see second-opinion-campaigns.ts), from the imported records
 * alone, in plain TypeScript. It shares nothing with the
 * service but the types of the records, looks at every record each time and computes exactly, with whole numbers only.
 */

/** A query string as it is written: names and undecoded values. */
export type QueryText = Readonly<Record<string, string>>

export interface Claim {
  record: ClaimRecord
  incentiveIndex: number
  claimant: string
  amount: bigint
  /** US dollars, times `USD_SCALE`. */
  usd: bigint
  milliseconds: number
}

export interface Campaign {
  record: CampaignRecord
  id: string
  chainId: number
  core: string
  identifier: bigint
  creator: string
  newness: bigint
  template: ActionTemplateRecord | undefined
  claims: Claim[]
  signatures: ClaimSignatureRecord[]
  proofs: ClaimProofRecord[]
  /** Contracts that the action steps target: `<chain>:<address>`. */
  targets: Set<string>
}

/** The validator of a campaign, as far as a followed chain tells it. */
export interface Validator {
  kind: string
  takesFee: boolean
  /** Wei; undefined if it takes none, or that is unknown. */
  claimFee: string | undefined
  hasSigned: (claimant: string, payload: string) => boolean
}

export type Validators = ReadonlyMap<string, Validator>

export interface World {
  /** By campaign; absent where no chain is followed. */
  validators?: Validators
  tokens: Map<string, TokenRecord>
  contractNames: Map<string, string>
  accessLists: Map<string, AccessListRecord>
  campaigns: Campaign[]
}

const SECONDS: Record<string, number> = { '1h': 3600, '6h': 21_600, '24h': 86_400, '7d': 604_800 }
const ZERO_DIGITS = 60
export const USD_SCALE = 10n ** BigInt(ZERO_DIGITS)

export const lower = (text: unknown) => String(text).toLowerCase()
export const isIn = (address: string, addresses: readonly string[] | null | undefined) =>
  (addresses ?? []).some((entry) => lower(entry) === address)
export const compare = <Value extends bigint | number | string>(a: Value, b: Value) => (a < b ? -1 : a > b ? 1 : 0)
export const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n)

/** What identifies a record: another one with the same identity replaces it. */
export function identityOf(record: ImportRecord): string {
  switch (record.type) {
    case 'token':
    case 'contract':
      return lower(`${record.type} ${record.chainId} ${record.address}`)
    case 'tokenPrice':
      return lower(`tokenPrice ${record.chainId} ${record.address} ${Date.parse(record.at)}`)
    case 'claim':
      return lower(`claim ${record.campaignId.split(':')[0]} ${record.txHash} ${record.logIndex}`)
    case 'claimSignature':
      return lower(`claimSignature ${record.campaignId} ${record.claimant} ${record.incentiveId}`)
    case 'claimProof':
      // In the place of a signature on the first incentive, which it replaces, and which replaces it.
      return lower(`claimSignature ${record.campaignId} ${record.claimant} 0`)
    case 'profile':
      return lower(`profile ${record.userAddress}`)
    case 'actionTemplate':
    case 'campaign':
    case 'campaignMetadata':
      return lower(`${record.type} ${record.id}`)
    case 'accessList':
      return `accessList ${record.id}`
  }
}

/** Of records that are the same the last; a token without a price has the one that it had. */
export function latestOf(records: readonly ImportRecord[]): ImportRecord[] {
  const facts = new Map<string, ImportRecord>()
  for (const record of records) {
    const earlier = facts.get(identityOf(record))
    const isPriced = record.type !== 'token' || record.priceUsd != null || earlier?.type !== 'token'
    facts.set(identityOf(record), isPriced ? record : { ...record, priceUsd: earlier.priceUsd ?? null })
  }
  return [...facts.values()]
}

const worlds = new WeakMap<readonly ImportRecord[], World>()

/** The records sorted out, once for each array. Of records that are the same, the last counts. */
export function worldOf(records: readonly ImportRecord[]): World {
  const known = worlds.get(records)
  if (known !== undefined) return known
  const facts = latestOf(records)
  const all = <Type extends ImportRecord['type']>(type: Type) =>
    facts.filter((record): record is Extract<ImportRecord, { type: Type }> => record.type === type)
  const templates = new Map(all('actionTemplate').map((template) => [lower(template.id), template]))
  // A price that a token's record says is of its import, after all claims.
  const valued = valueClaims(all('claim'), {
    prices: pricesOf(facts),
    campaigns: all('campaign'),
    tokens: all('token'),
  })
  const claims = groupBy(valued, ({ campaignId }) => lower(campaignId))
  const signatures = groupBy(all('claimSignature'), ({ campaignId }) => lower(campaignId))
  const proofs = groupBy(all('claimProof'), ({ campaignId }) => lower(campaignId))
  const world: World = {
    tokens: new Map(all('token').map((token) => [lower(`${token.chainId}:${token.address}`), token])),
    contractNames: new Map(
      all('contract').map(({ chainId, address, name }) => [lower(`${chainId}:${address}`), name] as const),
    ),
    accessLists: new Map(all('accessList').map((list) => [list.id, list])),
    campaigns: all('campaign').map((record) => {
      const id = lower(record.id)
      const [chainId = '', core = '', identifier = ''] = id.split(':')
      return {
        record,
        id,
        chainId: Number(chainId),
        core,
        identifier: BigInt(identifier),
        creator: lower(record.creator ?? record.owner),
        newness: BigInt(record.blockTimestamp),
        template: record.actionTemplateId ? templates.get(lower(record.actionTemplateId)) : undefined,
        claims: (claims.get(id) ?? []).map(toClaim),
        signatures: signatures.get(id) ?? [],
        proofs: proofs.get(id) ?? [],
        targets: new Set(
          (record.actionSteps ?? [])
            .filter(({ targetContract }) => BigInt(targetContract) !== 0n)
            .map((step) => lower(`${step.chainId}:${step.targetContract}`)),
        ),
      }
    }),
  }
  worlds.set(records, world)
  return world
}

function groupBy<Value>(values: Value[], toKey: (value: Value) => string) {
  const groups = new Map<string, Value[]>()
  for (const value of values) {
    const key = toKey(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

const toClaim = (record: ClaimRecord): Claim => ({
  record,
  incentiveIndex: record.incentiveIndex,
  claimant: lower(record.claimant),
  amount: BigInt(record.amount),
  usd: record.amountUsd == null ? 0n : toScaled(record.amountUsd),
  milliseconds: Number(record.blockTimestamp) * 1000,
})

/* Exact decimals */

export function toScaled(decimal: string) {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(ZERO_DIGITS, '0'))
}

/** A fraction, rounded half-up to 6 decimals. */
export function toDollars(numerator: bigint, denominator: bigint) {
  const millionths = (2n * numerator * 1_000_000n + denominator) / (2n * denominator)
  return Number(shiftPoint(millionths, 6))
}

/** `amount` ÷ 10^`digits`, exact, without exponent and trailing zeros. */
export function shiftPoint(amount: bigint, digits: number) {
  const text = String(amount).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  const fraction = text.slice(text.length - digits).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

function toTwelveDigits(decimal: string) {
  const scaled = toScaled(decimal)
  const unit = 10n ** BigInt(Math.max(String(scaled).length - 12, 0))
  return Number(shiftPoint(((2n * scaled + unit) / (2n * unit)) * unit, ZERO_DIGITS))
}

/* Query strings */

export const toList = (text: string | undefined) => text?.split(',').map((entry) => entry.trim().toLowerCase())
const orDefault = (text: string | undefined, otherwise: string) =>
  text === undefined || text === '' || text === 'null' ? otherwise : text

/** The entries of the page that is asked for. */
export function pageOf<Value>(values: readonly Value[], query: QueryText) {
  const pageSize = BigInt(orDefault(query.pageSize, '10'))
  const page = BigInt(orDefault(query.page, '1'))
  const before = (page === 0n ? 0n : page - 1n) * pageSize
  return values.filter((_, index) => BigInt(index) >= before && BigInt(index) < before + pageSize)
}

/* Incentives */

/** What the rules need of a claim. */
type Amount = Pick<Claim, 'amount'>

const figure = (incentive: Incentive, name: string) => BigInt(String(incentive[name]))
/** A figure the record may leave open, by absence or as an empty text. */
const recorded = (incentive: Incentive, name: string) =>
  incentive[name] === undefined || incentive[name] === '' ? undefined : figure(incentive, name)

export function amountClaimed(incentive: Incentive, claims: readonly Amount[]) {
  return recorded(incentive, 'totalAmountClaimed') ?? sum(claims.map(({ amount }) => amount))
}

export function remainingBudget(incentive: Incentive, claims: readonly Amount[]) {
  const balance = recorded(incentive, 'remainingBalance')
  if (balance !== undefined) return balance
  const { spends } = payoutOf(incentive)
  if (spends === 'claims that remain') {
    return figure(incentive, 'reward') * (incentive.strategy === 1 ? 1n : figure(incentive, 'limit'))
  }
  const left = figure(incentive, spends === 'totalBudget' ? spends : 'limit') - amountClaimed(incentive, claims)
  return left < 0n ? 0n : left
}

export function isSpent(incentive: Incentive, claims: readonly Amount[]) {
  if (recorded(incentive, 'remainingBalance') === 0n) return true
  const { spends } = payoutOf(incentive)
  if (spends === 'claims') return BigInt(claims.length) >= figure(incentive, 'limit')
  if (spends === 'claims that remain') return figure(incentive, 'limit') === 0n
  return amountClaimed(incentive, claims) >= figure(incentive, spends)
}

export const claimsOn = ({ claims }: Campaign, index: number) =>
  claims.filter(({ incentiveIndex }) => incentiveIndex === index)

export function isActive(campaign: Campaign, now: Date) {
  const { startTime, endTime, maxParticipants, incentives } = campaign.record
  if (startTime != null && Date.parse(startTime) > now.getTime()) return false
  if (endTime != null && Date.parse(endTime) <= now.getTime()) return false
  const claimants = new Set(campaign.claims.map(({ claimant }) => claimant)).size
  if (maxParticipants !== '0' && BigInt(claimants) >= BigInt(maxParticipants)) return false
  return incentives.length === 0 || !incentives.every((each, index) => isSpent(each, claimsOn(campaign, index)))
}

/* Filters */

const isPaid = ({ record, chainId }: Campaign, entry: string) =>
  record.incentives.some((each) => isToken(each) && lower(`${chainId}:${each.asset}`) === entry)

function matchesToken(campaign: Campaign, entry: string) {
  const { record, targets } = campaign
  const isNamed = (reference: { chainId: number; address: string } | null | undefined, key: string) =>
    reference != null && lower(`${reference.chainId}:${reference.address}`) === key
  if (entry.endsWith(':collection')) {
    const key = entry.slice(0, -':collection'.length)
    return isNamed(record.nftCollection, key) || targets.has(key)
  }
  return isPaid(campaign, entry) || isNamed(record.actionToken, entry)
}

function accessOf({ record: { allowList } }: Campaign, user: string, world: World) {
  switch (allowList?.type) {
    case 'SimpleAllowList':
      return isIn(user, allowList.addresses) ? 'allowed' : 'not-allowed'
    case 'SimpleDenyList':
      return isIn(user, allowList.addresses) ? 'denied' : 'allowed'
    case 'OffchainAccessList':
      return isIn(user, world.accessLists.get(allowList.accessListId ?? '')?.members) ? 'allowed' : 'not-allowed'
    default:
      return 'allowed'
  }
}

export function passesTrendingFilters(campaign: Campaign, query: QueryText, world: World) {
  const { record, chainId, template } = campaign
  const actionType = template === undefined ? undefined : lower(template.actionType)
  const chain = orDefault(query.chainId, '')
  const matches = [
    toList(query.budgetAccount)?.includes(lower(record.budget)),
    query.owner && lower(query.owner) === lower(record.owner),
    query.creator && lower(query.creator) === campaign.creator,
    query.autocampaignId && query.autocampaignId === record.autocampaignId,
    query.targetContract && campaign.targets.has(lower(`${BigInt(chain)}:${query.targetContract}`)),
    query.targetContract === undefined && chain !== '' ? BigInt(chain) === BigInt(chainId) : undefined,
    toList(query.tokens)?.some((entry) => matchesToken(campaign, entry)),
    toList(query.rewardToken)?.some((entry) => isPaid(campaign, entry)),
    toList(query.campaignId)?.includes(campaign.id),
    toList(query.incentiveType)?.some((type) => record.incentives.some((each) => lower(each.type) === type)),
    toList(query.actionType)?.some((type) => type === actionType),
    toList(query.distributionChannel)?.some((name) => record.distributionChannels?.some((own) => lower(own) === name)),
    query.search === undefined || isNamedBy(record, query.search, world.tokens),
    toList(query.includeActionTypes)?.some((type) => type === actionType),
    toList(query.excludeActionTypes)?.every((type) => type !== actionType),
    query.user && accessOf(campaign, lower(query.user), world) === 'allowed',
    orDefault(query.tokenWhitelist, 'true') === 'false' ||
      record.incentives.every(
        (each) => !isToken(each) || world.tokens.get(lower(`${chainId}:${each.asset}`))?.whitelisted === true,
      ),
  ]
  return matches.every((match) => match === undefined || match === true)
}

/* Trending */

/** The claims in (now − seconds, now]. */
const claimsWithin = (claims: Claim[], seconds: number, now: Date) =>
  claims.filter(({ milliseconds }) => milliseconds > now.getTime() - seconds * 1000 && milliseconds <= now.getTime())

const usdOf = (claims: Claim[]) => sum(claims.map(({ usd }) => usd))

/** The order of those that are equal in everything else. */
export const byId = (a: Campaign, b: Campaign) =>
  compare(a.chainId, b.chainId) || compare(a.core, b.core) || compare(a.identifier, b.identifier)

/** The body of `GET /reward-kit/trending`. */
export function expectedTrending(records: readonly ImportRecord[], query: QueryText, now: Date) {
  const world = worldOf(records)
  const period = SECONDS[query.period ?? '24h'] as number
  const ranked = world.campaigns
    .filter((campaign) => passesTrendingFilters(campaign, query, world))
    .map((campaign) => {
      const claims = claimsWithin(campaign.claims, period, now)
      return { campaign, count: claims.length, usd: usdOf(claims) }
    })
    .filter(({ campaign, count }) => count > 0 && isActive(campaign, now))
    .sort(
      (a, b) =>
        compare(b.usd, a.usd) ||
        compare(b.count, a.count) ||
        compare(b.campaign.newness, a.campaign.newness) ||
        byId(a.campaign, b.campaign),
    )
  const size = Number(orDefault(query.pageSize, '100'))
  return { trendingCampaigns: ranked.slice(0, size).map(({ campaign }) => trendingEntry(campaign, query, world, now)) }
}

function trendingEntry(campaign: Campaign, query: QueryText, world: World, now: Date) {
  const { record, template, claims } = campaign
  const distributed = (period: string) => toDollars(usdOf(claimsWithin(claims, SECONDS[period] ?? 0, now)), USD_SCALE)
  return {
    id: campaign.id,
    chainId: campaign.chainId,
    incentives: record.incentives.map((incentive) => trendingIncentive(incentive, campaign, world)),
    actionTemplate:
      template === undefined
        ? null
        : {
            id: lower(template.id),
            projectId: template.projectId,
            actionType: template.actionType,
            projectImage: template.projectImage,
            description: template.description ?? null,
            category: template.category ?? null,
          },
    ...statusOf(campaign, query.user, world),
    txHash: lower(record.txHash),
    blockTimestamp: record.blockTimestamp,
    campaignName: record.campaignName ?? undefined,
    nftImageUri: record.nftImageUri ?? undefined,
    nftName: record.nftName ?? undefined,
    tokenImageUri: record.tokenImageUri ?? undefined,
    projectUrl: record.projectUrl ?? undefined,
    verificationLevel: record.verificationLevel ?? undefined,
    startTime: record.startTime == null ? undefined : new Date(record.startTime).toISOString(),
    endTime: record.endTime == null ? undefined : new Date(record.endTime).toISOString(),
    claimCount: claims.length,
    ...budgetOf(campaign),
    usdDistributed1Hr: distributed('1h'),
    usdDistributed24Hr: distributed('24h'),
    actionTokenMetadata:
      orDefault(query.includeTokenMetadata, 'false') === 'true' ? actionTokenOf(campaign, world) : undefined,
  }
}

function statusOf(campaign: Campaign, user: string | undefined, world: World) {
  if (user === undefined) return { status: 'active' }
  const claimant = lower(user)
  const accessStatus = accessOf(campaign, claimant, world)
  if (campaign.claims.some((claim) => claim.claimant === claimant)) return { status: 'claimed', accessStatus }
  const [first] = campaign.signatures
    .filter((signature) => lower(signature.claimant) === claimant)
    .sort((a, b) => a.incentiveId - b.incentiveId)
  if (first === undefined) return { status: 'active', accessStatus }
  const { incentiveId, signature, referrer } = first
  return {
    status: 'claimable',
    accessStatus,
    signature: { claimant, incentiveId, signature, referrer: lower(referrer) },
  }
}

function budgetOf(campaign: Campaign) {
  const { incentives } = campaign.record
  const first = incentives.find(isToken)
  const paying = incentives
    .map((incentive, index) => ({ incentive, claims: claimsOn(campaign, index) }))
    .filter(
      ({ incentive }) => first !== undefined && isToken(incentive) && lower(incentive.asset) === lower(first.asset),
    )
  const claimed = sum(paying.map(({ incentive, claims }) => amountClaimed(incentive, claims)))
  const remaining = sum(paying.map(({ incentive, claims }) => remainingBudget(incentive, claims)))
  return { totalBudget: String(remaining + claimed), rewardsDistributed: String(claimed) }
}

function trendingIncentive(incentive: Incentive, { chainId }: Campaign, world: World) {
  const assetAddress = lower(incentive.asset ?? incentive.venue ?? incentive.allowListAddress)
  const tokenAt = (address: unknown) => world.tokens.get(lower(`${chainId}:${address}`))
  const token = tokenAt(assetAddress)
  // Points are a plain number of nothing that has a price, whatever is known of their venue.
  const paidIn = isPegged(incentive) ? tokenAt(incentive.peg) : isToken(incentive) ? token : undefined
  const maxReward = isCriteria(incentive) ? String(incentive.maxReward) : undefined
  const given = maxReward ?? incentive.initialReward ?? incentive.reward
  const rewardAmount = given === undefined ? undefined : String(given)
  const inDollars = (amount: string | undefined) =>
    amount === undefined || paidIn?.priceUsd == null
      ? undefined
      : toDollars(BigInt(amount) * toScaled(paidIn.priceUsd), USD_SCALE * 10n ** BigInt(paidIn.decimals))
  const rewardPercentage =
    payoutOf(incentive).reward.includes('share') && incentive.reward !== '0'
      ? Number(shiftPoint(figure(incentive, 'reward'), 16))
      : undefined
  return {
    type: incentive.type,
    assetAddress,
    rewardAmount,
    rewardAmountFormatted: formatted(incentive, rewardAmount, paidIn),
    rewardUsdValue: inDollars(rewardAmount),
    maxReward,
    maxRewardUsdValue: inDollars(maxReward),
    rewardPercentage,
    rebatePercentage: incentive.rebatePercentage ?? rewardPercentage,
    tokenSymbol: token?.symbol,
    tokenImageUri: token?.imageUri,
    metadata: metadataOf(token),
  }
}

export function metadataOf(token: TokenRecord | undefined) {
  if (token === undefined) return null
  const { chainId, decimals, name, symbol, imageUri } = token
  const address = lower(token.address)
  return { id: `${chainId}:${address}`, chainId, address, decimals, name, symbol, imageUri }
}

function formatted(incentive: Incentive, amount: string | undefined, token: TokenRecord | undefined) {
  if (amount === undefined || payoutOf(incentive).pays === 'points') return amount
  return token === undefined ? undefined : shiftPoint(BigInt(amount), token.decimals)
}

function actionTokenOf({ record: { actionToken }, template }: Campaign, world: World) {
  if (actionToken == null || lower(template?.actionType) !== 'swap') return undefined
  const token = world.tokens.get(lower(`${actionToken.chainId}:${actionToken.address}`))
  if (token === undefined) return undefined
  return {
    tokenSymbol: token.symbol,
    tokenContract: lower(token.address),
    chainId: token.chainId,
    tokenImage: token.imageUri,
    decimals: token.decimals,
    marketCap: token.marketCap ?? undefined,
    priceChange24Hr: token.priceChange24Hr ?? undefined,
    volume24Hr: token.volume24Hr ?? undefined,
    priceUsd: token.priceUsd == null ? undefined : toTwelveDigits(token.priceUsd),
    holders: token.holders ?? undefined,
  }
}

/* Contracts */

/** The body of `GET /explore/contracts`, and what `x-total-count` says. */
export function expectedContracts(records: readonly ImportRecord[], query: QueryText, now: Date) {
  const world = worldOf(records)
  const campaigns = world.campaigns.filter(
    ({ creator }) => query.creator === undefined || lower(query.creator) === creator,
  )
  const chains = toList(query.chainIds)?.map(BigInt)
  const contracts = [...new Set(campaigns.flatMap(({ targets }) => [...targets]))]
    .map((key) => {
      const [chainId = '', address = ''] = key.split(':')
      const own = campaigns.filter(({ targets }) => targets.has(key))
      const all = own.flatMap(({ claims }) => claims)
      const claims = query.timeRange === undefined ? all : claimsWithin(all, SECONDS[query.timeRange] ?? 0, now)
      const newest = own.map(({ newness }) => newness).reduce((max, each) => (each > max ? each : max))
      return { key, chainId: BigInt(chainId), address, campaignCount: own.length, newest, claims, usd: usdOf(claims) }
    })
    .filter(({ chainId }) => chains === undefined || chains.includes(chainId))

  type Contract = (typeof contracts)[number]
  const orders: Record<string, (a: Contract, b: Contract) => number> = {
    'most-completions': (a, b) => compare(b.claims.length, a.claims.length),
    'total-spend': (a, b) => compare(b.usd, a.usd),
    'recently-deployed': (a, b) => compare(b.newest, a.newest),
  }
  const chosen = query.sortBy ?? 'most-completions'
  const order = [chosen, ...Object.keys(orders).filter((name) => name !== chosen)].map((name) => orders[name])
  contracts.sort((a, b) => {
    const difference = order.map((by) => by?.(a, b)).find((found) => found !== 0)
    return difference ?? (compare(a.chainId, b.chainId) || compare(a.address, b.address))
  })

  return {
    totalCount: contracts.length,
    body: pageOf(contracts, query).map(({ key, chainId, address, campaignCount, claims, usd }) => ({
      chainId: Number(chainId),
      address,
      name: world.contractNames.get(key) ?? '',
      stats: { campaignCount, totalClaims: claims.length, totalAmountClaimedUsd: toDollars(usd, USD_SCALE) },
    })),
  }
}
