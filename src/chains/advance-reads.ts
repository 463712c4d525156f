import { type FixedFacts, readCurrentFacts, readerAt, readFixedFacts, timesOf } from './advance.ts'
import type { BlockReference } from './block-links.ts'
import { type CampaignOrigin, originAt } from './campaign-origins.ts'
import { completeOrigin } from './campaign-reads.ts'
import type { Advance, Following } from './following-steps.ts'
import type { BlockHeader } from './node-answers.ts'

/** Fixed facts of blocks, by their hashes, and of ranges before them. */
export async function readBlocks(
  { chain, client, store }: Following,
  base: number,
  blocks: readonly BlockHeader[],
  asOf: BlockReference,
  ranges: readonly { logs: FixedLogs; blocks: readonly BlockHeader[] }[] = [],
) {
  const logs = await client.logsOf(blocks)
  const span = {
    base,
    logs: [...ranges.flatMap((range) => range.logs), ...logs],
    timestamps: timesOf([...ranges.flatMap((range) => range.blocks), ...blocks]),
  }
  const readerOf = readerAt(client.callAt)
  return readFixedFacts(chain, span, store, readerOf(asOf.hash), readerOf)
}

type FixedLogs = Parameters<typeof readFixedFacts>[1]['logs']

/** Reads what all touched campaigns are now. */
export async function finish(
  { chain, client }: Following,
  { toldTokens }: { toldTokens: ReadonlySet<string> },
  facts: FixedFacts,
  alsoTouched: readonly CampaignOrigin[],
  stretch: Pick<Advance, 'base' | 'depth' | 'asOf' | 'head' | 'finalized' | 'blocks'>,
): Promise<{ type: 'advance' } & Advance> {
  const readerOf = readerAt(client.callAt)
  const reader = readerOf(stretch.asOf.hash)
  const origins = new Map(facts.origins.map((origin) => [origin.id, origin]))
  const others = alsoTouched.filter(({ id }) => !origins.has(id))
  const kept = stretch.base === -1 ? others : others.flatMap((origin) => originAt(origin, stretch.base) ?? [])
  const keptIds = new Set(kept.map(({ id }) => id))
  for (const complete of await Promise.all(kept.map((origin) => completeOrigin(reader, origin, readerOf)))) {
    if (complete !== null) origins.set(complete.id, complete)
  }
  const { campaigns, tokens } = await readCurrentFacts(chain, [...origins.values()], reader, toldTokens)
  const { claims, touches, strayClaims, unreadable } = facts
  const withdrawnCampaigns = others.map(({ id }) => id).filter((id) => !keptIds.has(id))
  return {
    type: 'advance',
    ...stretch,
    claims,
    campaigns,
    withdrawnCampaigns,
    tokens,
    touches,
    strayClaims,
    unreadable,
  }
}
