import { Type } from '@sinclair/typebox'
import type { ClaimReason, IncentiveEligibility } from 'reward-campaigns-client'

/*
 * Whether an account can claim, and how, as several tools say it.
 */

/** Of a longer one, the operation has to be requested. */
const MAX_CALL_DATA = 4000

const text = (description?: string) => Type.Optional(Type.String(description === undefined ? {} : { description }))

const Reason = Type.Object(
  {
    code: Type.String(),
    at: text('When.'),
    maxParticipants: text(),
    listType: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    txHash: text('Transaction of the last claim.'),
    allowed: Type.Optional(Type.Integer({ description: 'Claims that one account may have.' })),
  },
  { additionalProperties: false },
)

export const verdictSchemas = {
  verdict: Type.String({
    description:
      '`claimable`: signed, and nothing known blocks. `admitted`: nothing known blocks; the action may still have to be done. `unknown`: a fact is missing. `blocked`: a reason blocks.',
  }),
  reasons: Type.Array(Reason, {
    description: 'All reasons that hold; `signature-missing` and `claimed-before` do not block by themselves.',
  }),
  transaction: Type.Optional(
    Type.Object(
      { to: Type.String(), data: Type.String() },
      { additionalProperties: false, description: 'The call that claims. Some validators want a fee as its value.' },
    ),
  ),
  isTransactionTooLong: Type.Optional(
    Type.Boolean({ description: 'There is such a call, too long for a result: `GET /eligibility` gives it.' }),
  ),
}

export function toVerdict({
  verdict,
  reasons,
  transaction,
}: Pick<IncentiveEligibility, 'verdict' | 'reasons' | 'transaction'>) {
  const isTooLong = transaction !== undefined && transaction.data.length > MAX_CALL_DATA
  return {
    verdict,
    reasons: reasons as ClaimReason[],
    ...(transaction === undefined || isTooLong ? {} : { transaction }),
    ...(isTooLong ? { isTransactionTooLong: true } : {}),
  }
}
