import { accessListRecords, drawAccounts, profileRecords } from './accounts.ts'
import { type Collections, drawCollections } from './campaigns/actions.ts'
import { drawCampaign, type SampleCampaign } from './campaigns/campaigns.ts'
import { drawTimelines } from './campaigns/lifecycles.ts'
import { claimRecords } from './claims.ts'
import { facts, projectImageUri, tokenImageUri } from './facts.ts'
import { tokenPriceRecords } from './prices.ts'
import { createRandom, type Random } from './random.ts'
import { claimSignatureRecords } from './signatures.ts'

export { PROJECT_IMAGES } from './facts.ts'

export interface SampleOptions {
  campaigns: number
  claims: number
  seed: number
  /** Claims come up to this instant. */
  now: Date
}

/**
 * The records of a sample, each referring to earlier ones only: prices, tokens, contracts, action templates, access lists,
 * campaigns from the oldest to the newest, claims from the oldest to the newest, claim signatures and proofs, profiles. Equal
 * options give equal records. Exactly `claims` claims come, all before or at `now`, unless nobody can claim any
 * campaign (as when there is none). Memory holds what claims need of each campaign, and 8 bytes for each claim.
 */
export function* generateSample({ campaigns: count, claims, seed, now }: SampleOptions) {
  const random = createRandom(seed)
  const seconds = Math.floor(now.getTime() / 1000)
  const accounts = drawAccounts(random.fork('accounts'), { campaigns: count, claims })
  const collections = drawCollections(random.fork('collections'), count)
  // Before the tokens, whose own prices are then known already.
  yield* tokenPriceRecords({ seed, now: seconds })
  yield* tokenRecords()
  yield* contractRecords(random.fork('contracts'), collections)
  yield* actionTemplateRecords()
  yield* accessListRecords(random.fork('access lists'), accounts, seconds)
  const campaigns: SampleCampaign[] = []
  const timelines = drawTimelines(random.fork('timelines'), { campaigns: count, claims, now: seconds })
  const ofCampaigns = random.fork('campaigns')
  for (const [index, timeline] of timelines.entries()) {
    const context = { random: ofCampaigns.fork(String(index)), accounts, collections }
    const { campaign, record } = drawCampaign(context, timeline, index)
    campaigns.push(campaign)
    yield record
  }
  yield* claimRecords(random.fork('claims'), campaigns)
  yield* claimSignatureRecords(random.fork('signatures'), campaigns, accounts)
  yield* profileRecords(random.fork('profiles'), accounts, seconds)
}

function* tokenRecords() {
  for (const token of facts.tokens) yield { type: 'token' as const, ...token, imageUri: tokenImageUri(token) }
}

function* contractRecords(random: Random, collections: Collections) {
  for (const { step, contractName: name } of facts.actions) {
    if (name !== '') yield { type: 'contract' as const, chainId: step.chainId, address: step.targetContract, name }
  }
  for (const collection of [...collections.values()].flat()) {
    if (random.chance(0.7)) yield { type: 'contract' as const, ...collection }
  }
}

function* actionTemplateRecords() {
  for (const template of facts.actionTemplates) {
    yield { type: 'actionTemplate' as const, ...template, projectImage: projectImageUri(template.projectId) }
  }
}
