import type { CampaignListItem } from 'reward-campaigns-client'
import { client } from '../../requests/service.ts'
import { useRequest } from '../../requests/use-request.ts'
import { type KnownTokens, missingTokens, tokensOf } from './known-tokens.ts'
import { recordTokens } from './recorded-tokens.ts'

/** Decimals and symbols hardly ever change. */
const REFRESH_MS = 600_000

/** As many entries as the service takes in a list. */
const MAX_TOKENS = 100

type Paying = Pick<CampaignListItem, 'chainId' | 'incentives'>

/**
 * The tokens of campaigns, those too that the campaigns themselves say nothing of: they are asked for once.
 * What is not known yet, or to nobody, is not in it, and its amounts are shown in base units.
 */
export function useTokens(campaigns: readonly Paying[]): KnownTokens {
  const missing = missingTokens(campaigns).slice(0, MAX_TOKENS)
  const request = useRequest(
    async (signal) =>
      missing.length === 0
        ? { tokens: [] }
        : client.listTokens({ token: missing, pageSize: MAX_TOKENS }, { signal }).then(recordTokens),
    `tokens ${missing.join()}`,
    REFRESH_MS,
  )
  const found = request.state === 'shown' ? request.response.tokens : []
  return new Map([...found.map((token) => [token.id, token] as const), ...tokensOf(campaigns)])
}
