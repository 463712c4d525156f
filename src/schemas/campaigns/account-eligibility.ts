import { type Static, Type } from '@sinclair/typebox'
import { Address, BaseUnits, Instant, TransactionHash, text } from '../primitives.ts'
import { component, listOf, ref, refOrNull, word } from '../schema-builders.ts'
import { AllowListType } from './allow-lists.ts'

export const Verdict = word(
  ['claimable', 'admitted', 'unknown', 'blocked'],
  '`claimable`: signed for this account, and nothing known blocks. `admitted`: nothing known blocks; whether the action was done and signed is unknown. `unknown`: a deciding fact is missing. `blocked`: a reason blocks.',
  { $id: 'Verdict' },
)
export type Verdict = Static<typeof Verdict>

const reasonCodes = [
  'not-started',
  'ended',
  'max-participants-reached',
  'incentive-spent',
  'on-deny-list',
  'not-on-allow-list',
  'list-unknown',
  'already-claimed',
  'claimed-before',
  'signature-missing',
  'signature-invalid',
] as const

export const ClaimReason = component(
  'ClaimReason',
  'Why an account can or cannot claim, with the fact that proves it.',
  {
    code: word(
      reasonCodes,
      '`list-unknown`, and `claimed-before` where it is unknown how the validator limits claims, make the verdict `unknown`; else `claimed-before` and `signature-missing` only inform; all others block.',
    ),
    at: Type.Optional(
      ref(Instant, 'Start (`not-started`) or end (`ended`) of the campaign, or time of the last claim.'),
    ),
    maxParticipants: Type.Optional(ref(BaseUnits, 'Number of accounts that may claim (`max-participants-reached`).')),
    listType: Type.Optional(
      refOrNull(AllowListType, 'Kind of the allow list, `null` if unknown; with all reasons about the list.'),
    ),
    txHash: Type.Optional(ref(TransactionHash, 'Transaction of the last claim (`already-claimed`, `claimed-before`).')),
    allowed: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Maximum number of claims of one account (`already-claimed`).',
      }),
    ),
  },
)
export type ClaimReason = Static<typeof ClaimReason>

const ClaimTransaction = component(
  'ClaimTransaction',
  'A transaction that claims for the account; anyone may send it. Some validators want a fee as its value.',
  {
    to: ref(Address, 'The campaign core.'),
    data: text('Call data of `claimIncentiveFor`, hexadecimal.', { maxLength: 140_000 }),
  },
)

/** The data needed to claim; present if the verdict is `claimable`. */
export const claimableFields = {
  signature: Type.Optional(
    text('The signature of the validator, hexadecimal. Only if the verdict is `claimable`.', {
      maxLength: 65_536,
    }),
  ),
  referrer: Type.Optional(ref(Address, 'Who referred the account; the zero address is nobody. With `signature`.')),
  transaction: Type.Optional(ref(ClaimTransaction, 'If `signature` is the whole payload of a claim.')),
}

export const verdictAndReasons = {
  verdict: ref(Verdict, 'Whether the account can claim the incentive.'),
  reasons: listOf(ClaimReason, reasonCodes.length, 'All reasons that hold, in the order of `code`.'),
}

/** The components that this adds to the OpenAPI document. */
export const eligibilitySchemas = [Verdict, ClaimReason, ClaimTransaction]
