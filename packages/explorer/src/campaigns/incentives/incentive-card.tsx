import type { Campaign, Incentive } from 'reward-campaigns-client'
import { Address } from '../../parts/address.tsx'
import { Count } from '../../parts/amounts.tsx'
import { Picture } from '../../pictures/picture.tsx'
import { allUrl } from '../campaign-query.ts'
import { Fact, Facts } from '../facts.tsx'
import { AssetName, Prose } from '../prose-view.tsx'
import { contractNames } from '../steps/contract-names.ts'
import { amountWords } from '../steps/step-text.ts'
import type { Worth } from './dollars.ts'
import { assetOf, type Rewarding } from './incentive-budget.ts'
import { sentenceOf } from './incentive-sentences.ts'
import { isFunded } from './incentive-variants.ts'
import { incentiveName } from './incentive-words.ts'
import { BudgetClaimed } from './remainder.tsx'

/** An incentive in a sentence, with what is left of it, and where its parts are. */
export function IncentiveCard({
  campaign,
  incentive,
  worth,
}: {
  campaign: Campaign & Rewarding
  incentive: Incentive
  worth: Worth | undefined
}) {
  const names = contractNames(campaign, campaign.tokens)
  return (
    <li class="card incentive">
      <h3>
        {incentiveName(incentive)} <code class="soft">{incentive.type}</code>
      </h3>
      <p class="sentence">
        <Prose sentence={sentenceOf(campaign, incentive)} worth={worth} />
      </p>
      {'criteria' in incentive && (
        <details class="exact">
          <summary>Which amount counts</summary>
          <p class="soft">
            <Prose sentence={amountWords(incentive.criteria, campaign.chainId, campaign.actionSteps, names)} />
          </p>
        </details>
      )}
      <BudgetClaimed campaign={campaign} incentive={incentive} worth={worth} />
      <Parts campaign={campaign} incentive={incentive} />
    </li>
  )
}

function Parts({ campaign, incentive }: { campaign: Rewarding; incentive: Incentive }) {
  const { chainId } = campaign
  const at = (address: string, what: string) => <Address chainId={chainId} address={address} what={what} />
  const token = (address: string) => {
    const asset = assetOf(campaign, address)
    return (
      <>
        {asset.token !== undefined && (
          <>
            <Picture text={asset.token.symbol} uris={[asset.token.imageUri]} isSmall /> <AssetName asset={asset} />
          </>
        )}{' '}
        {at(address, 'token')}
      </>
    )
  }
  return (
    <Facts>
      {isFunded(incentive) && (
        <Fact name="Token">
          {token(incentive.asset)} <a href={allUrl({ tokens: `${chainId}:${incentive.asset}` })}>campaigns with it</a>
        </Fact>
      )}
      {'peg' in incentive && <Fact name="Counted in">{token(incentive.peg)}</Fact>}
      {'venue' in incentive && <Fact name="Points of">{at(incentive.venue, 'contract')}</Fact>}
      {'allowListAddress' in incentive && <Fact name="Allow list">{at(incentive.allowListAddress, 'allow list')}</Fact>}
      {'totalClaims' in incentive && (
        <Fact name="Claims so far">
          <Count value={incentive.totalClaims} />
        </Fact>
      )}
      {'rebatePercentage' in incentive && <Fact name="Paid back">{incentive.rebatePercentage}%</Fact>}
    </Facts>
  )
}
