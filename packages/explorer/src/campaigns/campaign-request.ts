import type { Campaign, ChainStatus, Client } from 'reward-campaigns-client'
import { recordContract, seenContract } from '../recorded-contracts.ts'
import { ZERO_ADDRESS } from '../texts/zero-address.ts'
import { comparedAddress } from './steps/step-text.ts'
import { tokensNamed } from './tokens/known-tokens.ts'
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
  /** Where its project says that it is; undefined unless the campaign was claimed lately. */
  projectUrl: string | undefined
}

/** No operation tells the action type of a single campaign: it is counted. */
export const actionTypeQuery = (id: string) => ({
  campaignId: [id],
  tokenWhitelist: false,
  pageSize: 0,
  facets: ['actionType' as const],
})

/** Where a project is, only entries of what is trending tell: those of the same owner and budget are few. */
export const projectUrlQuery = ({ chainId, owner, budget }: Pick<Campaign, 'chainId' | 'owner' | 'budget'>) => ({
  ...{ chainId, owner, tokenWhitelist: false },
  budgetAccount: [budget],
  fields: ['id' as const, 'projectUrl' as const],
})

/** A campaign and what is to be known of it beside. */
export async function fetchCampaign(client: Client, id: string, signal: AbortSignal): Promise<CampaignResponse> {
  const campaign = await client.getCampaign(id, { signal })
  recordNames(campaign)
  const chainIds = chainsOfUnnamed(campaign)
  const [tokens, { chains }, { facets }, { trendingCampaigns }, contracts] = await Promise.all([
    fetchTokenRecords(client, [...new Set([...tokensNamed(campaign), ...tokensOfSteps(campaign)])], signal),
    client.getStatus({ signal }),
    client.listCampaigns(actionTypeQuery(campaign.id), { signal }),
    client.listTrendingCampaigns(projectUrlQuery(campaign), { signal }),
    chainIds.length === 0 ? [] : client.listContracts({ chainIds, pageSize: MAX_CONTRACTS }, { signal }),
  ])
  contracts.forEach(recordContract)
  const trending = trendingCampaigns.find((entry) => entry.id === campaign.id)
  return { campaign, tokens, chains, actionType: facets?.actionType?.[0]?.value, projectUrl: trending?.projectUrl }
}

/** Names of contracts are told with all of a chain: those that are used most are enough. */
const MAX_CONTRACTS = 100

/** The chains of the contracts that steps are on and that nothing has named yet. */
const chainsOfUnnamed = ({ actionSteps, actionClaimant }: Campaign) => [
  ...new Set(
    actionSteps
      .filter(
        ({ chainId, targetContract }) =>
          targetContract !== ZERO_ADDRESS &&
          targetContract !== actionClaimant?.targetContract &&
          seenContract(String(chainId), targetContract) === undefined,
      )
      .map(({ chainId }) => chainId),
  ),
]

/** What may be tokens that steps deal in: what else has the address is not known as one. */
const tokensOfSteps = ({ actionSteps }: Campaign) =>
  actionSteps.flatMap((step) => {
    const address = comparedAddress(step)
    return address === undefined ? [] : [`${step.chainId}:${address}`]
  })

/** What the list of campaigns is filtered by from here has its name there. */
function recordNames(campaign: Campaign) {
  recordTokens({ campaigns: [campaign] })
  if (campaign.actionClaimant === undefined) return
  const { chainId, targetContract: address, targetContractName: name } = campaign.actionClaimant
  recordContract({ chainId, address, name })
}
