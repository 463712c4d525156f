import type { Hex } from 'viem'
import { createContractReader } from '../protocol/contracts/contract-reader.ts'
import type { CampaignOrigin } from '../protocol/protocol.ts'
import { factoriesOf, withFactories } from '../protocol/protocols.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import { linkedBlocks } from './linked-blocks.ts'
import { OtherHistoryError, readRanges } from './log-ranges.ts'
import { finish, readFixedFacts } from './new-blocks.ts'
import {
  type ChainUpdate,
  FINAL_BELOW_HEAD,
  type FixedFacts,
  type FollowedState,
  type Following,
  type Joining,
  restart,
  type SyncMemory,
} from './sync-updates.ts'

/*
 * Cores and earlier blocks that have been added to the chain file: what is new is read beside the rest, and then joins
 * it in one update. Until then no response shows anything of it.
 */

/** What is followed while something is added: the rest. */
export const withoutAdded = (following: Following, { joining }: FollowedState): Following =>
  joining === null
    ? following
    : { ...following, chain: withFactories(following.chain, (factory) => joining.joined.has(factory)) }

/** Where a chain is stored. */
interface Reached {
  asOf: BlockHeader
  head: BlockHeader
  finalized: number
}

/** Reads a part of what has been added, or the rest of it, which joins. */
export async function* readAdded(
  following: Following,
  { joining }: FollowedState,
  memory: SyncMemory,
  reached: Reached,
): AsyncGenerator<ChainUpdate> {
  if (joining === null) return
  try {
    const { asOf, finalized } = reached
    const final = Math.min(finalized, asOf.number)
    // While the last final blocks are read, there are more.
    if (final - joining.readTo <= FINAL_BELOW_HEAD) yield await join(following, joining, reached, joining.readTo + 1)
    else if (await isNothingNew(following, joining)) yield await join(following, joining, reached, asOf.number + 1)
    else yield* readPart(following, joining, final)
  } catch (error) {
    if (!(error instanceof OtherHistoryError)) throw error
    yield restart(memory)
  }
}

const isOfAdded = ({ joined, startBlock }: Joining, { id, blockNumber }: CampaignOrigin) =>
  !joined.has(id.split(':')[1] as Hex) || blockNumber < startBlock

const hasNewFactories = ({ chain }: Following, { joined }: Joining) =>
  [...factoriesOf(chain)].some((factory) => !joined.has(factory))

/** Whether the earlier blocks that were added have brought no campaign: what comes later concerns only the others. */
const isNothingNew = async (following: Following, joining: Joining) =>
  joining.readTo >= joining.startBlock - 1 &&
  !hasNewFactories(following, joining) &&
  (await following.store.unjoined()).length === 0

/** Reads facts of added cores, or from a block before the first of the others also those of the others. */
async function readFacts(
  following: Following,
  joining: Joining,
  range: { logs: Parameters<typeof readFixedFacts>[1]['logs']; blocks: readonly BlockHeader[] },
  reader: Parameters<typeof readFixedFacts>[2],
): Promise<FixedFacts> {
  const { startBlock } = following.settings
  const chain =
    startBlock < joining.startBlock
      ? following.chain
      : withFactories(following.chain, (factory) => !joining.joined.has(factory))
  const store = { ...following.store, find: following.store.findAny }
  const context = { ...following, chain, store, feeds: [] }
  const facts = await readFixedFacts(context, { base: Number.POSITIVE_INFINITY, ...range }, reader)
  const origins = facts.origins.filter((origin) => isOfAdded(joining, origin))
  const ids = new Set(origins.map(({ id }) => id))
  return {
    ...facts,
    origins,
    claims: facts.claims.filter(({ record }) => ids.has(record.campaignId)),
    affects: facts.affects.filter(({ campaignId }) => ids.has(campaignId)),
  }
}

async function* readPart(following: Following, joining: Joining, final: number): AsyncGenerator<ChainUpdate> {
  const { client, settings } = following
  const from = joining.readTo + 1
  const to = Math.min(final, from + settings.parallelRanges * settings.rangeBlocks - 1)
  for await (const range of readRanges(client, from, to, settings, joining.hash)) {
    const reader = createContractReader(async (calls) => client.callAt((await client.heads()).head.hash)(calls))
    const { prices: _, ...facts } = await readFacts(following, joining, range, reader)
    yield { type: 'added', to: range.to, hash: range.hash, ...facts }
  }
}

/** The last blocks, whose effects may be withdrawn, and all campaigns that were found, as of the last of them. */
async function join(
  following: Following,
  joining: Joining,
  { asOf, ...heads }: Reached,
  from: number,
): Promise<ChainUpdate> {
  const { client, store } = following
  const blocks = await linkedBlocks(client, from, asOf.number)
  const [first] = blocks
  const isOther = first !== undefined && joining.hash !== null && first.parentHash !== joining.hash
  if (isOther || (blocks.length > 0 && blocks.at(-1)?.hash !== asOf.hash)) throw new OtherHistoryError()
  const reader = createContractReader(client.callAt(asOf.hash))
  const range = { logs: await client.logsOf(blocks), blocks }
  const { prices: _, ...facts } = await readFacts(following, joining, range, reader)
  const syncRange = { base: asOf.number, depth: 0, asOf, ...heads, blocks }
  const update = await finish(following, reader, { ...facts, prices: [] }, await store.unjoined(), syncRange)
  const feedFacts = { feeds: null, reset: [], prices: [], earlier: [] }
  return { type: 'new-blocks', ...update, feedFacts, isJoining: true }
}
