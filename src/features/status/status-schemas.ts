import { type Static, Type } from '@sinclair/typebox'
import { type FollowingState, followingStates } from '../../schemas/following-states.ts'
import { ChainId, Instant, text } from '../../schemas/primitives.ts'
import { ref, refOrNull, stringOrNull } from '../../schemas/references.ts'

const blockNumber = (description: string) => stringOrNull({ description: `${description} Decimal.`, maxLength: 16 })

const ChainStatus = Type.Object(
  {
    chainId: ref(ChainId, { description: 'The followed chain.' }),
    asOfBlock: blockNumber('The newest block whose effects are in the answers; `null`: none yet.'),
    asOfBlockHash: stringOrNull({ description: 'Hash of that block.', maxLength: 66 }),
    asOfTime: refOrNull(Instant, { description: 'Time of that block.' }),
    headBlock: blockNumber('The newest block of the chain, when it was last looked at; `null`: not yet.'),
    finalizedBlock: blockNumber('The newest block that cannot be withdrawn any more; `null`: not known yet.'),
    lagSeconds: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 0,
      description: 'Whole seconds since the time of the block that answers show; `null`: none is shown yet.',
    }),
    state: Type.Unsafe<FollowingState>({
      type: 'string',
      enum: followingStates,
      description:
        '`back-filling`: the chain is read from its start, for the first time or again; until that is done answers stay as they are. `following`: answers are at most two blocks behind the head. `behind`: they are more than that, or nobody has heard of the chain for 15 seconds.',
    }),
    unvaluedClaims24h: Type.Integer({
      minimum: 0,
      description:
        'Claims of the last 24 hours that paid a token and have no value in US dollars, because its price or its decimals are unknown.',
    }),
  },
  { $id: 'ChainStatus', additionalProperties: false, description: 'How far a followed chain is.' },
)

export const GetStatusResponse = Type.Object(
  {
    chains: Type.Array(ref(ChainStatus), {
      maxItems: 1000,
      description: 'The followed chains, ascending; empty where none is.',
    }),
    version: text('Version of the service.'),
  },
  { $id: 'GetStatusResponse', additionalProperties: false, description: 'How fresh the data is.' },
)
export type GetStatusResponse = Static<typeof GetStatusResponse>

/** The components that this feature adds to the OpenAPI document. */
export const statusSchemas = [ChainStatus, GetStatusResponse]
