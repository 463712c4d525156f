import { type Claim, walk } from './account-checks.ts'
import { type Operation, toJson } from './contract.ts'
import type { HttpClient } from './http-client.ts'

const DAY = 86_400
const DAYS = 7

interface Activity {
  claims: number[]
  amountUsd: string[]
  /** Null of all campaigns in a long range. */
  claimants: number[] | null
  unvaluedClaims: number[]
  totalClaims: number
  totalAmountClaimedUsd: number
}

interface Incentive {
  limit?: string
  committed?: string
  openEnded?: boolean
  emissionRate?: string
}

interface Outlook {
  incentiveIndex: number
  budgetLeft?: string
  entries?: string
  oddsOneIn?: string
  spentInBasis?: string
  secondsLeft?: string
  exhaustsAt?: string
  claimsInBasis: number
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
const instant = (seconds: number) => encodeURIComponent(new Date(seconds * 1000).toISOString())

/** What is told of the campaign that was claimed last: activity, outlook and claims are about the same. */
export async function findFigureViolations(http: HttpClient, operations: readonly Operation[]): Promise<string[]> {
  if (!operations.some(({ path }) => path === '/outlook')) return []
  const newest = Object(toJson((await http.send('/claims?pageSize=1')).text)).claims?.[0] as Claim | undefined
  if (newest === undefined) return []
  const violations = await Promise.all([
    findActivityViolations(http, newest),
    findOutlookViolations(http, newest.campaignId),
  ])
  return violations.flat()
}

/** The week up to the newest claim, beside the days of the clock. */
async function findActivityViolations(http: HttpClient, { campaignId, blockTimestamp }: Claim) {
  const until = Number(blockTimestamp) + 1
  const since = until - DAYS * DAY
  const range = `since=${instant(since)}&until=${instant(until)}`
  const read = async (rest: string) =>
    Object(toJson((await http.send(`/activity?${range}&interval=1d${rest}`)).text)).campaigns?.[0] as
      | Activity
      | undefined
  const [all, own, { entries: claims, isComplete }] = await Promise.all([
    read(''),
    read(`&campaignId=${campaignId}`),
    walk<Claim>(http, `/claims?campaignId=${campaignId}&${range}`, 'claims'),
  ])
  if (all === undefined || own === undefined)
    return ['/activity does not tell of a campaign that was claimed, or of all']
  const daily = own.claims.map((_, day) =>
    claims.filter((claim) => Math.floor((Number(claim.blockTimestamp) - since) / DAY) === day),
  )
  const claimants = daily.map((part) => new Set(part.map(({ claimant }) => claimant)).size)
  const checks: [holds: boolean, violation: string][] = [
    [[all, own].every(addsUp), 'has intervals that do not add up to the totals'],
    [[all, own].every(isPlausible), 'counts more claimants, or claims without a value, than claims'],
    [own.claims.every((count, day) => count <= (all.claims[day] ?? 0)), 'counts fewer claims of all than of one'],
    [
      !isComplete || String(own.claims) === String(daily.map(({ length }) => length)),
      'counts other claims than /claims lists',
    ],
    [!isComplete || String(own.claimants) === String(claimants), 'counts other claimants than those of /claims'],
  ]
  return checks.filter(([holds]) => !holds).map(([, violation]) => `/activity ${violation}`)
}

/** Amounts are rounded one by one, to 6 decimals. */
function addsUp({ claims, totalClaims, amountUsd, totalAmountClaimedUsd }: Activity) {
  const amount = sum(amountUsd.map(Number))
  const rounding = 1e-6 * (amountUsd.length + 1) + 1e-9 * amount
  return sum(claims) === totalClaims && Math.abs(amount - totalAmountClaimedUsd) <= rounding
}

const isPlausible = ({ claims, claimants, unvaluedClaims }: Activity) =>
  claims.every((count, index) => {
    const own = claimants?.[index] ?? 0
    return own <= count && own > 0 === count > 0 && (unvaluedClaims[index] ?? 0) <= count
  })

async function findOutlookViolations(http: HttpClient, campaignId: string) {
  const outlook = Object(toJson((await http.send(`/outlook?campaignId=${campaignId}`)).text))
  const incentives: Outlook[] = outlook.campaigns?.[0]?.incentives ?? []
  const terms: Incentive[] = Object(toJson((await http.send(`/campaigns/${campaignId}`)).text)).incentives ?? []
  const at = Date.parse(outlook.at) / 1000
  const range = `since=${instant(at - DAY + 1)}&until=${instant(at + 1)}`
  const { entries: claims, isComplete } = await walk<Claim>(http, `/claims?campaignId=${campaignId}&${range}`, 'claims')
  const checks: [holds: boolean, violation: string][] = [
    [incentives.length > 0, 'does not tell of the incentives of a campaign that was claimed'],
    [incentives.every(hasOdds), 'tells of other odds than one more entry has'],
    [
      incentives.every((incentive, place) => lasts(incentive, terms[place], at)),
      'tells of another time left than budget and pace give',
    ],
    [
      !isComplete ||
        incentives.every(
          ({ incentiveIndex, claimsInBasis }) =>
            claims.filter((claim) => claim.incentiveIndex === incentiveIndex).length === claimsInBasis,
        ),
      'counts other claims than /claims lists',
    ],
  ]
  return checks.filter(([holds]) => !holds).map(([, violation]) => `/outlook ${violation}`)
}

const hasOdds = ({ entries, oddsOneIn }: Outlook) =>
  entries === undefined ? oddsOneIn === undefined : BigInt(entries) + 1n === BigInt(oddsOneIn ?? 0)

function lasts(outlook: Outlook, terms: Incentive | undefined, at: number) {
  const { secondsLeft, exhaustsAt } = outlook
  const seconds = terms?.openEnded === true ? atItsRate(terms) : atThePace(outlook)
  const isAtItsEnd = exhaustsAt === undefined || Date.parse(exhaustsAt) / 1000 === at + Number(secondsLeft)
  return String(secondsLeft) === String(seconds) && isAtItsEnd
}

function atThePace({ budgetLeft, spentInBasis = '0' }: Outlook) {
  const isPaced = budgetLeft !== undefined && spentInBasis !== '0'
  return isPaced ? (BigInt(budgetLeft) * BigInt(DAY)) / BigInt(spentInBasis) : undefined
}

/** An open-ended incentive pays what is not earned yet at a rate of its own: base units a second, times 10^12. */
export function atItsRate({ limit = '0', committed, emissionRate = '0' }: Incentive) {
  if (committed === undefined || emissionRate === '0') return undefined
  const left = BigInt(limit) - BigInt(committed)
  return ((left > 0n ? left : 0n) * 10n ** 12n) / BigInt(emissionRate)
}
