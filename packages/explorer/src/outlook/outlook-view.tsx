import { useEffect, useState } from 'preact/hooks'
import type { Campaign, Incentive, IncentiveOutlook } from 'reward-campaigns-client'
import { Fact, Facts } from '../campaigns/facts.tsx'
import { dollarsOf, type Worth } from '../campaigns/incentives/dollars.ts'
import { assetOf, type Rewarding } from '../campaigns/incentives/incentive-budget.ts'
import { isFunded } from '../campaigns/incentives/incentive-variants.ts'
import { incentiveName } from '../campaigns/incentives/incentive-words.ts'
import { Count, Tokens, Usd } from '../parts/amounts.tsx'
import { Shown } from '../requests/request-result.tsx'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'
import { duration } from '../texts/format-times.ts'
import { rewardByNow } from './reward-by-now.ts'

export const outlookOf = (id: string) => ({ campaignId: [id], basis: '7d' as const })

/** As of the cards above it. */
const SHOWN_INCENTIVES = 50

/** What a campaign pays now, and how long it lasts at the pace of the past. */
export function OutlookView({ campaign, worth }: { campaign: Campaign & Rewarding; worth: Worth | undefined }) {
  const request = useRequest(
    (signal) => client.listOutlooks(outlookOf(campaign.id), { signal }),
    `outlook ${campaign.id}`,
  )
  return (
    <Shown request={request} lines={2}>
      {({ campaigns: [found] }, at) => (
        <ol class="incentives">
          {found?.incentives.slice(0, SHOWN_INCENTIVES).map((outlook, index) => {
            const incentive = campaign.incentives[index]
            if (incentive === undefined) return null
            return (
              <li key={outlook.incentiveIndex} class="card outlook">
                <h3>{incentiveName(incentive)}</h3>
                <Outlook campaign={campaign} incentive={incentive} outlook={outlook} at={at} worth={worth} />
              </li>
            )
          })}
        </ol>
      )}
    </Shown>
  )
}

interface OutlookProps {
  campaign: Rewarding & Pick<Campaign, 'endTime'>
  incentive: Incentive
  outlook: IncentiveOutlook
  at: Date
  worth: Worth | undefined
}

function Outlook({ campaign, incentive, outlook, at, worth }: OutlookProps) {
  const { claimsLeft, spentShare, oddsOneIn, entries, secondsLeft, claimsInBasis } = outlook
  const seconds = useSecondsSince(at, 'rewardBoost' in incentive)
  const reward = rewardByNow(outlook, incentive, seconds)
  const paidIn = 'peg' in incentive ? incentive.peg : isFunded(incentive) ? incentive.asset : undefined
  const token = paidIn === undefined ? undefined : assetOf(campaign, paidIn).token
  const rewardUsd = dollarsByNow(campaign, incentive, { outlook, reward, worth })
  return (
    <Facts>
      {reward !== undefined && (
        <Fact name="Reward now">
          <span class="reward-now">
            {paidIn === undefined ? <Count value={String(reward)} /> : <Tokens baseUnits={reward} {...unitOf(token)} />}
          </span>
          {rewardUsd !== undefined && (
            <span class="soft">
              {' '}
              (<Usd value={rewardUsd} />)
            </span>
          )}
        </Fact>
      )}
      {oddsOneIn !== undefined && entries !== undefined && (
        <Fact name="Odds with one more entry">
          1 in <Count value={oddsOneIn} /> <span class="soft">({entries} so far)</span>
        </Fact>
      )}
      {claimsLeft !== undefined && (
        <Fact name="Claims left">
          <Count value={claimsLeft} />
        </Fact>
      )}
      {spentShare !== undefined && <Fact name="Spent">{Math.floor(spentShare * 1000) / 10}%</Fact>}
      <Fact name="Claims of the last 7 days">
        <Count value={claimsInBasis} />
      </Fact>
      {secondsLeft !== undefined && (
        <Fact name={isAtRate(incentive) ? 'Lasts, at the rate that is paid' : 'Lasts, at the pace of the last 7 days'}>
          {isBeyond(campaign.endTime, at, secondsLeft) ? 'until the campaign ends' : lasting(secondsLeft)}{' '}
          <span class="soft">(no forecast)</span>
        </Fact>
      )}
    </Facts>
  )
}

/** The dollars of a reward. Those of an auction rise with it, where the price is known here. */
function dollarsByNow(
  campaign: Rewarding,
  incentive: Incentive,
  {
    outlook: { rewardNowUsd },
    reward,
    worth,
  }: Pick<OutlookProps, 'outlook' | 'worth'> & { reward: bigint | undefined },
): string | undefined {
  if (!('rewardBoost' in incentive) || reward === undefined || worth === undefined) return rewardNowUsd
  return dollarsOf(worth, assetOf(campaign, incentive.asset), reward) ?? rewardNowUsd
}

const unitOf = (token: { decimals: number; symbol: string } | undefined) => ({
  decimals: token?.decimals,
  symbol: token?.symbol,
})

/** An open-ended incentive pays at a rate of its own, whatever is claimed. */
const isAtRate = (incentive: Incentive) => 'openEnded' in incentive && incentive.openEnded

const isBeyond = (endTime: string | null, at: Date, secondsLeft: string) =>
  endTime !== null && at.getTime() + Number(secondsLeft) * 1000 > Date.parse(endTime)

/** Beyond some hundred years nobody counts. */
const lasting = (seconds: string) => (seconds.length > 10 ? 'more than 300 years' : duration(Number(seconds)))

/** Whole seconds since an instant, told again each second while they matter. */
function useSecondsSince(at: Date, isTicking: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isTicking) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isTicking])
  return Math.floor((now - at.getTime()) / 1000)
}
