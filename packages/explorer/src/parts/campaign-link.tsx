import { withQuery } from '../navigation/page-query.ts'
import { servicePath } from '../navigation/service-path.ts'
import { chainName } from '../texts/chain-names.ts'
import { Name } from './name.tsx'

/** What is known of a campaign that it could be called by. */
export interface Named {
  id: string
  chainId: number
  campaignName?: string | null | undefined
  nftName?: string | null | undefined
  actionTemplate?: { description: string | null } | null | undefined
}

/** What a campaign is called; one without a name by what is to be done, else by its number. */
export function campaignTitle({ id, chainId, campaignName, nftName, actionTemplate }: Named): string {
  const [title] = [campaignName, actionTemplate?.description, nftName].filter((name) => name != null && /\S/.test(name))
  return title ?? `Campaign ${id.split(':')[2] ?? id} on ${chainName(chainId)}`
}

/** Where the page of a campaign is. */
const campaignPath = (id: string) => servicePath(`/explorer/campaigns/${id}`)

/** The way to a campaign. @param user an account of which is to be shown whether it can claim. */
export function CampaignLink({ campaign, user }: { campaign: Named; user?: string }) {
  return (
    <a class="campaign-link" href={withQuery(campaignPath(campaign.id), { user })}>
      <Name text={campaignTitle(campaign)} />
    </a>
  )
}
