import { Type } from '@sinclair/typebox'
import type { CampaignListItem, ResponseOf } from 'reward-campaigns-client'
import { campaignId } from '../campaign-filters.ts'
import { readTokens, summarizeIncentive } from '../rewards.ts'
import { argumentsOf, fitCampaigns, type Part, resultOf, shorten, type Tool, toIds, toPosition } from '../tool.ts'
import { campaignSummary, summarizeCampaign } from './find-campaigns.ts'

/** Which incentives, and action steps, of a campaign a tool gives. */
export const from = Type.Optional(
  Type.Integer({
    minimum: 0,
    default: 0,
    description: 'How many incentives, and action steps, to leave out of each campaign.',
  }),
)

export const unknownCampaigns = Type.Array(Type.String(), { description: 'Campaigns that there are not.' })

const ActionStep = Type.Object(
  {
    chainId: Type.Integer(),
    targetContract: Type.String({ description: 'Contract to be used; the zero address: any contract.' }),
    signatureType: Type.String({ description: 'Whether an event or a function is looked for.' }),
    signature: Type.String({ description: 'That event or function.' }),
  },
  { additionalProperties: false },
)

export const getCampaigns: Tool = {
  name: 'get_campaigns',
  title: 'Explain campaigns',
  description:
    'Explains campaigns by ID, side by side so that they can be compared: what has to be done, who may claim, what each incentive pays, and what is left of it.',
  input: argumentsOf({ campaignId, from }),
  output: resultOf({
    campaigns: Type.Array(
      Type.Object(
        {
          ...campaignSummary,
          owner: Type.String(),
          validator: Type.String({ description: 'Address that signs claims.' }),
          maxParticipants: Type.String({ description: 'Maximum number of claimants; "0": no maximum.' }),
          mayClaim: Type.String({ description: 'Who may claim; `eligibility` says it of one account.' }),
          actionSteps: Type.Array(ActionStep, { description: 'What has to be done.' }),
          actionStepCount: Type.Integer({ description: 'Number of all steps.' }),
        },
        { additionalProperties: false },
      ),
    ),
    unknownCampaigns,
  }),
  async run(get, given) {
    const position = toPosition(given, 'from')
    const ids = toIds(given)
    const { campaigns } = await get<ResponseOf<'listCampaigns'>>('/campaigns', {
      campaignId: ids,
      tokenWhitelist: false,
      pageSize: Math.min(ids.length, 100),
    })
    const tokens = await readTokens(get, campaigns)
    const byId = new Map(campaigns.map((campaign) => [campaign.id, campaign]))
    const known = ids.flatMap((id) => byId.get(id) ?? [])
    const rest = { unknownCampaigns: ids.filter((id) => !byId.has(id)) }
    const toCampaign = (campaign: CampaignListItem, part: Part) => ({
      ...explain(campaign),
      actionSteps: part(campaign.actionSteps ?? []).map(toStep),
      incentives: part(campaign.incentives).map((incentive) =>
        summarizeIncentive(incentive, { chainId: campaign.chainId, tokens }),
      ),
    })
    const structured = fitCampaigns({ tool: getCampaigns.name, given, from: position }, known, toCampaign, rest)
    const names = structured.campaigns.map(({ id, name }) => name ?? id).join(', ')
    return { structured, sentence: names === '' ? 'There are no such campaigns.' : `Explained: ${names}.` }
  },
}

function explain(campaign: CampaignListItem) {
  return {
    ...summarizeCampaign(campaign),
    owner: campaign.owner,
    validator: campaign.validator,
    maxParticipants: campaign.maxParticipants,
    mayClaim: toWords(campaign.allowList),
    actionStepCount: campaign.actionSteps?.length ?? 0,
  }
}

const toStep = (step: NonNullable<CampaignListItem['actionSteps']>[number]) => ({
  chainId: step.chainId,
  targetContract: step.targetContract,
  signatureType: step.signatureType,
  signature: shorten(step.signatureName || step.signature),
})

function toWords(allowList: CampaignListItem['allowList']) {
  const members = allowList?.addresses?.length
  switch (allowList?.type) {
    case undefined:
    case 'OpenAllowList':
      return 'every account'
    case 'SimpleDenyList':
      return members === undefined ? 'every account that is not on its list' : `every account except ${members}`
    default:
      return members === undefined ? 'accounts on its list' : `${members} accounts on its list`
  }
}
