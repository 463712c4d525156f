import type { ImportRecord } from '../../../src/ingest/records.ts'
import { facetNames } from '../../../src/schemas/campaigns/campaign-facets.ts'
import type { Random } from '../data/random-records.ts'
import { anAddress } from '../records.ts'
import type { QueryText } from './second-opinion.ts'

/*
 * Random questions to the public operations, about values that occur in the data and some that do not.
 */

const nobody = anAddress('nobody')

/** Values of parameters that occur in the data. */
export interface Vocabulary {
  ids: string[]
  budgets: string[]
  owners: string[]
  creators: string[]
  users: string[]
  transactions: string[]
  autocampaigns: string[]
  channels: string[]
  chains: number[]
  targets: { chainId: number; address: string }[]
  tokens: string[]
  actionTypes: string[]
  incentiveTypes: string[]
  /** Names of campaigns and of tokens. */
  names: string[]
}

export function vocabularyOf(records: readonly ImportRecord[]): Vocabulary {
  const ofType = <Type extends ImportRecord['type']>(type: Type) =>
    records.filter((record): record is Extract<ImportRecord, { type: Type }> => record.type === type)
  const campaigns = ofType('campaign')
  const present = <Value>(values: (Value | null | undefined)[]) => values.filter((value) => value != null) as Value[]
  const targets = campaigns.flatMap(({ actionSteps }) =>
    (actionSteps ?? []).map(({ chainId, targetContract }) => ({ chainId, address: targetContract })),
  )
  const named = (references: { chainId: number; address: string }[]) =>
    references.map(({ chainId, address }) => `${chainId}:${address}`)
  return {
    ids: campaigns.map(({ id }) => id),
    budgets: campaigns.map(({ budget }) => budget),
    owners: campaigns.map(({ owner }) => owner),
    creators: campaigns.map(({ creator, owner }) => creator ?? owner),
    users: [
      ...new Set([
        ...ofType('claim').map(({ claimant }) => claimant.toLowerCase()),
        ...ofType('claimSignature').map(({ claimant }) => claimant.toLowerCase()),
        ...ofType('claimProof').map(({ claimant }) => claimant.toLowerCase()),
        ...campaigns.flatMap(({ allowList }) => allowList?.addresses?.slice(0, 3) ?? []),
      ]),
    ],
    transactions: [...new Set(ofType('claim').map(({ txHash }) => txHash))],
    autocampaigns: present(campaigns.map(({ autocampaignId }) => autocampaignId)),
    channels: campaigns.flatMap(({ distributionChannels }) => distributionChannels ?? []),
    chains: campaigns.map(({ id }) => Number(id.split(':')[0])),
    targets,
    tokens: [
      ...campaigns.flatMap(({ id, incentives }) => incentives.map(({ asset }) => `${id.split(':')[0]}:${asset}`)),
      ...named(present(campaigns.map(({ actionToken }) => actionToken))),
      ...named(present(campaigns.map(({ nftCollection }) => nftCollection))).map((key) => `${key}:collection`),
      ...named(targets).map((key) => `${key}:collection`),
    ].filter((entry) => !entry.includes('undefined')),
    actionTypes: ofType('actionTemplate').map(({ actionType }) => actionType),
    incentiveTypes: campaigns.flatMap(({ incentives }) => incentives.map(({ type }) => type)),
    names: [
      ...present(campaigns.map(({ campaignName }) => campaignName)),
      ...ofType('token').flatMap(({ name, symbol }) => [name, symbol]),
    ].filter((name) => name.trim() !== ''),
  }
}

const isPlainToken = (entry: string) => !entry.endsWith(':collection')

const drawFrom = (random: Random) => ({
  one: (values: readonly string[], otherwise: string) =>
    values.length === 0 || random.chance(0.05) ? otherwise : random.pick(values),
  many: (values: readonly string[], otherwise: string) =>
    Array.from({ length: random.integer(1, 3) }, () =>
      values.length === 0 || random.chance(0.1) ? otherwise : random.inAnyCase(random.pick(values)),
    )
      .map((entry) => entry.replace('0X', '0x').replace('COLLECTION', 'collection'))
      .join(random.pick([',', ' , '])),
})

/** Filters that the list and the trending operation share. */
function campaignFilters(words: Vocabulary, random: Random): QueryText {
  const { chance, pick, addressInAnyCase } = random
  const { one, many } = drawFrom(random)
  const rarely = (make: () => QueryText): QueryText => (chance(0.12) ? make() : {})
  const target = words.targets.length > 0 ? pick(words.targets) : { chainId: 1, address: nobody }
  return {
    ...(chance(0.6) ? { tokenWhitelist: 'false' } : chance(0.5) ? { tokenWhitelist: pick(['true', '', 'null']) } : {}),
    ...rarely(() => ({ budgetAccount: many(words.budgets, nobody) })),
    ...rarely(() => ({ owner: addressInAnyCase(one(words.owners, nobody)) })),
    ...rarely(() => ({ autocampaignId: one(words.autocampaigns, 'none') })),
    ...rarely(() => ({ chainId: pick([...words.chains.map(String), '', 'null', '123456']) })),
    ...rarely(() => ({ chainId: String(target.chainId), targetContract: addressInAnyCase(target.address) })),
    ...rarely(() => ({ tokens: many(words.tokens, `1:${nobody}`) })),
    ...rarely(() => ({ rewardToken: many(words.tokens.filter(isPlainToken), `1:${nobody}`) })),
    ...rarely(() => ({ distributionChannel: many(words.channels, 'none') })),
  }
}

/** Beginnings of words, as somebody writes them. */
export function someWords({ names }: Vocabulary, { chance, pick, integer, inAnyCase }: Random) {
  if (names.length === 0) return 'none'
  return Array.from({ length: integer(1, 2) }, () => {
    const word = pick(pick(names).trim().split(/\s+/u)).replace(/[:&|'!()<>]/g, '')
    const begun = word.slice(0, integer(1, Math.max(1, word.length)))
    return inAnyCase(chance(0.3) ? begun.normalize('NFKD').replace(/\p{M}/gu, '') : begun) || 'none'
  }).join(pick([' ', '  ']))
}

/** Some of the counts that a page can have beside it. */
export const someFacets = ({ chance, pick, some, shuffled }: Random): QueryText => ({
  facets: (chance(0.4) ? facetNames : shuffled(['isActive', ...some(facetNames.slice(0, -1), 0.4)])).join(),
  ...(chance(0.7) ? { facetSize: pick(['1', '2', '4', '50']) } : {}),
})

export function campaignsQuery(words: Vocabulary, random: Random): QueryText {
  const { chance, pick } = random
  const { many } = drawFrom(random)
  const rarely = (make: () => QueryText): QueryText => (chance(0.05) ? make() : {})
  return {
    ...campaignFilters(words, random),
    ...rarely(() => ({ campaignId: many(words.ids, '1:0x00000000000000000000000000000000000000ff:7') })),
    ...rarely(() => ({ incentiveType: many(words.incentiveTypes, 'CGDAIncentive') })),
    ...rarely(() => ({ actionType: many(words.actionTypes, 'none') })),
    ...(chance(0.15) ? { search: someWords(words, random) } : {}),
    ...(chance(0.6) ? { sortBy: pick(['recently-deployed', 'active', 'active', 'ending-soon']) } : {}),
    ...(chance(0.3) ? someFacets(random) : {}),
    ...(chance(0.2) ? { actionTemplateOnly: pick(['true', 'false']) } : {}),
    ...(chance(0.3) ? { showActiveOnly: pick(['true', 'true', 'false']) } : {}),
    ...(chance(0.6) ? { pageSize: pick(['0', '1', '2', '3', '7', '100', '100', '', 'null']) } : {}),
    ...(chance(0.3) ? { page: pick(['0', '1', '2', '2', '3', '4', '', 'null', '9007199254740991']) } : {}),
  }
}

export function trendingQuery(words: Vocabulary, random: Random): QueryText {
  const { chance, pick, addressInAnyCase } = random
  const { one, many } = drawFrom(random)
  const rarely = (make: () => QueryText): QueryText => (chance(0.12) ? make() : {})
  return {
    ...campaignFilters(words, random),
    ...(chance(0.7) ? { period: pick(['1h', '24h']) } : {}),
    ...(chance(0.7) ? { includeTokenMetadata: pick(['true', 'true', 'true', 'false', '', 'null']) } : {}),
    ...(chance(0.4) ? { user: addressInAnyCase(one(words.users, nobody)) } : {}),
    ...rarely(() => ({ pageSize: pick(['0', '1', '3', '100', '', 'null']) })),
    ...rarely(() => ({ creator: addressInAnyCase(one(words.creators, nobody)) })),
    ...rarely(() => ({ includeActionTypes: many(words.actionTypes, 'none') })),
    ...rarely(() => ({ excludeActionTypes: many(words.actionTypes, 'none') })),
  }
}

export function contractsQuery(words: Vocabulary, random: Random): QueryText {
  const { chance, pick, addressInAnyCase } = random
  const { one, many } = drawFrom(random)
  const chains = words.targets.map(({ chainId }) => String(chainId))
  return {
    ...(chance(0.7) ? { timeRange: pick(['6h', '24h', '7d']) } : {}),
    ...(chance(0.7) ? { sortBy: pick(['most-completions', 'total-spend', 'recently-deployed']) } : {}),
    ...(chance(0.25) ? { chainIds: many(chains, '123456') } : {}),
    ...(chance(0.25) ? { creator: addressInAnyCase(one(words.creators, nobody)) } : {}),
    ...(chance(0.6) ? { pageSize: pick(['0', '1', '2', '3', '7', '100', '100', '', 'null']) } : {}),
    ...(chance(0.3) ? { page: pick(['0', '1', '2', '2', '3', '4', '', 'null', '9007199254740991']) } : {}),
  }
}
