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

/** How many blocks pass from one campaign to the next, and so on. */
const EVERY = { campaign: 5, topUp: 8, price: 5, reorganisation: 12 }

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
  round: Round
}

export const beginning: StoryState = { campaigns: [offered], round: { id: 1n, answer: parseUnits('3127.55', 8) } }

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
