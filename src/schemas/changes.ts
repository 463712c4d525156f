import { type Static, Type } from '@sinclair/typebox'
import { ChangedClaim } from './campaigns/claims.ts'
import { CampaignId, ChainId, DecimalAmount, Instant, text } from './primitives.ts'
import { component, ref, refOrNull, word } from './schema-builders.ts'

export const changeKinds = [
  ...(['campaign.added', 'campaign.changed', 'campaign.removed', 'claim.added', 'claim.removed'] as const),
  ...(['token.changed', 'price.changed', 'chain.reorganised', 'reset'] as const),
] as const

const block = (description: string) =>
  Type.Optional(Type.String({ pattern: '^(0|[1-9][0-9]*)$', maxLength: 16, description }))

/** The cursor of a change: opaque, and the same in every process. */
export const ChangeCursor = Type.String({
  $id: 'ChangeCursor',
  pattern: '^[A-Za-z0-9_-]{48}$',
  maxLength: 48,
  description: 'A position: after this change. Opaque; the same in every process.',
  examples: ['AAAAAAAABNIAAAABKgXyAZ8vD6EHRk0SnqdLlfg2vHK4QWV3'],
  'x-expected': 'a cursor of changes',
})

export const Change = component('Change', 'A change of the public data.', {
  cursor: ref(ChangeCursor, 'Goes on after this change.'),
  kind: word(
    changeKinds,
    '`campaign.changed`: its record, metadata or facts of its chain, not figures of claims, prices or the clock. A replaced claim is removed, then added. `reset`: read everything anew.',
  ),
  at: ref(Instant, 'When its commit wrote it.'),
  chainId: ref(ChainId, 'The chain of what has changed.'),
  campaignId: Type.Optional(ref(CampaignId, 'The campaign. With `campaign.*`.')),
  claim: Type.Optional(
    ref(
      ChangedClaim,
      'With `claim.*`: the claim as it came or was, of its commit. `token.changed` tells of its token.',
    ),
  ),
  token: Type.Optional(
    text('The token, `<chainId>:<address>`. With `token.changed` and `price.changed`.', { maxLength: 64 }),
  ),
  priceUsd: Type.Optional(
    refOrNull(
      DecimalAmount,
      'US dollars for one whole token after the commit; `null`: unknown. With `price.changed`, also for a past price.',
    ),
  ),
  fromBlock: block('The first block that was withdrawn, decimal. With `chain.reorganised`.'),
  toBlock: block('The last block that was withdrawn, decimal. With `chain.reorganised`.'),
})
export type Change = Static<typeof Change>
