import type { Accounts } from '../accounts.ts'
import { facts, projectImageUri, toIsoTime, tokenImageUri } from '../facts.ts'
import type { Random } from '../random.ts'
import { actionClaimantOf, type Collection, type Collections, drawTasks, type Task } from './actions.ts'
import { roundUp } from './amounts.ts'
import { type IncentiveType, incentiveRecordOf, incentiveTypes } from './incentives.ts'
import type { Timeline } from './lifecycles.ts'
import { drawReward, type Reward } from './rewards.ts'

/** What claims have to know of their campaign. */
export interface SampleCampaign {
  id: string
  timeline: Timeline
  rewards: readonly Reward[]
  /** A visit is one user claiming every incentive at once; the last one may leave some out. */
  visits: number
  /** Users who may claim. */
  admitted: readonly string[]
}

interface DrawContext {
  random: Random
  accounts: Accounts
  collections: Collections
}

/** The first campaigns go through all ways of admission. */
const ADMISSIONS = ['OpenAllowList', 'SimpleAllowList', 'SimpleDenyList', 'OffchainAccessList', null] as const
/** Chains as often as their share says. */
const CHAIN_IDS = facts.chains.flatMap(({ chainId, share }) => Array<number>(share).fill(chainId))

/** Draws a campaign and its record; the first go through all kinds of incentives. */
export function drawCampaign({ random, accounts, collections }: DrawContext, timeline: Timeline, index: number) {
  const { lifecycle, claims, incentiveCount } = timeline
  const chainId = random.fork('chain').pick(CHAIN_IDS)
  const types = drawTypes(random, incentiveCount, index)
  const [isTimeBased] = types.map((type) => type === 'TimeBasedIncentive')
  const core = isTimeBased ? facts.protocol.timeBasedManager : random.fork('core').pick(facts.protocol.coreAddresses)
  const id = `${chainId}:${core}:${index + 1}`
  const tokenStatus = random.fork('token status').pick(TOKEN_STATUSES)
  const rewards = types.map((type, position) =>
    drawReward(random.fork(`incentive ${position}`), {
      ...{ type, chainId, tokenStatus },
      claims: Math.ceil(Math.max(0, claims - position) / types.length),
    }),
  )
  const endsAt = timeline.endsAt ?? (isTimeBased ? timeline.closesAt + 90 * DAY : null)
  const visits = Math.max(0, ...rewards.map((reward) => reward.claims))
  const owner = random.fork('owner').pickSkewed(accounts.owners)
  const { admitted, allowList } = drawAdmission(random.fork('admission'), accounts, {
    index,
    visits,
    owner: owner.address,
  })
  const tasks = drawTasks(random.fork('tasks'), collections, chainId)
  const [task] = tasks
  const { actionContract, validator } = facts.protocol
  const ample = roundUp(Math.max(10, visits * (1.5 + 4 * random.fork('room').fraction())))
  const [ofAction, ofCreator] = [random.fork('action'), random.fork('creator')]
  const record = {
    type: 'campaign' as const,
    id,
    action: ofAction.chance(0.5) ? actionContract : ofAction.address(),
    budget: owner.budget,
    owner: owner.address,
    ...(ofCreator.chance(0.06) ? { creator: ofCreator.pickSkewed(accounts.owners).address } : {}),
    validator: isTimeBased ? core : validator,
    blockTimestamp: String(timeline.createdAt),
    txHash: random.fork('transaction').hash(),
    protocolFee: random.fork('fee').pick(['1000', '1000', '250', '0']),
    maxParticipants: String(
      lifecycle === 'full'
        ? Math.min(visits, admitted.length)
        : isTimeBased || random.fork('participants').chance(0.2)
          ? 0
          : ample,
    ),
    // Users come again, so no validator counts their claims; of some nothing is known.
    ...(index % 3 === 2 ? {} : { maxClaimsPerClaimant: 'unlimited' as const }),
    incentives: rewards.map((reward, position) =>
      incentiveRecordOf(
        random.fork(`incentive ${position}`).fork('record'),
        reward,
        { ...timeline, endsAt },
        task?.action,
      ),
    ),
    allowList,
    actionSteps:
      isTimeBased || (tasks.length === 0 && random.fork('no steps').chance(0.5)) ? null : tasks.map(({ step }) => step),
    startTime: timeline.startsAt === null ? null : toIsoTime(timeline.startsAt),
    endTime: endsAt === null ? null : toIsoTime(endsAt),
    ...(random.fork('block numbers').chance(0.6)
      ? { createdAtBlockchainNumbers: blockNumbersOf(timeline, chainId, tasks) }
      : {}),
    ...presentationOf(random.fork('presentation'), rewards, task),
    ...(task === undefined ? {} : taskFieldsOf(random.fork('task'), task)),
  }
  return { campaign: { id, timeline, rewards, visits, admitted } satisfies SampleCampaign, record }
}

/** One pays over time, and by nothing else: early, so that a small sample has it. */
const TIME_BASED = 13

const DAY = 86_400

/** What comes later in the list is in one campaign each, so that others stay as they are, which examples count. */
const DRAWN_TYPES = 10

function drawTypes(random: Random, count: number, index: number): IncentiveType[] {
  if (index === TIME_BASED) return ['TimeBasedIncentive']
  return Array.from({ length: count }, (_, position) => {
    const ofType = random.fork(`incentive ${position}`).fork('type')
    const drawn = ofType.chance(0.45) ? 'ERC20Incentive' : ofType.pickNamed(incentiveTypes.slice(0, DRAWN_TYPES))
    return (position === 0 ? incentiveTypes[index] : undefined) ?? drawn
  })
}

/** Who knows the reward tokens of a campaign. */
const TOKEN_STATUSES = [
  ...Array<'whitelisted'>(21).fill('whitelisted'),
  ...Array<'known'>(2).fill('known'),
  ...Array<'unknown'>(2).fill('unknown'),
]

/** Who may claim: everybody, the users of a list, or all but those of one. */
function drawAdmission(
  random: Random,
  { claimants, members }: Accounts,
  { index, visits, owner }: { index: number; visits: number; owner: string },
) {
  const [ofType, ofSize] = [random.fork('type'), random.fork('size')]
  const drawn = ofType.chance(0.55) ? 'OpenAllowList' : ofType.pick(ADMISSIONS.slice(1))
  const type = index < ADMISSIONS.length ? (ADMISSIONS[index] ?? null) : drawn
  const size = ofSize.chance(0.03) ? ofSize.integer(101, 250) : ofSize.integer(1, 5 + ofSize.skewed(60))
  if (type === null) return { admitted: claimants, allowList: null }
  const allowList = { owner, contractAddress: facts.protocol.allowListContracts[type], type }
  const noAddresses = random.fork('no addresses').chance(0.5) ? [] : null
  if (type === 'OpenAllowList') return { admitted: claimants, allowList: { ...allowList, addresses: noAddresses } }
  if (type === 'SimpleDenyList') {
    return {
      admitted: claimants,
      allowList: { ...allowList, addresses: Array.from({ length: size }, () => ofSize.address()) },
    }
  }
  if (type === 'OffchainAccessList') {
    const [accessListId, admitted] = random
      .fork('list')
      .pick([...members].slice(0, index < ADMISSIONS.length ? 1 : undefined))
    return { admitted, allowList: { ...allowList, addresses: noAddresses, accessListId } }
  }
  // What many take part in is hardly for a few only.
  const length = Math.min(250, Math.max(size, Math.ceil(visits / 3)))
  const start = random.fork('admitted').integer(0, claimants.length - length)
  const admitted = claimants.slice(start, start + length)
  return { admitted, allowList: { ...allowList, addresses: admitted } }
}

/** Estimates of the block of each chain involved when the campaign was created. */
function blockNumbersOf({ createdAt }: Timeline, chainId: number, tasks: readonly Task[]): Record<string, string> {
  const involved = new Set([chainId, ...tasks.map(({ step }) => step.chainId)])
  const numbers: Record<string, string> = {}
  for (const { chainId, block, blockAt, secondsPerBlock } of facts.chains) {
    const passed = Math.floor((createdAt - blockAt) / secondsPerBlock)
    if (involved.has(chainId)) numbers[chainId] = String(Math.max(0, block + passed))
  }
  return numbers
}

/** How a campaign is shown and where. */
function presentationOf(random: Random, rewards: readonly Reward[], task: Task | undefined) {
  const token = rewards.find((reward) => reward.token !== undefined)?.token
  const channels = random.fork('channels').pick(facts.distributionChannels)
  const ofAutocampaign = random.fork('autocampaign')
  const project = task === undefined ? 'rewards' : projectOf(task)
  return {
    campaignName: random.fork('unnamed').chance(0.04) ? null : nameOf(random.fork('name'), task),
    distributionChannels: channels.length === 0 && random.fork('no channels').chance(0.5) ? null : channels,
    ...(channels.includes('worldcoin')
      ? { verificationLevel: random.fork('verification').pick(['orb', 'device', 'passport']) }
      : {}),
    ...(ofAutocampaign.chance(0.12) ? { autocampaignId: `auto-${project}-${ofAutocampaign.integer(1, 9)}` } : {}),
    ...(token === undefined || random.fork('token image').chance(0.1) ? {} : { tokenImageUri: tokenImageUri(token) }),
  }
}

const projects = new Map(facts.actionTemplates.map(({ id, projectId }) => [id, projectId]))
const projectOf = ({ action }: Task) => projects.get(action.templateId) ?? ''

function nameOf(random: Random, task: Task | undefined) {
  if (task === undefined) return random.pick(['Claim your reward', 'Welcome gift', 'Gracias, Base – für alle'])
  const { action, collection } = task
  const name = action.collection?.startsWith('replaces') ? `${action.title}: ${collection?.name}` : action.title
  return random.chance(0.15) ? `${name}, round ${random.integer(2, 9)}` : name
}

/** What follows from the action the campaign asks for. */
function taskFieldsOf(random: Random, task: Task) {
  const { action, collection, step } = task
  const project = projectOf(task)
  const [ofTemplate, ofPage] = [random.fork('action template'), random.fork('template')]
  return {
    ...(ofTemplate.chance(0.78) ? { actionTemplateId: action.templateId, customAction: ofTemplate.chance(0.15) } : {}),
    ...(ofPage.chance(0.1) ? { templateId: `template-${project}-${ofPage.integer(1, 5)}` } : {}),
    ...(random.fork('claimant').chance(0.2) ? { actionClaimant: actionClaimantOf(task) } : {}),
    ...(action.actionToken === undefined
      ? {}
      : { actionToken: { chainId: step.chainId, address: action.actionToken } }),
    projectImageUri: random.fork('project image').chance(0.15) ? null : projectImageUri(project),
    ...(random.fork('project').chance(0.6) ? { projectUrl: `https://${project}.example` } : {}),
    ...(collection === undefined ? {} : nftFieldsOf(random.fork('nft'), collection)),
  }
}

function nftFieldsOf(random: Random, { chainId, address, name }: Collection) {
  const tokenId = random.fork('token').integer(1, 40)
  return {
    nftCollection: { chainId, address },
    nftName: `${name} #${tokenId}`,
    nftImageUri: random.fork('image').chance(0.5)
      ? `ipfs://bafybei${address.slice(2, 22)}/${tokenId}.png`
      : `https://images.example/nfts/${address}/${tokenId}.png`,
    ...(random.fork('metadata').chance(0.5) ? { nftMetadataId: `${chainId}:${address}:${tokenId}` } : {}),
  }
}
