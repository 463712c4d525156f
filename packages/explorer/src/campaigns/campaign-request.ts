import type { Campaign, ChainStatus, Client } from 'reward-campaigns-client'
import { recordContract } from '../recorded-contracts.ts'
import { recordTokens } from './tokens/recorded-tokens.ts'
import { fetchTokenRecords, type TokenRecords } from './tokens/token-records.ts'

/** What the page of a campaign shows at once. */
export interface CampaignResponse {
  campaign: Campaign
  /** Those that it pays or counts in. */
  tokens: TokenRecords
  /** The chains that are indexed. */
  chains: readonly ChainStatus[]
  /** Of its action template, lower-case; undefined without one. */
  actionType: string | undefined
}

/** No operation tells the action type of a single campaign: it is counted. */
export const actionTypeQuery = (id: string) => ({
  campaignId: [id],
  tokenWhitelist: false,
  pageSize: 0,
  facets: ['actionType' as const],
})

/** A campaign and what is to be known of it beside. */
export async function fetchCampaign(client: Client, id: string, signal: AbortSignal): Promise<CampaignResponse> {
  const campaign = await client.getCampaign(id, { signal })
  recordNames(campaign)
  const [tokens, { chains }, { facets }] = await Promise.all([
    fetchTokenRecords(client, campaign, signal),
    client.getStatus({ signal }),
    client.listCampaigns(actionTypeQuery(campaign.id), { signal }),
  ])
  return { campaign, tokens, chains, actionType: facets?.actionType?.[0]?.value }
}

/** What the list of campaigns is filtered by from here has its name there. */
function recordNames(campaign: Campaign) {
  recordTokens({ campaigns: [campaign] })
  if (campaign.actionClaimant === undefined) return
  const { chainId, targetContract: address, targetContractName: name } = campaign.actionClaimant
  recordContract({ chainId, address, name })
}
