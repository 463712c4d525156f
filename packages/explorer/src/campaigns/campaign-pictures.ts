import type { CampaignListItem } from 'reward-campaigns-client'

/** Pictures of a campaign, what it is about first. */
export const picturesOf = ({
  nftImageUri,
  projectImageUri,
  tokenImageUri,
}: Pick<CampaignListItem, 'nftImageUri' | 'projectImageUri' | 'tokenImageUri'>) => [
  nftImageUri,
  projectImageUri,
  tokenImageUri,
]
