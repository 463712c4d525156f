import { Count } from '../../parts/amounts.tsx'
import { Bar } from '../../parts/bar.tsx'
import { Amount } from '../prose-view.tsx'
import type { Worth } from './dollars.ts'
import { budgetOf, claimLimitOf, type Rewarding, shareOf } from './incentive-budget.ts'
import { isFunded, traitsOf } from './incentive-variants.ts'

type Incentive = Rewarding['incentives'][number]

/** What can still be claimed of what there was: claims where they are limited, else the budget. */
export function Remainder({ campaign, incentive }: { campaign: Rewarding; incentive: Incentive }) {
  const limit = claimLimitOf(incentive)
  if (limit === undefined) return <BudgetLeft campaign={campaign} incentive={incentive} />
  const { left, total } = limit
  const what = traitsOf(incentive.type)?.reward === 'none' ? 'users' : 'claims'
  if (left === undefined) {
    return (
      <p class="remainder">
        at most <Count value={String(total)} /> {what}
      </p>
    )
  }
  return (
    <div class="remainder">
      <Bar share={shareOf(left, total)} />
      <p>
        <Count value={String(left)} /> of <Count value={String(total)} /> {what} left
      </p>
    </div>
  )
}

/** The budget of an incentive that has one, as a bar. */
function BudgetLeft({ campaign, incentive }: { campaign: Rewarding; incentive: Incentive }) {
  if (!isFunded(incentive)) return null
  const { asset, left, total } = budgetOf(campaign, incentive)
  if (left === undefined) {
    return (
      <p class="remainder">
        Budget <Amount amount={total} of={asset} />
      </p>
    )
  }
  return (
    <div class="remainder">
      <Bar share={shareOf(left, total)} />
      <p>
        <Amount amount={left} of={asset} /> of <Amount amount={total} of={asset} /> left
      </p>
    </div>
  )
}

/** The same beside a sentence that names what is left: what has been claimed of it. */
export function BudgetClaimed({
  campaign,
  incentive,
  worth,
}: {
  campaign: Rewarding
  incentive: Incentive
  worth: Worth | undefined
}) {
  const { asset, left, total } = isFunded(incentive) ? budgetOf(campaign, incentive) : {}
  if (asset === undefined || left === undefined || total === undefined) return null
  const share = shareOf(left, total)
  return (
    <div class="remainder">
      <Bar share={share} />
      <p>
        {Math.floor(share * 1000) / 10}% left, <Amount amount={total - left} of={asset} worth={worth} /> claimed
      </p>
    </div>
  )
}
