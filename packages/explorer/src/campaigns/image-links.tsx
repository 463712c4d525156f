import type { Campaign } from 'reward-campaigns-client'
import { Fact } from './facts.tsx'
import { isSafeUrl } from './safe-urls.ts'

/** Pictures of a campaign, which are elsewhere: they are linked, not loaded. */
export function ImageLinks({ campaign }: { campaign: Campaign }) {
  const images = [
    ['project', campaign.projectImageUri],
    ['token', campaign.tokenImageUri],
    ['NFT', campaign.nftImageUri],
  ] as const
  const linked = images.flatMap(([what, url]) => (url !== null && isSafeUrl(url) ? [{ what, url }] : []))
  if (linked.length === 0) return null
  return (
    <Fact name="Images">
      {linked.map(({ what, url }) => (
        <span key={what}>
          <a href={url} target="_blank" rel="noreferrer">
            {what}
            <span class="hidden"> (image, in a new tab)</span>
          </a>{' '}
        </span>
      ))}
    </Fact>
  )
}
