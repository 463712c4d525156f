import type { Static } from '@sinclair/typebox'
import type { AllowListType } from '../schemas/allow-lists.ts'
import { incentiveTypes } from '../schemas/incentives.ts'
import { CORE_ADDRESSES, chainFacts } from './protocol-facts.ts'
import { Random } from './random.ts'
import { type AccessListFact, accessListFacts, firstMemberOf } from './sample-access-lists.ts'
import { type CampaignLife, lifeOf, type SamplePlan } from './sample-plan.ts'
import { type RewardTerms, rewardTermsOf, type TokenStanding } from './sample-rewards.ts'

type AdmissionType = Static<typeof AllowListType>

/** Who may take part: users are numbers, and lists are runs of consecutive users. */
interface Admission {
  readonly type: AdmissionType | null
  readonly firstUser: number
  readonly size: number
  readonly accessList: AccessListFact | undefined
}

/** What a campaign's record and its claims have to agree on. */
export interface CampaignOutline {
  readonly life: CampaignLife
  readonly index: number
  readonly id: string
  readonly chainId: number
  readonly incentives: readonly RewardTerms[]
  readonly admission: Admission
  readonly claims: number
  /** A visit is one user claiming every incentive at once; the last one may leave some out. */
  readonly visits: number
}

/** Chains as often as their share says. */
const chainDraws = [...chainFacts].flatMap(([chainId, { share }]) => Array<number>(share).fill(chainId))

const FIRST_ADMISSIONS = ['OpenAllowList', 'SimpleAllowList', 'SimpleDenyList', 'OffchainAccessList', null] as const
/** Access lists that somebody is on. */
const peopledAccessLists = accessListFacts.filter(({ members }) => members > 0)
const longestAccessList = peopledAccessLists.reduce((longest, list) =>
  list.members > longest.members ? list : longest,
)

/**
 * The outline of one campaign: a pure function of plan and index, about 2 µs. The first ten campaigns go through all
 * incentive variants and the first five through all ways of admission.
 */
export function outlineOf(plan: SamplePlan, index: number): CampaignOutline {
  const life = lifeOf(plan, index)
  const random = new Random(plan.seed, 'terms', index)
  const chainId = random.pick(chainDraws)
  const standing = standingOf(random)
  const claims = plan.claimCounts[index] ?? 0
  const { incentiveCount, fate } = life
  const incentives: RewardTerms[] = []
  for (let position = 0; position < incentiveCount; position++) {
    const drawn = incentiveTypeOf(random)
    const type = (position === 0 ? incentiveTypes[index] : undefined) ?? drawn
    const share = Math.ceil(Math.max(0, claims - position) / incentiveCount)
    incentives.push(rewardTermsOf(plan, random, { type, chainId, standing, fate, claims: share }))
  }
  const visits = incentiveCount === 0 ? 0 : Math.ceil(claims / incentiveCount)
  return {
    life,
    index,
    id: `${chainId}:${random.pick(CORE_ADDRESSES)}:${index + 1}`,
    chainId,
    incentives,
    admission: admissionOf(plan, random, { index, visits }),
    claims,
    visits,
  }
}

/** The user who makes a visit. Where as many took part as may, every visit is made by another user. */
export function visitorOf(plan: SamplePlan, outline: CampaignOutline, visit: number, random: Random): number {
  const { type, firstUser, size } = outline.admission
  const isListed = type === 'SimpleAllowList' || type === 'OffchainAccessList'
  if (outline.life.fate === 'full') return isListed ? firstUser + (visit % size) : (firstUser + visit) % plan.users
  return isListed ? firstUser + random.skewed(size) : random.skewed(plan.users)
}

/** How many users have taken part in a campaign that is full. */
export const participantsOf = (plan: SamplePlan, { admission: { type, size }, visits }: CampaignOutline): number =>
  Math.min(visits, type === 'SimpleAllowList' || type === 'OffchainAccessList' ? size : plan.users)

function standingOf(random: Random): TokenStanding {
  const roll = random.fraction()
  if (roll < 0.84) return 'whitelisted'
  return roll < 0.94 ? 'known' : 'unknown'
}

/** Most campaigns pay a fixed amount of a token. */
function incentiveTypeOf(random: Random): (typeof incentiveTypes)[number] {
  return random.chance(0.45) ? 'ERC20Incentive' : random.pick(incentiveTypes)
}

function admissionOf(
  plan: SamplePlan,
  random: Random,
  { index, visits }: { index: number; visits: number },
): Admission {
  const drawn = admissionTypeOf(random)
  const isFirst = index < FIRST_ADMISSIONS.length
  const type = isFirst ? (FIRST_ADMISSIONS[index] ?? null) : drawn
  const size = random.chance(0.03) ? random.integer(101, 250) : random.integer(1, 5 + random.skewed(60))
  const start = random.integer(0, plan.users - 1)
  const accessList = isFirst ? longestAccessList : random.pick(peopledAccessLists)
  const open: Admission = { type: 'OpenAllowList', firstUser: start, size: 0, accessList: undefined }
  switch (type) {
    case 'SimpleAllowList': {
      const admitted = isFirst ? Math.min(250, Math.max(size, visits)) : size
      // What many take part in is hardly for a few only.
      if (visits > 3 * admitted && !isFirst) return open
      return { ...open, type, firstUser: Math.min(start, plan.users - admitted), size: admitted }
    }
    case 'OffchainAccessList':
      if (visits > 3 * accessList.members && !isFirst) return open
      return { type, firstUser: firstMemberOf(plan, accessList), size: accessList.members, accessList }
    case 'SimpleDenyList':
      // Whom a list denies never claims.
      return { ...open, type, firstUser: plan.users + random.integer(0, 50), size }
    default:
      return { ...open, type }
  }
}

function admissionTypeOf(random: Random): AdmissionType | null {
  const roll = random.fraction()
  if (roll < 0.55) return 'OpenAllowList'
  if (roll < 0.65) return null
  if (roll < 0.78) return 'SimpleAllowList'
  return roll < 0.91 ? 'SimpleDenyList' : 'OffchainAccessList'
}
