import { type TSchema, Type } from '@sinclair/typebox'
import type { ClaimReason, IncentiveEligibility } from 'reward-campaigns-client'
import { amount, type Token, toAmount } from './rewards.ts'

/*
 * Whether an account can claim, and how, as several tools say it.
 */

/** Of a longer one, the operation has to be requested. */
const MAX_CALL_DATA = 4000

const text = (description?: string) => Type.Optional(Type.String(description === undefined ? {} : { description }))

/** All that a reason may have: one that this leaves out would make results that their own schema refuses. */
const reasonFields = {
  code: Type.String(),
  at: text('When.'),
  maxParticipants: text(),
  listType: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  budgetLeft: Type.Optional(amount('What is left: less than the claim would pay.')),
  txHash: text('Transaction of the last claim.'),
  allowed: Type.Optional(Type.Integer({ description: 'Claims that one account may have.' })),
} satisfies Record<keyof ClaimReason, TSchema>

const Reason = Type.Object(reasonFields, { additionalProperties: false })

/** Whether an account can claim, and why not. */
export const verdictAndReasons = {
  verdict: Type.String({
    description:
      '`claimable`: signed or proven, and nothing known blocks. `admitted`: nothing known blocks; the action may still have to be done. `unknown`: a fact is missing. `blocked`: a reason blocks.',
  }),
  reasons: Type.Array(Reason, {
    description:
      'All reasons that hold; `signature-missing`, `claimed-before` and `proof-outdated` (the contract has another root) do not block by themselves.',
  }),
}

const transactionFields = {
  to: Type.String(),
  data: Type.String(),
  value: text('Fee of the validator in wei; absent without one, and if `claim-fee-unknown`.'),
} satisfies Record<keyof NonNullable<IncentiveEligibility['transaction']>, TSchema>

/** And how. */
export const verdictSchemas = {
  ...verdictAndReasons,
  transaction: Type.Optional(
    Type.Object(transactionFields, { additionalProperties: false, description: 'The call that claims.' }),
  ),
  isTransactionTooLong: Type.Optional(
    Type.Boolean({ description: 'There is such a call, too long for a result: `GET /eligibility` gives it.' }),
  ),
}

type Verdict = Pick<IncentiveEligibility, 'verdict' | 'reasons'>

/** @param token that the incentive pays, if it is known. */
export const toVerdictAndReasons = ({ verdict, reasons }: Verdict, token?: Token) => ({
  verdict,
  reasons: reasons.map(({ budgetLeft, ...reason }) => ({
    ...reason,
    ...(budgetLeft === undefined ? {} : { budgetLeft: toAmount(budgetLeft, token) }),
  })),
})

export function toVerdict({ transaction, ...facts }: Verdict & Pick<IncentiveEligibility, 'transaction'>) {
  const isTooLong = transaction !== undefined && transaction.data.length > MAX_CALL_DATA
  return {
    ...toVerdictAndReasons(facts),
    ...(transaction === undefined || isTooLong ? {} : { transaction }),
    ...(isTooLong ? { isTransactionTooLong: true } : {}),
  }
}
