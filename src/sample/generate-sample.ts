import type {
  ActionTemplateRecord,
  CampaignRecord,
  ContractRecord,
  ImportRecord,
  TokenRecord,
} from '../ingest/records.ts'
import { deeds } from './deed-facts.ts'
import { projectImageUri, templateFacts } from './protocol-facts.ts'
import { sampleAccessLists } from './sample-access-lists.ts'
import { collectionOf } from './sample-addresses.ts'
import { campaignRecordOf } from './sample-campaigns.ts'
import { sampleClaimSignatures, sampleClaims } from './sample-claims.ts'
import { outlineOf } from './sample-outline.ts'
import { createSamplePlan, type SampleOptions, type SamplePlan } from './sample-plan.ts'
import { sampleProfiles } from './sample-profiles.ts'
import { marketFigures, nativeTokenFacts, tokenFacts, tokenImageUri } from './token-facts.ts'

/**
 * The records of a sample, each referring to earlier ones only: tokens, contracts, action templates, access lists,
 * campaigns from the oldest to the newest, claims from the oldest to the newest, claim signatures, profiles. Equal
 * options give equal records. Exactly `claims` claims come, all before or at `now`, unless nobody can claim any
 * campaign (as when there is none). Memory grows by about 40 bytes a campaign and not with the claims.
 */
export function* generateSample(options: SampleOptions): Generator<ImportRecord> {
  const plan = createSamplePlan(options)
  yield* sampleTokens()
  yield* sampleContracts(plan)
  yield* sampleActionTemplates()
  yield* sampleAccessLists(plan)
  yield* sampleCampaigns(plan)
  yield* sampleClaims(plan)
  yield* sampleClaimSignatures(plan)
  yield* sampleProfiles(plan)
}

function* sampleTokens(): Generator<TokenRecord> {
  for (const token of [...tokenFacts, ...nativeTokenFacts]) {
    const { chainId, address, decimals, name, symbol, isWhitelisted: whitelisted, priceUsd } = token
    yield {
      type: 'token',
      chainId,
      address,
      decimals,
      name,
      symbol,
      imageUri: tokenImageUri(token),
      whitelisted,
      ...(priceUsd === undefined ? {} : { priceUsd }),
      ...(priceUsd === undefined ? {} : marketFigures[symbol]),
    }
  }
}

function* sampleContracts(plan: SamplePlan): Generator<ContractRecord> {
  for (const { step, contractName: name, collection } of deeds) {
    if (collection === 'replaces target') continue
    yield { type: 'contract', chainId: step.chainId, address: step.targetContract, name }
  }
  for (let number = 0; number < plan.collections; number++) {
    const { chainId, address, name, isKnown } = collectionOf(plan.seed, number)
    if (isKnown) yield { type: 'contract', chainId, address, name }
  }
}

function* sampleActionTemplates(): Generator<ActionTemplateRecord> {
  for (const { id, projectId, actionType, description, category } of Object.values(templateFacts)) {
    yield {
      type: 'actionTemplate',
      id,
      projectId,
      actionType,
      projectImage: projectImageUri(projectId),
      description,
      category,
    }
  }
}

function* sampleCampaigns(plan: SamplePlan): Generator<CampaignRecord> {
  for (let index = 0; index < plan.campaigns; index++) yield campaignRecordOf(plan, outlineOf(plan, index))
}
