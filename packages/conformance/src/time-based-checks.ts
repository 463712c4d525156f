import type { Hex } from 'viem'
import { concat, decodeFunctionData, encodeAbiParameters, keccak256, parseAbi, parseAbiParameters } from 'viem/utils'
import { type Claim, walk } from './account-checks.ts'
import { type Operation, toJson } from './contract.ts'
import { atItsRate } from './figure-checks.ts'
import type { HttpClient } from './http-client.ts'

/** So many campaigns are looked at, and in each so many of those who have claimed: others with a proof are listed nowhere. */
const MAX_CAMPAIGNS = 20
const MAX_CLAIMANTS = 3

interface Terms {
  asset: Hex
  limit: string
  committed?: string
  totalAmountClaimed?: string
  remainingBalance?: string
  claimUntil: string
  openEnded: boolean
  emissionRate?: string
  root?: Hex
}

interface TimeBased {
  id: string
  endTime: string | null
  action: Hex
  validator: string
  incentives: [Terms]
}

interface Claimable {
  verdict: string
  rewardNow?: string
  claimUntil?: string
  transaction?: { to: string; data: Hex }
}

type Check = [holds: boolean, violation: string]

const claimFunction = parseAbi([
  'function claim(uint256 campaignId, address user, uint256 cumulativeAmount, bytes32[] proof)',
])

const read = async ({ send }: HttpClient, path: string) => Object(toJson((await send(path)).text))

/** What is told of the newest time-based campaigns of followed chains, of which all figures are the contracts' own. */
export async function findTimeBasedViolations(http: HttpClient, operations: readonly Operation[]): Promise<string[]> {
  if (!operations.some(({ path }) => path === '/outlook')) return []
  const { text, headers } = await http.send(
    `/campaigns?incentiveType=TimeBasedIncentive&tokenWhitelist=false&pageSize=${MAX_CAMPAIGNS}`,
  )
  const followed = [...(headers.get('x-as-of') ?? '').matchAll(/(\d+):\d+/g)].map(([, chainId]) => chainId)
  const listed: TimeBased[] = Object(toJson(text)).campaigns ?? []
  const campaigns = listed.filter(({ id }) => followed.some((chainId) => id.startsWith(`${chainId}:`)))
  if (campaigns.length === 0) return []
  const found = await Promise.all([
    termChecks(campaigns),
    runwayChecks(http, campaigns),
    ...campaigns.map((campaign) => proofChecks(http, campaign)),
  ])
  return [...new Set(found.flat().flatMap(([holds, violation]) => (holds ? [] : [violation])))]
}

function termChecks(campaigns: readonly TimeBased[]): Check[] {
  return campaigns.flatMap(({ endTime, incentives: [terms] }): Check[] => {
    const { limit, committed = '0', totalAmountClaimed = '0', remainingBalance = '0', claimUntil } = terms
    const unclaimed = BigInt(limit) - BigInt(totalAmountClaimed)
    return [
      [BigInt(committed) <= BigInt(limit), '/campaigns: a time-based campaign has committed more than its limit'],
      [
        BigInt(remainingBalance) <= (unclaimed > 0n ? unclaimed : 0n),
        '/campaigns: a time-based campaign has more left than was not claimed',
      ],
      [
        endTime === null || Date.parse(claimUntil) >= Date.parse(endTime),
        '/campaigns: a time-based campaign cannot be claimed until its end',
      ],
      [
        terms.openEnded || terms.emissionRate === undefined,
        '/campaigns: a time-based campaign pays at a rate though it is not open-ended',
      ],
    ]
  })
}

async function runwayChecks(http: HttpClient, campaigns: readonly TimeBased[]): Promise<Check[]> {
  const open = new Map(campaigns.flatMap(({ id, incentives: [terms] }) => (terms.openEnded ? [[id, terms]] : [])))
  if (open.size === 0) return []
  const outlook = await read(http, `/outlook?campaignId=${[...open.keys()]}`)
  return (outlook.campaigns ?? []).map(({ id, incentives: [own] }: { id: string; incentives: [Lasting] }): Check => {
    const terms = open.get(id)
    return [
      terms !== undefined && String(own.secondsLeft) === String(atItsRate(terms)),
      '/outlook tells of another time left than the rate of an open-ended campaign gives',
    ]
  })
}

interface Lasting {
  secondsLeft?: string
}

async function proofChecks(http: HttpClient, campaign: TimeBased): Promise<Check[]> {
  const { id } = campaign
  const { entries, isComplete } = await walk<Claim & { amount: string }>(http, `/claims?campaignId=${id}`, 'claims')
  if (!isComplete) return []
  const claimants = [...new Set(entries.map(({ claimant }) => claimant))].slice(0, MAX_CLAIMANTS)
  const found = claimants.map(async (user): Promise<Check[]> => {
    const { campaigns } = await read(http, `/eligibility?user=${user}&campaignId=${id}`)
    const own: Claimable | undefined = campaigns?.[0]?.incentives?.[0]
    if (own?.verdict !== 'claimable') return []
    const claimed = entries.reduce((sum, { claimant, amount }) => sum + (claimant === user ? BigInt(amount) : 0n), 0n)
    return claimChecks(campaign, own, { user: user as Hex, claimed })
  })
  return (await Promise.all(found)).flat()
}

/** What lets an account claim: the call of the manager, by a proof that leads to the root, of what was not claimed yet. */
function claimChecks(
  { id, action, validator, incentives: [terms] }: TimeBased,
  { rewardNow, claimUntil, transaction }: Claimable,
  { user, claimed }: { user: Hex; claimed: bigint },
): Check[] {
  const { asset, root } = terms
  const [chainId = '', , number = ''] = id.split(':')
  const call = decoded(transaction?.data)
  const isOwn = call !== undefined && String(call.number) === number && call.user.toLowerCase() === user
  const own = [user, asset, call?.cumulativeAmount ?? 0n] as const
  const leaves = [
    encodeAbiParameters(parseAbiParameters('address, address, uint256'), own),
    // Of newer contracts.
    encodeAbiParameters(parseAbiParameters('uint256, address, address, address, uint256'), [
      ...([BigInt(chainId), action, ...own] as const),
    ]),
  ]
  return [
    [isOwn && transaction?.to === validator, '/eligibility claims a time-based campaign by another call'],
    [
      leaves.some((leaf) => leadsTo(keccak256(keccak256(leaf)), call?.proof ?? []) === root),
      '/eligibility claims a time-based campaign by a proof that does not lead to its root',
    ],
    [
      call !== undefined && String(call.cumulativeAmount - claimed) === rewardNow,
      '/eligibility says of a time-based campaign another reward than its proof less what was claimed',
    ],
    [claimUntil === terms.claimUntil, '/eligibility says another deadline than that of a time-based campaign'],
  ]
}

function decoded(data: Hex | undefined) {
  try {
    const { args } = decodeFunctionData({ abi: claimFunction, data: data ?? '0x' })
    const [number, user, cumulativeAmount, proof] = args
    return { number, user, cumulativeAmount, proof }
  } catch {
    return undefined
  }
}

/** Pairs are hashed in the order of their bytes. */
const leadsTo = (leaf: Hex, proof: readonly Hex[]) =>
  proof.reduce((hash, beside) => keccak256(concat(hash < beside ? [hash, beside] : [beside, hash])), leaf)
