import type { CampaignListItem } from 'reward-campaigns-client'
import { client } from '../service.ts'
import { useRequest } from '../use-request.ts'
import { type KnownTokens, missingTokens, tokensOf } from './known-tokens.ts'
import { noteTokens } from './seen-tokens.ts'

/** Decimals and symbols hardly ever change. */
const REFRESH_MS = 600_000

/** As many entries as the service takes in a list. */
const MAX_TOKENS = 100

type Paying = Pick<CampaignListItem, 'chainId' | 'incentives'>

/**
 * The tokens of campaigns, those too that the campaigns themselves say nothing of but others do: they are asked for once.
 * What is not known yet, or to nobody, is not in it, and its amounts are shown in base units.
 */
export function useTokens(campaigns: readonly Paying[]): KnownTokens {
  const tokens = missingTokens(campaigns).slice(0, MAX_TOKENS)
  const asked = useRequest<{ campaigns: Paying[] }>(
    async (signal) =>
      tokens.length === 0
        ? { campaigns: [] }
        : client.listCampaigns({ tokens, tokenWhitelist: false, pageSize: 100 }, { signal }).then(noteTokens),
    `tokens ${tokens.join()}`,
    REFRESH_MS,
  )
  return tokensOf(asked.state === 'shown' ? [...asked.response.campaigns, ...campaigns] : campaigns)
}
