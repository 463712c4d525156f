import { useAsked } from '../asked.ts'
import { client } from '../service.ts'
import { Shown } from '../shown.tsx'

export function CampaignPage({ id = '' }: { id?: string }) {
  const asked = useAsked((signal) => client.getCampaign(id, { signal }), id)
  return (
    <>
      <h1>Campaign</h1>
      <Shown asked={asked}>{(campaign) => <pre>{JSON.stringify(campaign, null, 2)}</pre>}</Shown>
    </>
  )
}
