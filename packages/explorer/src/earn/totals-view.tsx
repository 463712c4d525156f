import type { ComponentChildren } from 'preact'
import { Count, isValued, Usd } from '../parts/amounts.tsx'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'
import { WAYS_QUERY, WaysIn } from './ways-in.tsx'

export const ACTIVE_QUERY = { showActiveOnly: true, pageSize: 0, ...WAYS_QUERY }
export const PAID_QUERY = { timeRange: '24h' as const }

/** What there is to earn: where, by doing what, and in three figures. @param leftUsd undefined until it is known. */
export function TotalsView({ leftUsd }: { leftUsd: string | undefined }) {
  const request = useRequest(
    (signal) =>
      Promise.all([client.listCampaigns(ACTIVE_QUERY, { signal }), client.listActivity(PAID_QUERY, { signal })]),
    'totals',
  )
  const [active, paid] = request.state === 'shown' ? request.response : []
  const { totalAmountClaimedUsd = 0, totalClaims = 0 } = paid?.campaigns[0] ?? {}
  return (
    <>
      <WaysIn facets={active?.facets} />
      <dl class="earn-totals">
        <Total title="Active campaigns">{active && <Count value={active.totalCampaigns} compact />}</Total>
        <Total title="Left to claim">{request.state === 'shown' && leftUsd && <Usd value={leftUsd} compact />}</Total>
        <Total title="Paid in 24 hours">
          {paid && <Usd value={isValued(totalAmountClaimedUsd, totalClaims) ? totalAmountClaimedUsd : null} compact />}
        </Total>
      </dl>
    </>
  )
}

function Total({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="earn-total">
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  )
}
