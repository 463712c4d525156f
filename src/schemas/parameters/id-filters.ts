import { CampaignId, ChainId } from '../primitives.ts'
import { inline, ref } from '../references.ts'
import { parameterExamples } from './parameter-examples.ts'
import { commaSeparated } from './query-values.ts'

/** Maximum number of campaigns that a request may name. */
export const MAX_CAMPAIGNS = 50

export const campaignIds = (description: string) =>
  commaSeparated(ref(CampaignId), { max: MAX_CAMPAIGNS, description, example: parameterExamples.campaignId })

export const chainIds = (description = 'Only of these chains.') =>
  commaSeparated(inline(ChainId, { description: 'A chain ID.' }), { description, example: parameterExamples.chainId })
