import { useAsked } from '../asked.ts'
import { client } from '../service.ts'
import { Shown } from '../shown.tsx'

export function TrendingPage() {
  const asked = useAsked((signal) => client.listTrendingCampaigns({ period: '24h' }, { signal }), 'trending 24h')
  return (
    <>
      <h1>Trending</h1>
      <Shown asked={asked}>
        {({ trendingCampaigns }) => (
          <ol>
            {trendingCampaigns.map(({ id, campaignName }) => (
              <li key={id}>
                <a href={`/explorer/campaigns/${id}`}>{campaignName ?? id}</a>
              </li>
            ))}
          </ol>
        )}
      </Shown>
    </>
  )
}
