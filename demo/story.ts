import type { Hex } from 'viem'
import { formatUnits, parseUnits } from 'viem/utils'
import { createRandom } from '../packages/sample-data/src/random.ts'
import {
  addressOf,
  claim,
  contractsOf,
  create,
  type DemoCampaign,
  type DemoToken,
  type Effects,
  topUp,
} from './contracts.ts'
import { feed, type Round, report } from './price-feed.ts'
import { claimTimed, type TimedCampaign, topUpTimed, updateRoot, withClaim } from './time-based.ts'

/** How many blocks pass from one campaign to the next, and so on. */
const EVERY = { campaign: 5, topUp: 8, price: 5, reorganisation: 12, root: 6, timedTopUp: 24 }

const CLAIMANTS = 40

export interface PaidToken extends DemoToken {
  /** Base units that a claim may pay. */
  rewards: readonly [lowest: bigint, highest: bigint]
  /** What is known of its price; absent: nothing. */
  price?: { imported: string } | { feed: Hex }
}

export const tokens: readonly PaidToken[] = [
  {
    address: addressOf('dollar'),
    name: 'Demo Dollar',
    symbol: 'DUSD',
    decimals: 6,
    rewards: [1_000_000n, 25_000_000n],
    price: { imported: '1' },
  },
  {
    address: addressOf('ether'),
    name: 'Demo Ether',
    symbol: 'DETH',
    decimals: 18,
    rewards: [10n ** 14n, 10n ** 16n],
    price: { feed },
  },
  { address: addressOf('leaf'), name: 'Demo Leaf', symbol: 'LEAF', decimals: 18, rewards: [10n ** 18n, 10n ** 20n] },
]

const [dollar] = tokens
if (dollar === undefined) throw new Error('there is no token')

/** Left to a wallet: nothing else happens to it. */
export const offered: DemoCampaign = { index: 0, token: dollar, reward: 25_000_000n, maxClaims: 1n, claims: 0n }

/** The contracts at the end of a block. */
export interface StoryState {
  campaigns: readonly DemoCampaign[]
  /** The open-ended one. */
  timed: TimedCampaign
  round: Round
}

const DAY = 86_400

/** Pays a quarter of a dollar a second, and is topped up before all of it is earned. */
const openEnded = (startTime: number): TimedCampaign => ({
  ...{ number: 1, token: dollar, emissionRate: 250_000n * 10n ** 12n, limit: 5_000_000_000n },
  ...{ earned: new Map(), claimed: new Map(), startTime, endTime: startTime + 365 * DAY, isFinal: false },
})

/** @param time the first block's, in Unix seconds. */
export const beginningAt = (time: number): StoryState => ({
  campaigns: [offered],
  timed: openEnded(time),
  round: { id: 1n, answer: parseUnits('3127.55', 8) },
})

/** The contracts at the end of a block, and what it brought. */
export interface StoryBlock extends StoryState {
  transactions: Effects[]
  newContracts: Hex[]
  /** What happened, for people. */
  happened: string[]
}

/** What happens on the chain, by chance, and the same for the same seed. */
export function createStory(seed: number) {
  const random = createRandom(seed)
  // What is drawn here changes nothing else.
  const overTime = random.fork('time-based')
  let told = 0

  function nextCampaign(index: number): DemoCampaign {
    const token = random.pick(tokens)
    const [lowest, highest] = token.rewards
    return {
      index,
      token,
      reward: lowest * BigInt(random.integer(1, Number(highest / lowest))),
      maxClaims: BigInt(random.integer(5, 60)),
      claims: 0n,
    }
  }

  /** Some earn up to 20 dollars more. */
  function earnMore(timed: TimedCampaign): TimedCampaign {
    const earned = new Map(timed.earned)
    for (let count = overTime.integer(1, 3); count > 0; count -= 1) {
      const user = addressOf(`claimant ${overTime.integer(1, CLAIMANTS)}`)
      earned.set(user, (earned.get(user) ?? 0n) + BigInt(overTime.integer(1_000_000, 20_000_000)))
    }
    return { ...timed, earned }
  }

  return {
    /** Whether blocks are to be withdrawn before the next one. */
    isReorganised: () => told % EVERY.reorganisation === EVERY.reorganisation - 1,

    /** The block after one: a claim or more, and now and then a campaign, a top-up or a price. */
    nextBlock(before: StoryState): StoryBlock {
      told += 1
      const block: StoryBlock = { ...before, transactions: [], newContracts: [], happened: [] }
      const put = (campaign: DemoCampaign, effects: Effects, what: string) => {
        block.campaigns = block.campaigns.toSpliced(campaign.index, 1, campaign)
        block.transactions.push(effects)
        block.happened.push(what)
      }
      const open = () =>
        block.campaigns.filter((campaign) => campaign !== offered && campaign.claims < campaign.maxClaims)
      if (told % EVERY.campaign === 0 || open().length === 0) {
        const campaign = nextCampaign(before.campaigns.length)
        block.newContracts.push(...contractsOf(campaign))
        put(campaign, create(campaign), `campaign ${campaign.index}`)
      }
      if (told % EVERY.topUp === 0) {
        const campaign = random.pick(open())
        const claims = BigInt(random.integer(5, 20))
        const after = { ...campaign, maxClaims: campaign.maxClaims + claims }
        put(after, topUp(after, claims), `top-up of ${campaign.index}`)
      }
      if (told % EVERY.price === 0) {
        // Up to two per cent up or down.
        const answer = (before.round.answer * BigInt(random.integer(9800, 10_200))) / 10_000n
        block.round = { id: before.round.id + 1n, answer }
        block.transactions.push(report(block.round))
        block.happened.push(`price of DETH ${formatUnits(answer, 8)}`)
      }
      if (told % EVERY.root === 0) {
        const timed = earnMore(block.timed)
        block.transactions.push(updateRoot(block.timed, timed))
        block.happened.push(`root of time-based ${timed.number}`)
        block.timed = timed
      }
      const waiting = [...block.timed.earned].filter(([user, amount]) => amount > (block.timed.claimed.get(user) ?? 0n))
      if (told % EVERY.root === EVERY.root / 2 && waiting.length > 0) {
        const [user] = overTime.pick(waiting)
        const timed = withClaim(block.timed, user)
        block.transactions.push(claimTimed(block.timed, timed, user))
        block.happened.push(`claim of time-based ${timed.number}`)
        block.timed = timed
      }
      if (told % EVERY.timedTopUp === 0) {
        const timed = { ...block.timed, limit: block.timed.limit + 1_000_000_000n }
        block.transactions.push(topUpTimed(block.timed, timed))
        block.happened.push(`top-up of time-based ${timed.number}`)
        block.timed = timed
      }
      for (let claims = random.integer(1, 3); claims > 0; claims -= 1) {
        // The newest are claimed most.
        const campaign = random.pickSkewed(open().reverse())
        const after = { ...campaign, claims: campaign.claims + 1n }
        put(after, claim(after, addressOf(`claimant ${random.integer(1, CLAIMANTS)}`)), `claim of ${campaign.index}`)
      }
      return block
    },
  }
}
