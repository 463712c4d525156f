import { useRef } from 'preact/hooks'
import { listUrl } from '../campaigns/campaign-query.ts'
import { CampaignRows, ROW_FIELDS } from '../campaigns/campaign-rows.tsx'
import { withTokens } from '../campaigns/tokens/token-records.ts'
import type { RequestState } from '../requests/poll-request.ts'
import { Shown } from '../requests/request-result.tsx'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'
import { groupDigits } from '../texts/format-numbers.ts'
import { type Budgets, byBudget } from './budgets.ts'

/** So many campaigns leave room for what is trending. */
const SHOWN = 5

/** The campaigns with most left to claim; nothing where there is none. */
export function EarnView({ budgets }: { budgets: RequestState<Budgets> }) {
  if (budgets.state === 'shown' && budgets.response.ranked.length === 0) return null
  return (
    <section class="earn" aria-labelledby="earn">
      <h2 id="earn">Most left to claim</h2>
      <Shown request={budgets} lines={SHOWN}>
        {({ ranked, compared }) => <Ranked ids={ranked.slice(0, SHOWN)} compared={compared} />}
      </Shown>
    </section>
  )
}

export const rankedQuery = (ids: readonly string[]) => ({
  campaignId: ids.slice(0, SHOWN),
  pageSize: SHOWN,
  fields: [...ROW_FIELDS],
})

function Ranked({ ids, compared }: { ids: readonly string[]; compared: number | undefined }) {
  const request = useRequest(
    async (signal) => withTokens(client, await client.listCampaigns(rankedQuery(ids), { signal }), signal),
    `ranked ${ids}`,
  )
  // Where the ranks have changed, those of before stay until the others are there.
  const known = useRef(request)
  if (request.state !== 'loading') known.current = request
  return (
    <Shown request={known.current} lines={SHOWN}>
      {({ campaigns, tokens }) => (
        <>
          <CampaignRows campaigns={byBudget(campaigns)} tokens={tokens} />
          <p class="soft note">
            {compared !== undefined && `Of the ${groupDigits(String(compared))} newest active campaigns. `}
            <a href={listUrl({})}>All active campaigns</a>
          </p>
        </>
      )}
    </Shown>
  )
}
