import { Type } from '@sinclair/typebox'
import { campaignId } from '../campaign-filters.ts'
import { amount, readIncentives, toAmount } from '../rewards.ts'
import { argumentsOf, fitCampaigns, type Part, resultOf, type Tool, toIds, toPosition } from '../tool.ts'
import { from, unknownCampaigns } from './get-campaigns.ts'

/** Of what the operation says of an incentive, what is passed on as it is; any of it may be missing. */
const PASSED_ON = [
  'rewardNowUsd',
  'claimsLeft',
  'budgetLeftUsd',
  'spentShare',
  'entries',
  'oddsOneIn',
  'claimsInBasis',
  'secondsLeft',
  'exhaustsAt',
] as const

const AMOUNTS = ['rewardNow', 'budgetLeft', 'spentInBasis'] as const

interface Outlook {
  at: string
  basis: string
  campaigns: { id: string; incentives: Record<string, unknown>[] }[]
  unknownCampaigns: string[]
}

const value = (description: string) => Type.Optional(Type.Union([Type.String(), Type.Number()], { description }))

const IncentiveOutlook = Type.Object(
  {
    index: Type.Integer({ description: 'Index in the contract of the campaign.' }),
    rewardNow: Type.Optional(amount('What a claim pays now; of an auction it changes every second.')),
    rewardNowUsd: value('The same in US dollars.'),
    claimsLeft: value('Claims that remain.'),
    budgetLeft: Type.Optional(amount('What claims can still get.')),
    budgetLeftUsd: value('The same in US dollars.'),
    spentShare: value('Share of the budget that is spent, 0 to 1.'),
    entries: value('Entries of a raffle so far.'),
    oddsOneIn: value('A new entry wins one in this many.'),
    claimsInBasis: value('Claims in the basis.'),
    spentInBasis: Type.Optional(amount('What they got.')),
    secondsLeft: value(
      'Seconds until the budget is spent, at that pace; of one that pays at a rate of its own, until all of it is earned.',
    ),
    exhaustsAt: value('When that is.'),
  },
  { additionalProperties: false },
)

export const outlook: Tool = {
  name: 'outlook',
  title: 'What is left of campaigns',
  description:
    'Says what campaigns pay at this second, what is left of them, the odds of raffles, and how long the rest lasts at the pace of the past; that is no forecast. Needs `campaignId`.',
  input: argumentsOf({
    campaignId,
    basis: Type.Optional(Type.String({ enum: ['24h', '7d'], default: '24h', description: 'Whose pace.' })),
    from,
  }),
  output: resultOf({
    at: Type.String({ description: 'The instant of which this is.' }),
    basis: Type.String(),
    campaigns: Type.Array(
      Type.Object(
        { id: Type.String(), incentiveCount: Type.Integer(), incentives: Type.Array(IncentiveOutlook) },
        { additionalProperties: false },
      ),
    ),
    unknownCampaigns,
  }),
  async run(get, { from: first, ...given }) {
    const position = toPosition({ from: first }, 'from')
    const found = await get<Outlook>('/outlook', given)
    // Which tokens these are amounts of.
    const { byId, tokens } = await readIncentives(get, toIds(given))
    const { at, basis, unknownCampaigns } = found
    const rest = { at, basis, unknownCampaigns }
    const toCampaign = ({ id, incentives }: Outlook['campaigns'][number], part: Part) => {
      const campaign = byId.get(id)
      // Both are in the order of the contract; its indexes may have gaps.
      const records = part(campaign?.incentives ?? [])
      const toEntry = (incentive: Record<string, unknown>, place: number) => {
        const record = records[place]
        const tokenAt = (key: 'asset' | 'peg') => {
          const address = (record as { asset?: string; peg?: string } | undefined)?.[key]
          return campaign === undefined || address === undefined ? undefined : tokens(campaign.chainId, address)
        }
        return {
          index: incentive.incentiveIndex,
          ...toOutlook(incentive, (key) => tokenAt(key === 'rewardNow' && record && 'peg' in record ? 'peg' : 'asset')),
        }
      }
      return { id, incentiveCount: incentives.length, incentives: part(incentives).map(toEntry) }
    }
    const structured = fitCampaigns({ tool: outlook.name, given, from: position }, found.campaigns, toCampaign, rest)
    return { structured, sentence: `The outlook of ${structured.campaigns.length} campaigns at ${found.at}.` }
  },
}

function toOutlook(
  incentive: Record<string, unknown>,
  tokenOf: (key: (typeof AMOUNTS)[number]) => Parameters<typeof toAmount>[1],
) {
  const passed = PASSED_ON.flatMap((key) => (incentive[key] === undefined ? [] : [[key, incentive[key]]]))
  const amounts = AMOUNTS.flatMap((key) => {
    const baseUnits = incentive[key]
    return typeof baseUnits === 'string' ? [[key, toAmount(baseUnits, tokenOf(key))]] : []
  })
  return Object.fromEntries([...passed, ...amounts])
}
