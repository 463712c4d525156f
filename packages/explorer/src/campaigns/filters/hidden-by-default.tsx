import type { CampaignListItem } from 'reward-campaigns-client'
import { client } from '../../requests/service.ts'
import { useRequest } from '../../requests/use-request.ts'
import { shortenHex } from '../../texts/shorten-hex.ts'
import { brief } from '../../texts/truncate-name.ts'
import { toQuery, toUrl } from '../campaign-query.ts'
import { isFunded } from '../incentives/incentive-variants.ts'
import { counted } from '../prose.ts'
import { recordTokens, seenToken } from '../tokens/recorded-tokens.ts'

/** What is hidden changes with imports, not with claims. */
const REFRESH_MS = 60_000

/** Of so many of the first campaigns it is looked what they pay. */
const PAGE_SIZE = 50

/** More than that nobody reads. */
const MAX_TOKENS = 5

/**
 * What the default leaves out is said, with the way to see it.
 *
 * @param isEmpty whether nothing is listed: then it is asked what is left out.
 */
export function HiddenByDefault({ parameters, isEmpty }: { parameters: URLSearchParams; isEmpty: boolean }) {
  const whitelist = parameters.get('tokenWhitelist') ?? ''
  if (!['', 'null', 'true'].includes(whitelist)) return null
  const all = new URLSearchParams(parameters)
  all.delete('page')
  all.set('tokenWhitelist', 'false')
  return (
    <p class="soft note">
      Campaigns that pay unknown or unlisted tokens are hidden{isEmpty && <Hidden all={all} />}.{' '}
      <a href={toUrl(all)}>Show them too</a>
    </p>
  )
}

/** How many there are where nothing is listed, and what the first of them pay. @param all the list with them. */
function Hidden({ all }: { all: URLSearchParams }) {
  const request = useRequest(
    (signal) => client.listCampaigns({ ...toQuery(all), pageSize: PAGE_SIZE }, { signal }).then(recordTokens),
    `hidden ${all}`,
    REFRESH_MS,
  )
  if (request.state !== 'shown' || request.response.totalCampaigns === 0) return null
  const { campaigns, totalCampaigns } = request.response
  return (
    <>
      : {counted(totalCampaigns, 'campaign')}, <TokenNames tokens={[...new Set(campaigns.flatMap(paidTokens))]} />
    </>
  )
}

const paidTokens = ({ chainId, incentives }: CampaignListItem) =>
  incentives.flatMap((incentive) => (isFunded(incentive) ? [`${chainId}:${incentive.asset}`] : []))

function TokenNames({ tokens }: { tokens: readonly string[] }) {
  const more = tokens.length - MAX_TOKENS
  return (
    <>
      paid in{' '}
      {tokens.slice(0, MAX_TOKENS).map((token, index) => (
        <span key={token} title={token}>
          {index > 0 && ', '}
          <bdi class="symbol">{brief(seenToken(token)?.symbol ?? '') || shortenHex(token.split(':')[1] ?? '')}</bdi>
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  )
}
