import { type Static, Type } from '@sinclair/typebox'
import { parameterExamples } from '../parameters/parameter-examples.ts'
import { CampaignId, text } from '../primitives.ts'
import { component, inline, listOf, ref, stringOrNull } from '../schema-builders.ts'

/** What a URL can require is no longer. What a campaign has may be: names of a thousand tokens. */
export const MAX_EXPLAINED_TEXT = 16_384

const textOrNull = (description: string) => stringOrNull(description, { maxLength: MAX_EXPLAINED_TEXT })

export const FailedFilter = component('FailedFilter', 'A filter that a campaign does not pass.', {
  parameter: text('Name of the parameter; in trending also `status`: only active campaigns are listed.'),
  required: textOrNull('What the filter requires; several values with commas.'),
  actual: textOrNull(
    'What the campaign has instead; several values with commas, `…` in place of those that are too many, `null` without any. Of `status` the reasons: `not-started`, `ended`, `max-participants-reached`, `incentive-spent`.',
  ),
})
export type FailedFilter = Static<typeof FailedFilter>

export const Explanation = component('Explanation', 'Whether a campaign passes the filters of a request.', {
  id: ref(CampaignId, 'ID of the campaign.'),
  isKnown: Type.Boolean({ description: 'Whether there is such a campaign.' }),
  isListed: Type.Boolean({ description: 'Whether it passes all filters, on whichever page it is.' }),
  failed: listOf(
    FailedFilter,
    30,
    'The filters that it does not pass, in the order of the parameters; also those by default.',
  ),
})
export type Explanation = Static<typeof Explanation>

/** The parameter of lists that say why a campaign is not in them. */
export const explain = {
  explain: Type.Optional(
    inline(CampaignId, {
      description: 'Adds `explained`: which filters of this request the campaign with this ID does not pass.',
      example: parameterExamples.campaignId,
    }),
  ),
}

/** What is added to the response. */
export const explained = {
  explained: Type.Optional(ref(Explanation, 'Why a campaign is listed or not; only with `explain`.')),
}
