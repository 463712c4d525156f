import { Type } from '@sinclair/typebox'
import type { ResponseOf } from 'reward-campaigns-client'
import { campaignId, user } from '../campaign-filters.ts'
import { argumentsOf, fitCampaigns, resultOf, type Tool, toPosition } from '../tool.ts'
import { toVerdict, verdictSchemas } from '../verdicts.ts'
import { from, unknownCampaigns } from './get-campaigns.ts'

export const eligibility: Tool = {
  name: 'eligibility',
  title: 'Whether an account can claim',
  description:
    'Says whether an account can claim campaigns now, why not, and the transaction that claims. Needs `user` and `campaignId`.',
  input: argumentsOf({ user, campaignId, from }),
  output: resultOf({
    user: Type.String(),
    campaigns: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          verdict: Type.String({ description: 'The best of its incentives.' }),
          incentiveCount: Type.Integer({ description: 'Number of all its incentives.' }),
          incentives: Type.Array(
            Type.Object(
              {
                index: Type.Integer({ description: 'Index in the contract of the campaign.' }),
                type: Type.String(),
                ...verdictSchemas,
              },
              { additionalProperties: false },
            ),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    unknownCampaigns,
  }),
  async run(get, { from: first, ...given }) {
    const position = toPosition({ from: first }, 'from')
    const found = await get<ResponseOf<'listEligibility'>>('/eligibility', given)
    const rest = { user: found.user, unknownCampaigns: found.unknownCampaigns }
    const structured = fitCampaigns(
      { tool: eligibility.name, given, from: position },
      found.campaigns,
      ({ id, verdict, incentives }, part) => ({
        id,
        verdict,
        incentiveCount: incentives.length,
        incentives: part(incentives).map(({ incentiveIndex: index, type, ...facts }) => ({
          index,
          type,
          ...toVerdict(facts),
        })),
      }),
      rest,
    )
    const counts = new Map<string, number>()
    for (const { verdict } of structured.campaigns) counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
    const verdicts = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ')
    return {
      structured,
      sentence: verdicts === '' ? 'There are no such campaigns.' : `Campaigns for ${found.user}: ${verdicts}.`,
    }
  },
}
