import { useAsked } from '../asked.ts'
import { client } from '../service.ts'
import { Shown } from '../shown.tsx'

export function CampaignsPage() {
  const asked = useAsked((signal) => client.listCampaigns({ pageSize: 20 }, { signal }), 'campaigns')
  return (
    <>
      <h1>Campaigns</h1>
      <Shown asked={asked}>
        {({ campaigns, totalCampaigns }) => (
          <>
            <p>{totalCampaigns} campaigns</p>
            <ul>
              {campaigns.map(({ id }) => (
                <li key={id}>
                  <a href={`/explorer/campaigns/${id}`}>{id}</a>
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
    </>
  )
}
