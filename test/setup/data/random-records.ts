import { campaignFields, recordSchemasOf } from '../../../src/database/campaign-fields.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type {
  AccessListRecord,
  ActionTemplateRecord,
  ClaimProofRecord,
  ClaimRecord,
  ClaimSignatureRecord,
  ContractRecord,
  ImportRecord,
  TokenRecord,
} from '../../../src/ingest/records.ts'
import { type IncentiveType, incentiveTypes } from '../../../src/schemas/campaigns/incentives.ts'
import { aHash, anAddress, aStep, inUpperCase } from '../records.ts'
import { identityOf } from '../second-opinion/second-opinion.ts'
import { fieldsBySchema, valuesBySchema } from './fields-by-schema.ts'
import { aPayload } from './payloads.ts'

/*
 * Random records that are hard on anyone who adds them up: few of everything, so that equal sums, counts and times are
 * frequent; extreme amounts; the same addresses on several chains and in several spellings; and records that replace
 * each other. Any batch may be imported after those before it.
 */

export type Random = ReturnType<typeof createRandom>

/** Random choices, the same for the same seed. */
export function createRandom(seed: number) {
  let state = seed
  const fraction = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const chance = (share: number) => fraction() < share
  const integer = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1))
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(fraction() * values.length)] as Value
  const some = <Value>(values: readonly Value[], share: number) => values.filter(() => chance(share))
  const shuffled = <Value>(values: readonly Value[]) =>
    values
      .map((value) => ({ value, rank: fraction() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ value }) => value)
  const inAnyCase = (text: string) => (chance(0.5) ? text : chance(0.5) ? text.toUpperCase() : text.toLowerCase())
  const addressInAnyCase = (address: string) => (chance(0.7) ? address : inUpperCase(address))
  return { fraction, chance, integer, pick, some, shuffled, inAnyCase, addressInAnyCase }
}

const HOUR = 3600
const DAY = 86_400
const MAX = String(2n ** 256n - 1n)
const ZERO = `0x${'0'.repeat(40)}`

const chains = [9, 10, 8453]
const cores = [anAddress('core 1'), anAddress('core 2')]
const identifiers = ['9', '10', '11', '100', '2', MAX]
export const people = [1, 2, 3, 4, 5, 6, 7].map((number) => anAddress(`person ${number}`))
/** Those who claim. The others are only on lists or have signatures. */
const claimants = people.slice(0, 4)
const assets = [1, 2, 3, 4].map((number) => anAddress(`asset ${number}`))
const targets = [...[1, 2, 3].map((number) => anAddress(`target ${number}`)), assets[0] as string]
/** As a target: any contract. It takes the place of one that was drawn, so that it draws nothing of its own. */
const ANY_CONTRACT = ZERO
const collections = [targets[0] as string, anAddress('collection')]
const venue = anAddress('venue')
export const validator = anAddress('validator')
const tokenNames = ['Token', 'Übercoin (bridged)', 'wrapped  Ether', '$Dollar 50%']
const campaignNames = ['Name', 'Swap to CRÈME', 'Dollar-swap', '50% на токены']
const channels = ['Public', 'PUBLIC', 'partners', 'Zürich']
const templates = ['swap', 'Swap', 'mint', 'ÉCHANGE'].map(
  (actionType, index): ActionTemplateRecord => ({
    type: 'actionTemplate',
    id: `0000000${index}-abcd-4000-8000-00000000000${index}`,
    projectId: `project ${index}`,
    actionType,
    projectImage: '',
    ...(index === 0 ? {} : { description: index === 1 ? null : 'What to do', category: index === 2 ? null : 'defi' }),
  }),
)
const rewards = ['0', '1', '10', '123456789', '1000000000000000000', '12345678901234567890', MAX]
const limits = ['1', '3', '1000000', MAX, MAX, MAX]
const claimed = ['0', '1', '1', '3', '1000000000000000000', MAX]
const dollars = ['0', '1', '1', '0.5', '0.50', '2', '0.0000005', '0.0000004', '1.4999995', '9007199254740993.25']
const hardDollars = [`0.${'0'.repeat(59)}1`, `${'9'.repeat(60)}.${'9'.repeat(60)}`, `0.000000${'4'.repeat(54)}`]
const prices = ['0', '1', '0.999999499999', '3120.55', `0.${'0'.repeat(30)}1234567890125`, `1${'0'.repeat(59)}.5`]
/** Seconds before the base; around the edges of all windows, several claims at each. */
const ages = [0, HOUR, 6 * HOUR, DAY, 7 * DAY].flatMap((age) => [age - 1, age, age, age + 1, age + 600, age - 600])

export const campaignIds = chains.flatMap((chain) =>
  cores.flatMap((core) => identifiers.map((id) => `${chain}:${core}:${id}`)),
)

const lower = (text: unknown) => String(text).toLowerCase()
const chainOf = (id: string) => id.split(':')[0]

function randomTokens({ chance, pick, some, addressInAnyCase }: Random): TokenRecord[] {
  const maybe = (value: number) => pick([null, value, -value, 0])
  return chains.flatMap((chainId) =>
    some([...assets, ZERO, venue], 0.7).map(
      (address): TokenRecord => ({
        type: 'token',
        chainId,
        address: addressInAnyCase(address),
        decimals: pick([0, 6, 18, 18, 77, 255]),
        name: tokenNames[assets.indexOf(address)] ?? 'Token',
        symbol: pick(['ONE', 'TWO', '']),
        imageUri: 'https://images.example/token.png',
        ...(chance(0.1) ? {} : { whitelisted: chance(0.85) }),
        ...(chance(0.2) ? {} : { priceUsd: pick([null, ...prices]) }),
        ...(chance(0.5)
          ? {}
          : { marketCap: maybe(1.5e12), priceChange24Hr: maybe(0.1), volume24Hr: maybe(7), holders: maybe(3) }),
      }),
    ),
  )
}

/** Of which one is in force, or none is known to be. */
const roots = [aHash('root 1'), aHash('root 2')]

/** An incentive that is claimed by proofs, of a number. */
function timeBasedIncentive(number: number, base: number): CampaignRecord['incentives'][number] {
  const of = <Value>(values: readonly Value[], by: number) => values[Math.floor(number / by) % values.length] as Value
  const until = base + of([-HOUR, 0, 1, HOUR, DAY, 90 * DAY], 7)
  return {
    ...{ type: 'TimeBasedIncentive', asset: of(assets, 3), limit: of(limits, 5) },
    ...of([{}, { totalAmountClaimed: '' }, { totalAmountClaimed: '1', totalClaims: '5' }], 2),
    ...of([{}, {}, { remainingBalance: '0' }, { remainingBalance: '12345678901234567890' }], 17),
    ...of([{}, ...claimed.map((committed) => ({ committed }))], 11),
    claimUntil: new Date(until * 1000).toISOString(),
    ...of(
      [{ openEnded: false }, ...['0', '1', '10000000000', MAX].map((rate) => aRate(rate)), { openEnded: true }],
      13,
    ),
    ...{ isFinal: number % 2 === 0, configHash: inUpperCase(aHash(`terms ${number % 9}`)) },
    ...of([{}, ...roots.map((root) => ({ root: inUpperCase(root) }))], 19),
  }
}

const aRate = (emissionRate: string) => ({ openEnded: true, emissionRate })

const pegs = [ZERO, ...assets, anAddress('unknown token')]

/** What the schema of a variant says, with what was drawn for it. */
function incentiveBySchema(type: IncentiveType, drawn: object) {
  const fields = fieldsBySchema(type, anAddress)
  return { type, ...fields, ...Object.fromEntries(Object.entries(drawn).filter(([name]) => name in fields)) }
}

function randomIncentive({ chance, pick, addressInAnyCase }: Random): CampaignRecord['incentives'][number] {
  const asset = addressInAnyCase(pick([assets[0], assets[0], ...assets, anAddress('unknown token')]) as string)
  const reward = pick(rewards)
  const limit = chance(0.05) ? '0' : pick(limits)
  const figures = {
    ...(chance(0.7) ? {} : { claimedAmount: pick(['', ...claimed]) }),
    ...(chance(0.7) ? {} : { totalAmountClaimed: pick(['', '', ...claimed]) }),
    ...(chance(0.7) ? {} : { totalClaims: pick(['', '5']) }),
    ...(chance(0.7) ? {} : { remainingBalance: pick(['0', '1', ...rewards]) }),
  }
  const drawnPeg = pick(pegs)
  const peg = addressInAnyCase(drawnPeg)
  const maxReward = pick(rewards)
  const criteriaType = pick([0, 1])
  const drawnTarget = addressInAnyCase(pick(targets))
  const criteria = {
    ...{ criteriaType, signature: '0xa9059cbb', fieldIndex: 1 },
    targetContract: maxReward === rewards[0] ? ANY_CONTRACT : drawnTarget,
  }
  const scaled = {
    maxReward,
    ...(chance(0.6) ? {} : { rebatePercentage: pick([0, 2.5, 100]) }),
  }
  const budgeted = { asset, reward, limit, ...figures }
  const scaledV1 = () => ({ ...budgeted, ...scaled, criteria })
  const scaledV2 = () => ({ ...budgeted, ...scaled, criteria: { ...criteria, valueType: pick([0, 1]) } })
  const fields: Partial<Record<IncentiveType, () => object>> = {
    AllowListIncentive: () => ({
      allowListAddress: addressInAnyCase(pick([anAddress('allow list'), ...assets])),
      limit,
    }),
    CGDAIncentive: () => ({ asset, initialReward: reward, rewardDecay: '1', rewardBoost: '2', totalBudget: limit }),
    ERC20Incentive: () => ({ strategy: pick([0, 1]), ...budgeted }),
    PointsIncentive: () => ({ venue: addressInAnyCase(venue), selector: '0x40c10f19', reward, limit }),
    ERC20VariableIncentive: () => budgeted,
    ERC20VariableCriteriaIncentive: scaledV1,
    ERC20VariableCriteriaIncentiveV2: scaledV2,
    ERC20PeggedIncentive: () => ({ peg, ...budgeted }),
    ERC20PeggedVariableCriteriaIncentive: () => ({ peg, ...scaledV1() }),
    ERC20PeggedVariableCriteriaIncentiveV2: () => ({ peg, ...scaledV2() }),
  }
  const type = pick(Object.keys(fields) as (keyof typeof fields)[])
  const drawn = { type, ...fields[type]?.() }
  // A variant that is not above takes the place of some, by what was drawn: a choice of its own would change all that come after it.
  const others = incentiveTypes.filter((one) => !(one in fields) && one !== 'TimeBasedIncentive')
  const other = others[pegs.indexOf(drawnPeg)]
  return other === undefined ? drawn : incentiveBySchema(other, budgeted)
}

function randomActionClaimant({ pick, addressInAnyCase }: Random): CampaignRecord['actionClaimant'] {
  const claimant = {
    signature: '0xDDF252ad',
    signatureName: 'Transfer(address,address,uint256)',
    signatureType: pick(['event', 'function'] as const),
    fieldIndex: pick([0, 1, 255]),
    targetContract: addressInAnyCase(pick(targets)),
    targetContractName: pick(['', 'Router']),
    chainId: pick(chains),
  }
  return claimant.fieldIndex === 255 ? { ...claimant, targetContract: ANY_CONTRACT } : claimant
}

/** More than a list shows, or just as many. */
const manyPeople = (count: number) => Array.from({ length: count }, (_, index) => anAddress(`member ${index}`))

function randomAllowList({ chance, pick, some, addressInAnyCase }: Random): CampaignRecord['allowList'] {
  const type = pick(['SimpleAllowList', 'SimpleDenyList', 'OpenAllowList', 'OffchainAccessList'] as const)
  const few = some(people, type === 'SimpleAllowList' ? 0.8 : 0.3).map(addressInAnyCase)
  const addresses = chance(0.25) ? [...few, ...manyPeople(pick([100 - few.length, 101]))] : pick([null, few])
  return {
    owner: pick(people),
    contractAddress: anAddress('allow list'),
    type,
    ...(chance(0.1) ? {} : { addresses }),
    ...(type === 'OffchainAccessList' && chance(0.8) ? { accessListId: pick(['list A', 'list a']) } : {}),
  }
}

/** A number from 0 of a campaign, the same for the same seed whatever the clock says. */
const numberOf = (blockTimestamp: string, base: number) => Number(blockTimestamp) - base + 10 * DAY

const maxima = [null, 1, 2, 5, 'unlimited', 'unlimited', 3] as const

function randomCampaign(id: string, leastIncentives: number, base: number, random: Random): CampaignRecord {
  const { chance, integer, pick, some, addressInAnyCase } = random
  const text = (value: string) => pick([undefined, null, '', value])
  const near = (offset: number) => new Date((base + offset) * 1000 + pick([0, 0, 1, 500, 999])).toISOString()
  const incentives = Math.max(leastIncentives, chance(0.1) ? 0 : integer(1, 4))
  const reference = (addresses: readonly string[]) =>
    chance(0.4) ? pick([null, undefined]) : { chainId: pick(chains), address: addressInAnyCase(pick(addresses)) }
  const steps = Array.from({ length: integer(0, 3) }, (_, position) => {
    const drawnTarget = addressInAnyCase(pick(targets))
    return aStep(position === 2 ? ANY_CONTRACT : drawnTarget, pick(chains))
  })
  const optional = {
    allowList: chance(0.2) ? pick([null, undefined]) : randomAllowList(random),
    actionSteps: steps.length === 0 ? pick([null, undefined, []]) : steps,
    creator: pick([null, undefined, ...people.map(addressInAnyCase)]),
    campaignName: text('Name'),
    nftImageUri: text('https://images.example/nft.png'),
    nftName: text('NFT'),
    tokenImageUri: text('https://images.example/token.png'),
    projectImageUri: text('https://images.example/project.png'),
    projectUrl: text('https://project.example'),
    verificationLevel: text('high'),
    actionTemplateId: chance(0.25) ? pick([null, undefined]) : pick(templates).id,
    customAction: pick([undefined, true, false]),
    startTime: chance(0.75) ? pick([null, undefined]) : near(pick([-DAY, -HOUR, 0, HOUR])),
    endTime: chance(0.75) ? pick([null, undefined]) : near(pick([-HOUR, 0, HOUR, DAY, 8 * DAY])),
    distributionChannels: pick([null, undefined, some(channels, 0.5)]),
    autocampaignId: pick([null, undefined, 'auto', 'AUTO']),
    actionToken: reference(assets),
    nftCollection: reference(collections),
    campaignIndex: pick([undefined, '0', MAX]),
    templateId: text('template'),
    nftMetadataId: text('metadata'),
    createdAtBlockchainNumbers: pick([undefined, null, {}, { '8453': '22222222', '10': MAX }]),
    actionClaimant: chance(0.5) ? pick([null, undefined]) : randomActionClaimant(random),
  }
  const blockTimestamp = String(base - (chance(0.5) ? pick([9 * DAY, 10 * DAY, 0, -100]) : integer(0, 10 * DAY)))
  const number = numberOf(blockTimestamp, base)
  const campaign: CampaignRecord = {
    type: 'campaign',
    id: id.replace(/0x[0-9a-f]+/, (core) => addressInAnyCase(core)),
    action: anAddress('action'),
    budget: addressInAnyCase(pick([anAddress('budget 1'), anAddress('budget 2'), anAddress('budget 3')])),
    owner: addressInAnyCase(pick(people)),
    validator,
    blockTimestamp,
    txHash: addressInAnyCase(aHash(`campaign ${id}`)),
    protocolFee: '0',
    maxParticipants: chance(0.8) ? '0' : pick(['1', '2', '3', '4', MAX]),
    incentives: Array.from({ length: incentives }, () => randomIncentive(random)).map((incentive, index) =>
      number % 6 === index ? timeBasedIncentive(number, base) : incentive,
    ),
    ...withoutUndefined(optional),
    // No choices of their own, which would change all that come after them.
    ...(optional.campaignName && { campaignName: campaignNames[number % 4] ?? null }),
    maxClaimsPerClaimant: maxima[number % maxima.length] ?? null,
  }
  // So are fields that are not above: each campaign has all of them, or none.
  return number % 2 === 0 ? campaign : { ...without(allFields, { ...campaign, ...optional }), ...campaign }
}

/** Each field of campaigns with a value by its schema. */
const allFields = valuesBySchema(recordSchemasOf(campaignFields), anAddress)

const without = (fields: object, others: object) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !(name in others)))

/** JSON knows no `undefined`, and the import takes records as they are. */
const withoutUndefined = <Parts extends object>(parts: Parts) =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Parts]: Exclude<Parts[Key], undefined>
  }

function randomClaim(campaign: CampaignRecord, base: number, random: Random): ClaimRecord {
  const { chance, integer, pick, addressInAnyCase } = random
  const age = chance(0.1) ? -pick([1, 60, HOUR, 2 * DAY]) : pick(ages) + (chance(0.3) ? integer(-HOUR, HOUR) : 0)
  return {
    type: 'claim',
    campaignId: campaign.id,
    incentiveIndex: integer(0, campaign.incentives.length - 1),
    claimant: addressInAnyCase(pick(claimants)),
    amount: chance(0.02) ? MAX : pick(['0', '1', '1', '2', '1000000000000000000']),
    txHash: addressInAnyCase(aHash(`claim ${integer(1, 100)}`)),
    logIndex: integer(0, 1),
    blockTimestamp: String(base - age),
    ...(chance(0.1) ? {} : { amountUsd: chance(0.2) ? null : chance(0.04) ? pick(hardDollars) : pick(dollars) }),
  }
}

/** What validators sign: amounts of tokens, and shares of some. */
export const SIGNED_AMOUNTS = [0n, 1n, 999_999n, 12_345_678n, 10n ** 12n, 10n ** 18n, 7n * 10n ** 19n]

/** The whole data of a claim, or less. */
const randomSignature = (number: number) =>
  number % 5 < 2 ? `0xAb${number}` : aPayload(SIGNED_AMOUNTS[number % SIGNED_AMOUNTS.length] ?? 0n)

const isTimeBased = (campaign: CampaignRecord | undefined, index: number) =>
  campaign?.incentives[index]?.type === 'TimeBasedIncentive'

/** Proofs of some people, by the numbers of the campaign: choices of their own would change all that come after them. */
function proofsOn({ id, blockTimestamp }: CampaignRecord, base: number): ClaimProofRecord[] {
  const number = numberOf(blockTimestamp, base)
  return people.flatMap((claimant, index) => {
    if ((number + index) % 3 === 0) return []
    const amounts = ['0', '1', '2', '1000000', '3000000000000000000', MAX]
    return {
      ...{ type: 'claimProof' as const, campaignId: id, claimant: index % 2 === 0 ? claimant : inUpperCase(claimant) },
      cumulativeAmount: amounts[(number + index) % amounts.length] ?? '0',
      proof: ['left', 'right'].slice(0, (number + index) % 3).map((word) => aHash(word)),
      root: roots[(number + index) % 2] ?? '',
    }
  })
}

/** Records that may be imported in one call, in this order, where `stored` are. */
export function randomBatch(stored: readonly ImportRecord[], base: number, random: Random): ImportRecord[] {
  const { chance, integer, pick, some, shuffled, addressInAnyCase } = random
  const facts = [...new Map(stored.map((record) => [identityOf(record), record])).values()]
  const isFirst = stored.length === 0
  // Small ones leave most campaigns as they are.
  const isLarge = isFirst || chance(0.5)
  const accessLists = ['list A', 'list a'].map(
    (id): AccessListRecord => ({
      type: 'accessList',
      id,
      userId: 'user',
      name: id,
      createdAt: '2025-01-01T00:00:00Z',
      members: [...some(people, 0.5), ...some(people, 0.3).map(addressInAnyCase)],
    }),
  )
  const contracts = chains.flatMap((chainId) =>
    some(targets, isFirst ? 0.5 : 0.1).map(
      (address): ContractRecord => ({
        type: 'contract',
        chainId,
        address: addressInAnyCase(address),
        name: pick(['Router', 'Vault', '']),
      }),
    ),
  )

  // A campaign keeps the incentives that something stored refers to.
  const least = new Map<string, number>()
  for (const record of facts) {
    if (record.type !== 'claim' && record.type !== 'claimSignature' && record.type !== 'claimProof') continue
    const index =
      record.type === 'claim' ? record.incentiveIndex : record.type === 'claimProof' ? 0 : record.incentiveId
    least.set(lower(record.campaignId), Math.max(least.get(lower(record.campaignId)) ?? 0, index + 1))
  }
  const campaigns = some(campaignIds, isFirst ? 0.9 : 0.2).map((id) =>
    randomCampaign(id, least.get(id) ?? 0, base, random),
  )
  const present = new Map<string, CampaignRecord>()
  for (const record of [...facts, ...campaigns]) if (record.type === 'campaign') present.set(lower(record.id), record)
  const claimable = [...present.values()].filter(({ incentives }) => incentives.length > 0)
  const claims = Array.from({ length: isLarge ? integer(100, 160) : integer(0, 8) }, () =>
    randomClaim(pick(claimable), base, random),
  )
  // Some of the stored claims move: in time, to another incentive, to another campaign of the chain.
  const moved = some(
    facts.filter((record) => record.type === 'claim'),
    isLarge ? 0.15 : 0.02,
  ).map((claim): ClaimRecord => {
    const own = claimable.filter(({ id }) => chainOf(id) === chainOf(claim.campaignId))
    const { txHash, logIndex } = claim
    return { ...randomClaim(pick(own), base, random), txHash, logIndex }
  })
  const signatures = Array.from({ length: integer(60, 100) }, (): ClaimSignatureRecord => {
    const campaign = pick(claimable)
    return {
      type: 'claimSignature',
      campaignId: campaign.id,
      incentiveId: integer(0, campaign.incentives.length - 1),
      claimant: addressInAnyCase(pick(people)),
      signature: randomSignature(integer(0, 1e9)),
      referrer: addressInAnyCase(pick([ZERO, ...people])),
    }
  })
  const isProven = ({ campaignId, incentiveId }: ClaimSignatureRecord) =>
    isTimeBased(present.get(lower(campaignId)), incentiveId)
  const proofs = campaigns
    .filter((campaign) => isTimeBased(campaign, 0))
    .flatMap((campaign) => proofsOn(campaign, base))
  return shuffled<ImportRecord>([
    ...(isFirst ? [...templates, ...accessLists] : some([...templates, ...accessLists], 0.2)),
    ...some(randomTokens(random), isFirst ? 1 : 0.2),
    ...contracts,
    ...campaigns,
    ...claims,
    ...moved,
    ...signatures,
  ])
    .filter((record) => !(record.type === 'claimSignature' && isProven(record)))
    .concat(proofs)
}
