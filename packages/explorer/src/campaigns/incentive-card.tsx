import type { Campaign, Incentive } from 'reward-campaigns-client'
import { Address } from '../address.tsx'
import { Count } from '../amounts.tsx'
import { listUrl } from './campaign-query.ts'
import type { Worth } from './dollars.ts'
import { Fact, Facts } from './facts.tsx'
import type { Rewarding } from './incentive-budget.ts'
import { incentiveName } from './incentive-names.ts'
import { sentenceOf } from './incentive-sentences.ts'
import { Prose } from './prose-shown.tsx'
import { BudgetClaimed } from './remainder.tsx'
import { amountWords } from './step-words.ts'

/** An incentive in a sentence, with what is left of it, and where its parts are. */
export function IncentiveCard({
  campaign,
  incentive,
  worth,
  now,
}: {
  campaign: Campaign & Rewarding
  incentive: Incentive
  worth: Worth | undefined
  now: Date
}) {
  return (
    <li class="card incentive">
      <h3>
        {incentiveName(incentive)} <code class="soft">{incentive.type}</code>
      </h3>
      <p class="sentence">
        <Prose sentence={sentenceOf(campaign, incentive, now)} worth={worth} />
      </p>
      {'criteria' in incentive && (
        <p class="soft">
          <Prose sentence={amountWords(incentive.criteria, campaign.chainId, campaign.actionSteps)} />
        </p>
      )}
      <BudgetClaimed campaign={campaign} incentive={incentive} worth={worth} />
      <Parts chainId={campaign.chainId} incentive={incentive} />
    </li>
  )
}

function Parts({ chainId, incentive }: { chainId: number; incentive: Incentive }) {
  const at = (address: string, what: string) => <Address chainId={chainId} address={address} what={what} />
  return (
    <Facts>
      {'asset' in incentive && (
        <Fact name="Token">
          {at(incentive.asset, 'token')}{' '}
          <a href={listUrl({ tokens: `${chainId}:${incentive.asset}`, tokenWhitelist: 'false' })}>campaigns with it</a>
        </Fact>
      )}
      {'peg' in incentive && <Fact name="Counted in">{at(incentive.peg, 'token')}</Fact>}
      {'venue' in incentive && <Fact name="Points of">{at(incentive.venue, 'contract')}</Fact>}
      {'allowListAddress' in incentive && <Fact name="Allow list">{at(incentive.allowListAddress, 'allow list')}</Fact>}
      {'totalClaims' in incentive && (
        <Fact name="Claims so far">
          <Count value={incentive.totalClaims} />
        </Fact>
      )}
      {'rebatePercentage' in incentive && <Fact name="Paid back">{incentive.rebatePercentage} %</Fact>}
    </Facts>
  )
}
