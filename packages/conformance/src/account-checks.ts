import { type Operation, toJson } from './contract.ts'
import type { HttpClient } from './http-client.ts'

/** Up to so many pages, claims and rewards are read to their end. */
const MAX_PAGES = 5
const PAGE_SIZE = 100

/** The best comes first. */
const VERDICTS = ['claimable', 'admitted', 'unknown', 'blocked']

/** What the laws look at in a claim. */
export interface Claim {
  claimant: string
  campaignId: string
  incentiveIndex: number
  txHash: string
  logIndex: number
  blockTimestamp: string
}

interface Evaluated {
  incentiveIndex: number
  verdict: string
  reasons: unknown[]
}

/** Pages one behind the other; `isComplete` if there are no more. */
export async function walk<Entry>({ send }: HttpClient, path: string, name: string) {
  const entries: Entry[] = []
  let total: number | undefined
  let cursor: string | null = ''
  for (let page = 0; page < MAX_PAGES && cursor !== null; page += 1) {
    const paging = `pageSize=${PAGE_SIZE}${cursor === '' ? '' : `&cursor=${cursor}`}`
    const response = await send(`${path}${path.includes('?') ? '&' : '?'}${paging}`)
    const body = Object(toJson(response.text))
    entries.push(...(Array.isArray(body[name]) ? body[name] : []))
    total ??= body.totalClaims
    cursor = typeof body.nextCursor === 'string' ? body.nextCursor : null
  }
  return { entries, total, isComplete: cursor === null }
}

/** What is told of the one who has made the newest claim: claims, rewards and eligibility are about the same. */
export async function findAccountViolations(http: HttpClient, operations: readonly Operation[]): Promise<string[]> {
  if (!operations.some(({ path }) => path === '/eligibility')) return []
  const newest = Object(toJson((await http.send('/claims?pageSize=1')).text)).claims?.[0] as Claim | undefined
  if (newest === undefined) return []
  const { claimant, campaignId } = newest
  const [own, rewards, eligibility] = await Promise.all([
    walk<Claim>(http, `/claims?claimant=${claimant}`, 'claims'),
    walk<Evaluated & { campaignId: string; claims: number }>(
      http,
      `/users/${claimant}/rewards?state=claimed`,
      'rewards',
    ),
    http.send(`/eligibility?user=${claimant}&campaignId=${campaignId}`),
  ])
  const [evaluated] = Object(toJson(eligibility.text)).campaigns ?? []
  const incentives: Evaluated[] = evaluated?.incentives ?? []
  const best = VERDICTS.find((verdict) => incentives.some((incentive) => incentive.verdict === verdict))
  const times = own.entries.map(({ blockTimestamp }) => Number(blockTimestamp))
  const shownTwice =
    new Set(own.entries.map(({ campaignId, txHash, logIndex }) => `${campaignId.split(':')[0]} ${txHash} ${logIndex}`))
      .size < own.entries.length
  const isSameVerdict = rewards.entries.every(
    (reward) =>
      reward.campaignId !== campaignId ||
      incentives.some(
        ({ incentiveIndex, verdict, reasons }) =>
          incentiveIndex === reward.incentiveIndex &&
          verdict === reward.verdict &&
          JSON.stringify(reasons) === JSON.stringify(reward.reasons),
      ),
  )
  const counted = rewards.entries.reduce((sum, { claims }) => sum + claims, 0)
  const checks: [holds: boolean, violation: string][] = [
    [own.entries.every((claim) => claim.claimant === claimant), '/claims: claimant returns claims of others'],
    [!shownTwice, '/claims shows a claim twice'],
    [times.every((time, index) => index === 0 || time <= (times[index - 1] ?? time)), '/claims is not newest first'],
    [!own.isComplete || own.total === own.entries.length, '/claims has another number of entries than its total says'],
    [!rewards.isComplete || counted === own.total, '/users/{address}/rewards counts other claims than /claims'],
    [
      best === undefined || evaluated?.verdict === best,
      "/eligibility: a campaign's verdict is not the best of its incentives'",
    ],
    [isSameVerdict, '/users/{address}/rewards judges otherwise than /eligibility'],
  ]
  return checks.filter(([holds]) => !holds).map(([, violation]) => violation)
}
