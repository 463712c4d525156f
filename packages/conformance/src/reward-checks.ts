import { type Claim, walk } from './account-checks.ts'
import { type Operation, toJson } from './contract.ts'
import type { HttpClient } from './http-client.ts'

/** So many of those who claimed last are looked at for one who can claim. */
const MAX_CLAIMANTS = 8

/** Multicall3, and what call data of its `aggregate3Value` begins with. */
const MULTICALL = { to: '0xca11bde05977b3631167028862be2a173976ca11', selector: '0x174dea71' }
const MAX_CLAIMS_TOGETHER = 50

/** The reasons in their order. */
const REASONS = [
  ...['not-started', 'ended', 'claim-window-closed', 'max-participants-reached', 'incentive-spent'],
  ...['reward-exceeds-budget', 'on-deny-list', 'not-on-allow-list', 'list-unknown', 'already-claimed'],
  ...['claimed-before', 'signature-missing', 'proof-outdated', 'claim-fee-unknown', 'signature-invalid'],
]

/** Those that block a claim whatever else holds. */
const BLOCKING = ['incentive-spent', 'reward-exceeds-budget', 'already-claimed', 'signature-invalid']

/** What a reward says of what a claim pays; nothing of it where the verdict is `blocked`. */
const AMOUNTS = ['rewardNow', 'rewardNowUsd', 'raffle', 'claimUntil', 'exhaustsAt', 'claimsLeft', 'budgetLeft'] as const

interface Reward {
  campaignId: string
  incentiveIndex: number
  incentiveType: string
  verdict: string
  reasons: { code: string; budgetLeft?: string }[]
  asset: string | null
  transaction?: { value?: string }
  rewardNow?: string
  rewardNowUsd?: string
  raffle?: object
  claimUntil?: string
  exhaustsAt?: string
  claimsLeft?: string
  budgetLeft?: string
}

interface Claimable {
  chainId: number
  asset: string
  rewards: number
  amount: string
  amountUsd: string | null
}

interface ClaimTransactions {
  chainId: number
  to: string
  data: string
  value: string
  rewards: { campaignId: string; incentiveIndex: number }[]
}

interface Rewards {
  rewards: Reward[]
  claimable: Claimable[]
  claimableUsd: string
  claimTransactions?: ClaimTransactions[]
}

type Check = [holds: boolean, violation: string]

const read = async ({ send }: HttpClient, path: string) => Object(toJson((await send(path)).text))

/** One who can claim something if there is one among those who claimed last, else the last of them. */
export async function findClaimant(http: HttpClient): Promise<string | undefined> {
  const claims: Claim[] = (await read(http, '/claims?pageSize=100')).claims ?? []
  const claimants = [...new Set(claims.map(({ claimant }) => claimant))].slice(0, MAX_CLAIMANTS)
  for (const claimant of claimants) {
    const { rewards } = await read(http, `/users/${claimant}/rewards?state=claimable&pageSize=1`)
    if (rewards?.length > 0) return claimant
  }
  return claimants[0]
}

/** What an account can claim: how much, worth what, until when, and by which transactions. */
export async function findRewardViolations(http: HttpClient, operations: readonly Operation[]): Promise<string[]> {
  if (!operations.some(({ path }) => path === '/users/{address}/rewards')) return []
  const claimant = await findClaimant(http)
  if (claimant === undefined) return []
  const path = `/users/${claimant}/rewards`
  const before = Date.now()
  const [{ entries, isComplete }, whole, elsewhere] = await Promise.all([
    walk<Reward>(http, path, 'rewards'),
    read(http, `${path}?claimTransactions=true&pageSize=0`) as Promise<Rewards>,
    read(http, `${path}?claimTransactions=true&pageSize=1&state=claimed`) as Promise<Rewards>,
  ])
  const checks: Check[] = [
    ...reasonChecks(entries),
    ...figureChecks(entries, before),
    ...(isComplete ? totalChecks(entries, whole) : []),
    ...transactionChecks(entries, whole.claimTransactions ?? [], isComplete),
    [
      JSON.stringify(whole.claimTransactions) === JSON.stringify(elsewhere.claimTransactions),
      'has other claimTransactions on another page',
    ],
  ]
  return checks.filter(([holds]) => !holds).map(([, violation]) => `/users/{address}/rewards ${violation}`)
}

function reasonChecks(rewards: readonly Reward[]): Check[] {
  const all = rewards.map(({ verdict, reasons }) => ({ verdict, reasons, codes: reasons.map(({ code }) => code) }))
  return [
    [
      all.every(({ codes }) => codes.join() === REASONS.filter((code) => codes.includes(code)).join()),
      'has reasons in another order, twice, or unknown ones',
    ],
    [
      all.every(({ verdict, codes }) => verdict === 'blocked' || !codes.some((code) => BLOCKING.includes(code))),
      'does not block what a reason blocks',
    ],
    [
      all.every(({ reasons }) =>
        reasons.every(({ code, budgetLeft }) => (code === 'reward-exceeds-budget') === (budgetLeft !== undefined)),
      ),
      'does not say what is left where a claim would pay more',
    ],
    [
      all.every(({ codes }) => !codes.includes('incentive-spent') || !codes.includes('reward-exceeds-budget')),
      'says of a spent incentive that a claim would pay more than is left',
    ],
  ]
}

/** @param now when the requests were sent, by the clock here, which may be a minute ahead. */
function figureChecks(rewards: readonly Reward[], now: number): Check[] {
  const claimable = rewards.filter(({ verdict }) => verdict === 'claimable')
  const isAhead = (at: string | undefined) => at === undefined || Date.parse(at) > now - 60_000
  const isWithin = ({ asset, rewardNow, budgetLeft }: Reward) =>
    rewardNow === undefined || budgetLeft === undefined || asset === null
      ? true
      : BigInt(rewardNow) <= BigInt(budgetLeft)
  return [
    [
      rewards.every(
        (reward) => reward.verdict !== 'blocked' || AMOUNTS.every((figure) => reward[figure] === undefined),
      ),
      'says what a blocked claim pays',
    ],
    [
      rewards.every(({ rewardNow, rewardNowUsd }) => rewardNow !== undefined || rewardNowUsd === undefined),
      'values a reward whose amount it does not say',
    ],
    [
      rewards.every(({ raffle, rewardNow }) => raffle === undefined || rewardNow === undefined),
      'says that a claim of a raffle pays by itself',
    ],
    [claimable.every(isWithin), 'says that a claim pays more than is left'],
    [claimable.every(({ claimsLeft }) => claimsLeft !== '0'), 'lets somebody claim where no claims are left'],
    [claimable.every(({ claimUntil }) => isAhead(claimUntil)), 'lets somebody claim after claimUntil'],
    [
      rewards.every(({ exhaustsAt, budgetLeft }) => exhaustsAt === undefined || budgetLeft !== undefined),
      'says when a budget is spent that it does not know',
    ],
  ]
}

/** Amounts are rounded one by one, to 6 decimals. */
const isAbout = (one: number, other: number, parts: number) =>
  Math.abs(one - other) <= 1e-6 * (parts + 1) + 1e-9 * Math.abs(other)

const sum = (amounts: readonly (string | null | undefined)[]) =>
  amounts.reduce((total, amount) => total + Number(amount ?? 0), 0)

function totalChecks(rewards: readonly Reward[], { claimable, claimableUsd }: Rewards): Check[] {
  const byToken = new Map<string, Reward[]>()
  for (const reward of rewards) {
    if (reward.verdict !== 'claimable' || reward.asset === null || reward.rewardNow === undefined) continue
    const token = `${reward.campaignId.split(':')[0]}:${reward.asset}`
    byToken.set(token, [...(byToken.get(token) ?? []), reward])
  }
  const tokens = [...byToken.keys()].sort((one, other) => byChainAndText(one.split(':'), other.split(':')))
  const known = claimable.map(({ amountUsd }) => amountUsd)
  const ofToken = ({ chainId, asset }: Claimable) => byToken.get(`${chainId}:${asset}`) ?? []
  // What an auction pays changes every second.
  const steady = claimable.filter((total) =>
    ofToken(total).every(({ incentiveType }) => incentiveType !== 'CGDAIncentive'),
  )
  return [
    [
      tokens.join() === claimable.map(({ chainId, asset }) => `${chainId}:${asset}`).join(),
      'has other tokens in claimable than rewards, or another order',
    ],
    [claimable.every((total) => total.rewards === ofToken(total).length), 'counts other rewards in claimable'],
    [
      steady.every(
        (total) =>
          BigInt(total.amount) === ofToken(total).reduce((amount, { rewardNow = 0 }) => amount + BigInt(rewardNow), 0n),
      ),
      'adds up other amounts in claimable than rewards have',
    ],
    [
      steady.every((total) => {
        const values = ofToken(total).map(({ rewardNowUsd }) => rewardNowUsd)
        return total.amountUsd === null
          ? values.every((value) => value === undefined)
          : isAbout(sum(values), Number(total.amountUsd), values.length)
      }),
      'values claimable otherwise than its rewards',
    ],
    [isAbout(sum(known), Number(claimableUsd), known.length), 'has another claimableUsd than claimable adds up to'],
  ]
}

const byChainAndText = ([chain = '', text = '']: string[], [otherChain = '', other = '']: string[]) =>
  Number(chain) - Number(otherChain) || (text < other ? -1 : 1)

function transactionChecks(
  rewards: readonly Reward[],
  transactions: readonly ClaimTransactions[],
  isComplete: boolean,
): Check[] {
  const keyOf = ({ campaignId, incentiveIndex }: { campaignId: string; incentiveIndex: number }) =>
    `${campaignId} ${incentiveIndex}`
  const claimed = transactions.flatMap((transaction) => transaction.rewards)
  const claimable = rewards.filter(({ verdict, transaction }) => verdict === 'claimable' && transaction !== undefined)
  const known = new Set(claimable.map(keyOf))
  const fees = new Map(claimable.map((reward) => [keyOf(reward), BigInt(reward.transaction?.value ?? 0)] as const))
  const together = new Set(claimed.map(keyOf))
  const campaigns = new Set(claimed.map(({ campaignId }) => campaignId))
  return [
    [
      transactions.every(({ to, data }) => to === MULTICALL.to && data.startsWith(MULTICALL.selector)),
      'has claimTransactions that call something else',
    ],
    [
      transactions.every(
        ({ value, rewards: claims }) =>
          !claims.every((claim) => fees.has(keyOf(claim))) ||
          BigInt(value) === claims.reduce((sum, claim) => sum + (fees.get(keyOf(claim)) ?? 0n), 0n),
      ),
      'has claimTransactions that send something else than their claims need',
    ],
    [
      transactions.every(({ chainId, rewards }) =>
        rewards.every(({ campaignId }) => campaignId.startsWith(`${chainId}:`)),
      ),
      'has claims of another chain in claimTransactions',
    ],
    [
      transactions.every(({ rewards }) => rewards.length > 0 && rewards.length <= MAX_CLAIMS_TOGETHER),
      'has none or more than 50 claims in one of claimTransactions',
    ],
    [claimed.every((claim, index) => isAfter(claim, claimed[index - 1])), 'has claimTransactions in another order'],
    [
      !isComplete || claimed.every((claim) => known.has(keyOf(claim))),
      'has claims in claimTransactions that cannot be claimed',
    ],
    [
      // A fee that is not known leaves out a campaign whole.
      claimable.every((reward) => !campaigns.has(reward.campaignId) || together.has(keyOf(reward))),
      'leaves out of claimTransactions what can be claimed',
    ],
  ]
}

type Place = ClaimTransactions['rewards'][number]

/** By chain, core, number of the campaign and index; each comes once. */
function isAfter(one: Place, before: Place | undefined) {
  if (before === undefined) return true
  const [chain = '', core = '', number = '0'] = one.campaignId.split(':')
  const [chainBefore = '', coreBefore = '', numberBefore = '0'] = before.campaignId.split(':')
  if (chain !== chainBefore) return Number(chain) > Number(chainBefore)
  if (core !== coreBefore) return core > coreBefore
  if (number !== numberBefore) return BigInt(number) > BigInt(numberBefore)
  return one.incentiveIndex > before.incentiveIndex
}
