/*
 * What is shown of the fields of a campaign that its record may leave out, where it does so. A new field of campaigns that lists or
 * details show is written here, by hand.
 */

/** In lists and details. */
export const unsaidInLists = {
  campaignName: null,
  actionTemplateId: null,
  projectImageUri: null,
  tokenImageUri: null,
  nftImageUri: null,
  nftName: null,
  startTime: null,
  endTime: null,
}

/** In details. */
export const unsaidInDetails = { ...unsaidInLists, templateId: null, nftMetadataId: null }
