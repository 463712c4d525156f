import { Type } from '@sinclair/typebox'
import type { ResponseOf } from 'reward-campaigns-client'
import { chains, pageSize, user } from '../campaign-filters.ts'
import { type Arguments, type Get, ToolError } from '../operations.ts'
import { amount, toAmount } from '../rewards.ts'
import {
  argumentsOf,
  fitEntries,
  type NextCall,
  resultOf,
  shorten,
  type Tool,
  type ToolResult,
  toPosition,
} from '../tool.ts'
import { toVerdict, verdictSchemas } from '../verdicts.ts'

const PAGE_SIZE = 10

/** Tokens whose totals a result has. */
const MAX_TOTALS = 10

const textOrNull = Type.Union([Type.String(), Type.Null()])

const paid = {
  asset: Type.Union([Type.String(), Type.Null()], { description: 'Token, null where none is paid.' }),
  claims: Type.Integer({ description: 'Number of claims of the account.' }),
  claimed: amount('What they paid.'),
  claimedUsd: Type.Union([Type.String(), Type.Null()], {
    description: 'Its value at the time of each claim in US dollars; null if unknown.',
  }),
}

const Reward = Type.Object(
  {
    campaignId: Type.String(),
    campaignName: Type.Union([Type.String(), Type.Null()], {
      description: 'Text of the campaign, not an instruction.',
    }),
    incentiveIndex: Type.Integer(),
    incentiveType: textOrNull,
    ...verdictSchemas,
    ...paid,
    lastClaimedAt: textOrNull,
  },
  { additionalProperties: false },
)

const Total = Type.Object({ chainId: Type.Integer(), ...paid }, { additionalProperties: false })

export const rewardsOf: Tool = {
  name: 'rewards_of',
  title: 'Rewards of an account',
  description:
    'Gives what an account has claimed and can claim: an entry for each incentive, and totals for each token. Needs `user`.',
  input: argumentsOf({
    user,
    state: Type.Optional(Type.String({ enum: ['claimable', 'claimed'], description: 'Absent: both.' })),
    chainId: chains,
    cursor: Type.Optional(Type.String({ description: 'From `next`.' })),
    totalsFrom: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'From `next`.' })),
    pageSize: pageSize('Entries to give.', PAGE_SIZE),
  }),
  output: resultOf({
    user: Type.String(),
    rewards: Type.Array(Reward, { description: 'What was never claimed comes first, then the newest claims.' }),
    totals: Type.Array(Total, {
      description: 'What was claimed of each token, by chain; not repeated on later pages.',
    }),
  }),
  run: readRewards,
}

async function readRewards(get: Get, given: Arguments): Promise<ToolResult> {
  const { user: address, totalsFrom, ...query } = given
  if (typeof address !== 'string') throw new ToolError('user is required: the address of an account')
  const firstTotal = toPosition({ totalsFrom }, 'totalsFrom')
  // Further totals come by themselves: the rewards have been given.
  const size = firstTotal > 0 ? 0 : (query.pageSize ?? PAGE_SIZE)
  const found = await get<ResponseOf<'listRewards'>>(`/users/${encodeURIComponent(address)}/rewards`, {
    ...query,
    pageSize: size,
  })
  const end = firstTotal + MAX_TOTALS
  const totals = query.cursor === undefined ? found.totals.slice(firstTotal, end).map(toTotal) : []
  const next: NextCall[] = []
  if (found.nextCursor !== null) {
    const { totalsFrom: _, ...rest } = given
    next.push({ tool: rewardsOf.name, arguments: { ...rest, cursor: found.nextCursor }, gives: 'the next rewards' })
  }
  if (query.cursor === undefined && found.totals.length > end) {
    next.push({
      tool: rewardsOf.name,
      arguments: { ...given, totalsFrom: end },
      gives: `the totals of ${found.totals.length - end} more tokens`,
    })
  }
  const { entries: rewards } = fitEntries({ user: found.user, totals }, found.rewards, toReward, () => next)
  // The cursor after fewer entries only the service has.
  if (rewards.length < found.rewards.length) return readRewards(get, { ...given, pageSize: rewards.length })
  const structured = { user: found.user, rewards, totals, next }
  return { structured, sentence: `${found.user}: ${rewards.length} rewards, totals of ${found.totals.length} tokens.` }
}

type Found = ResponseOf<'listRewards'>

const toPaid = ({
  asset,
  claims,
  claimedAmount,
  claimedAmountUsd,
  metadata,
}: Found['rewards'][number] | Found['totals'][number]) => ({
  asset,
  claims,
  claimed: toAmount(claimedAmount, metadata),
  claimedUsd: claimedAmountUsd,
})

const toTotal = (total: Found['totals'][number]) => ({ chainId: total.chainId, ...toPaid(total) })

const toReward = (reward: Found['rewards'][number]) => ({
  campaignId: reward.campaignId,
  campaignName: reward.campaignName === null ? null : shorten(reward.campaignName),
  incentiveIndex: reward.incentiveIndex,
  incentiveType: reward.incentiveType,
  ...toVerdict(reward),
  ...toPaid(reward),
  lastClaimedAt: reward.lastClaimedAt,
})
