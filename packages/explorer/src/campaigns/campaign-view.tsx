import { useRef } from 'preact/hooks'
import type { ChosenRange } from '../outlook/chosen-range.ts'
import { OutlookView } from '../outlook/outlook-view.tsx'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'
import { brief } from '../texts/truncate-name.ts'
import { hasAddressLookups } from '../users/user-link.tsx'
import { AllowList } from './allow-list.tsx'
import { CampaignFacts } from './campaign-facts.tsx'
import type { CampaignResponse } from './campaign-request.ts'
import { ClaimsPlot, type TimeRange } from './claims/claims-plot.tsx'
import { NewestClaims } from './claims/newest-claims.tsx'
import { EligibilityView } from './eligibility-view.tsx'
import { IncentiveCard } from './incentives/incentive-card.tsx'
import { fetchPrices, paidTokens } from './incentives/prices.ts'
import { PricesView } from './incentives/prices-view.tsx'
import { counted } from './prose.ts'
import { isSafeUrl } from './safe-urls.ts'
import { ActionSteps } from './steps/action-steps.tsx'
import { tokensOf } from './tokens/known-tokens.ts'
import { TrustView } from './trust/trust-view.tsx'

const PRICES_REFRESH_MS = 60_000

/** Names of hosts can be of any length. */
const MAX_HOST = 60

/** More than that can be read in the response itself. */
const SHOWN_INCENTIVES = 50

/** All that is known of a campaign. @param now when it was said. */
export function CampaignView({
  response: { campaign, tokens, chains, actionType, projectUrl },
  now,
  timeRange,
  range,
  user,
}: {
  response: CampaignResponse
  now: Date
  /** Of the plot. */
  timeRange: TimeRange
  /** Days that were chosen for it instead. */
  range: ChosenRange | undefined
  /** Whether this account can claim it, is shown. */
  user: string | undefined
}) {
  const rewarding = { ...campaign, tokens: new Map([...tokensOf([campaign]), ...tokens]) }
  const paid = paidTokens(campaign)
  const prices = useRequest(
    (signal) => fetchPrices(client, paid, timeRange, signal),
    `prices ${paid} ${timeRange}`,
    PRICES_REFRESH_MS,
  )
  // Those of another time range are the same by now.
  const known = useRef(prices)
  if (prices.state !== 'loading') known.current = prices
  const { current } = known
  const worth =
    current.state === 'shown' ? new Map(current.response.map(({ token, priceUsd }) => [token, priceUsd])) : undefined
  const { incentives } = campaign
  return (
    <div class={current.state === 'loading' ? 'campaign unpriced' : 'campaign'}>
      <section class="trusting" aria-labelledby="trust">
        <h2 id="trust">Can it be trusted?</h2>
        <TrustView campaign={rewarding} tokens={tokens} chains={chains} now={now} />
      </section>
      <div>
        <section aria-labelledby="incentives">
          <h2 id="incentives">{incentives.length === 1 ? 'What it pays' : counted(incentives.length, 'incentive')}</h2>
          {incentives.length === 0 && <p class="soft">Nothing can be claimed.</p>}
          <ol class="incentives">
            {incentives.slice(0, SHOWN_INCENTIVES).map((incentive, index) => (
              <IncentiveCard key={index} campaign={rewarding} incentive={incentive} worth={worth} />
            ))}
          </ol>
        </section>
      </div>
      <div>
        <section aria-labelledby="steps">
          <h2 id="steps">
            What has to be done
            {actionType !== undefined && (
              <>
                : <bdi>{brief(actionType)}</bdi>
              </>
            )}
          </h2>
          <ActionSteps campaign={rewarding} actionType={actionType} />
          {projectUrl !== undefined && isSafeUrl(projectUrl) && (
            <p>
              Site of the project:{' '}
              <a href={projectUrl} target="_blank" rel="noreferrer">
                <bdi>{brief(new URL(projectUrl).host, MAX_HOST)}</bdi>
                <span class="hidden"> (in a new tab)</span>
              </a>
            </p>
          )}
        </section>
      </div>
      <div>
        {hasAddressLookups() && (
          <section aria-labelledby="eligibility">
            <h2 id="eligibility">Whether an account can claim</h2>
            <EligibilityView campaign={campaign} user={user} />
          </section>
        )}
        <section aria-labelledby="who">
          <h2 id="who">Who may claim</h2>
          <AllowList campaign={campaign} />
        </section>
        {incentives.length > 0 && (
          <section aria-labelledby="outlook">
            <h2 id="outlook">Outlook</h2>
            <OutlookView campaign={rewarding} worth={worth} />
          </section>
        )}
        <section aria-labelledby="claims">
          <h2 id="claims">Claims over time</h2>
          <ClaimsPlot id={campaign.id} timeRange={timeRange} range={range} />
        </section>
        <section aria-labelledby="newest-claims">
          <h2 id="newest-claims">Newest claims</h2>
          <NewestClaims campaign={campaign} />
        </section>
        {paid.length > 0 && (
          <section aria-labelledby="prices">
            <h2 id="prices">{paid.length === 1 ? 'Price' : 'Prices'}</h2>
            <PricesView campaign={rewarding} request={prices} />
          </section>
        )}
        <section aria-labelledby="facts">
          <h2 id="facts">Facts</h2>
          <CampaignFacts campaign={campaign} />
        </section>
      </div>
    </div>
  )
}
