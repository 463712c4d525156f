import type { CampaignRecord } from '../ingest/records.ts'
import { ACTION_CONTRACT, ALLOW_LIST_CONTRACTS, chainFacts, projectImageUri, VALIDATOR } from './protocol-facts.ts'
import { Random } from './random.ts'
import { budgetAddress, ownerAddress, userAddress } from './sample-addresses.ts'
import { incentiveRecordOf, roundUp } from './sample-incentives.ts'
import { type CampaignOutline, participantsOf } from './sample-outline.ts'
import type { Fate, SamplePlan } from './sample-plan.ts'
import { actionClaimantOf, type Task, tasksOf } from './sample-steps.ts'
import { tokenImageUri } from './token-facts.ts'

const CHANNELS = [
  ['public'],
  ['public'],
  ['public', 'farcaster'],
  ['public', 'rabbithole'],
  ['farcaster'],
  ['worldcoin', 'public'],
  ['worldcoin'],
  ['rabbithole', 'farcaster', 'public'],
  ['base-app', 'public'],
  [],
] as const

/** The record of one campaign: a pure function of plan and outline, about 20 µs, more with a long allow list. */
export function campaignRecordOf(plan: SamplePlan, outline: CampaignOutline): CampaignRecord {
  const random = new Random(plan.seed, 'campaign', outline.index)
  const ownerNumber = random.skewed(plan.owners)
  const owner = ownerAddress(plan.seed, ownerNumber)
  const tasks = tasksOf(plan, random, outline.chainId)
  // Full of nobody is not a state: such a campaign has spent its incentives instead.
  const fate = outline.life.fate === 'full' && outline.visits === 0 ? 'spent' : outline.life.fate
  const [task] = tasks
  return {
    type: 'campaign',
    id: outline.id,
    action: random.chance(0.5) ? ACTION_CONTRACT : random.address(),
    budget: budgetAddress(plan.seed, ownerNumber),
    owner,
    ...(random.chance(0.06) ? { creator: ownerAddress(plan.seed, random.skewed(plan.owners)) } : {}),
    validator: VALIDATOR,
    blockTimestamp: String(outline.life.createdAt),
    txHash: random.hash(),
    protocolFee: random.pick(['1000', '1000', '250', '0']),
    maxParticipants: maxParticipantsOf(plan, random, { outline, fate }),
    incentives: outline.incentives.map((terms) => incentiveRecordOf(random, terms, { fate, deed: task?.deed })),
    allowList: allowListOf(plan, random, { outline, owner }),
    actionSteps: tasks.length === 0 && random.chance(0.5) ? null : tasks.map(({ step }) => step),
    startTime: isoTime(outline.life.startsAt),
    endTime: isoTime(outline.life.endsAt),
    ...(random.chance(0.6) ? { createdAtBlockchainNumbers: blockNumbersOf(outline, tasks) } : {}),
    ...presentationOf(random, outline, task),
    ...(task === undefined ? {} : taskFieldsOf(random, task)),
  }
}

const isoTime = (seconds: number | null) => (seconds === null ? null : new Date(seconds * 1000).toISOString())

function maxParticipantsOf(
  plan: SamplePlan,
  random: Random,
  { outline, fate }: { outline: CampaignOutline; fate: Fate },
): string {
  const ample = roundUp(Math.max(10, outline.visits * (1.5 + 4 * random.fraction())))
  if (fate === 'full') return String(participantsOf(plan, outline))
  return random.chance(0.2) ? '0' : String(ample)
}

function allowListOf(
  plan: SamplePlan,
  random: Random,
  { outline, owner }: { outline: CampaignOutline; owner: string },
): NonNullable<CampaignRecord['allowList']> | null {
  const { type, firstUser, size, accessList } = outline.admission
  if (type === null) return null
  const isSimple = type === 'SimpleAllowList' || type === 'SimpleDenyList'
  const addresses = isSimple
    ? Array.from({ length: size }, (_, offset) => userAddress(plan.seed, firstUser + offset))
    : random.chance(0.5)
      ? []
      : null
  const contractAddress = ALLOW_LIST_CONTRACTS[type]
  return {
    owner,
    contractAddress,
    type,
    addresses,
    ...(accessList === undefined ? {} : { accessListId: accessList.id }),
  }
}

/** Estimates of the block of each chain involved when the campaign was created. */
function blockNumbersOf({ chainId, life }: CampaignOutline, tasks: readonly Task[]): Record<string, string> {
  const numbers: Record<string, string> = {}
  for (const chain of [chainId, ...tasks.map(({ step }) => step.chainId)]) {
    const fact = chainFacts.get(chain)
    if (fact === undefined) continue
    const passed = Math.floor((life.createdAt - fact.blockAt) / fact.secondsPerBlock)
    numbers[chain] = String(Math.max(0, fact.block + passed))
  }
  return numbers
}

/** How a campaign is shown and where. */
function presentationOf(random: Random, outline: CampaignOutline, task: Task | undefined): Partial<CampaignRecord> {
  const token = outline.incentives.find((terms) => terms.token !== undefined)?.token
  const channels = random.pick(CHANNELS)
  const project = task?.deed.template.projectId ?? 'rewards'
  return {
    campaignName: random.chance(0.04) ? null : nameOf(random, task),
    distributionChannels: channels.length === 0 && random.chance(0.5) ? null : [...channels],
    ...(channels.some((channel) => channel === 'worldcoin')
      ? { verificationLevel: random.pick(['orb', 'device', 'passport']) }
      : {}),
    ...(random.chance(0.12) ? { autocampaignId: `auto-${project}-${random.integer(1, 9)}` } : {}),
    ...(token === undefined || random.chance(0.1) ? {} : { tokenImageUri: tokenImageUri(token) }),
  }
}

function nameOf(random: Random, task: Task | undefined): string {
  if (task === undefined) return random.pick(['Claim your reward', 'Welcome gift', 'Gracias, Base – für alle'])
  const { deed, collection } = task
  const name = deed.collection?.startsWith('replaces') ? `${deed.title}: ${collection?.name}` : deed.title
  return random.chance(0.15) ? `${name}, round ${random.integer(2, 9)}` : name
}

/** What follows from the action the campaign asks for. */
function taskFieldsOf(random: Random, task: Task): Partial<CampaignRecord> {
  const { deed, collection, step } = task
  const { id, projectId } = deed.template
  const usesTemplate = random.chance(0.78)
  return {
    ...(usesTemplate ? { actionTemplateId: id, customAction: random.chance(0.15) } : {}),
    ...(random.chance(0.1) ? { templateId: `template-${projectId}-${random.integer(1, 5)}` } : {}),
    ...(random.chance(0.2) ? { actionClaimant: actionClaimantOf(task) } : {}),
    ...(deed.actionToken === undefined ? {} : { actionToken: { chainId: step.chainId, address: deed.actionToken } }),
    projectImageUri: random.chance(0.15) ? null : projectImageUri(projectId),
    ...(random.chance(0.6) ? { projectUrl: `https://${projectId}.example` } : {}),
    ...(collection === undefined ? {} : nftFieldsOf(random, collection)),
  }
}

function nftFieldsOf(
  random: Random,
  { chainId, address, name }: NonNullable<Task['collection']>,
): Partial<CampaignRecord> {
  const tokenId = random.integer(1, 40)
  return {
    nftCollection: { chainId, address },
    nftName: `${name} #${tokenId}`,
    nftImageUri: random.chance(0.5)
      ? `ipfs://bafybei${address.slice(2, 22)}/${tokenId}.png`
      : `https://images.example/nfts/${address}/${tokenId}.png`,
    ...(random.chance(0.5) ? { nftMetadataId: `${chainId}:${address}:${tokenId}` } : {}),
  }
}
