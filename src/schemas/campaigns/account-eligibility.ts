import { type Static, type TObject, Type } from '@sinclair/typebox'
import { Address, BaseUnits, Instant, TotalAmount, TransactionHash, text, UsdAmount } from '../primitives.ts'
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
  'claim-window-closed',
  'max-participants-reached',
  'incentive-spent',
  'reward-exceeds-budget',
  'on-deny-list',
  'not-on-allow-list',
  'list-unknown',
  'already-claimed',
  'claimed-before',
  'signature-missing',
  'proof-outdated',
  'claim-fee-unknown',
  'signature-invalid',
] as const

export const ClaimReason = component(
  'ClaimReason',
  'Why an account can or cannot claim, with the fact that proves it.',
  {
    code: word(
      reasonCodes,
      '`list-unknown`, `proof-outdated`, and `claimed-before` where it is unknown how the validator limits claims, make the verdict `unknown`; else `claimed-before`, `signature-missing`, which is also said of a proof, and `claim-fee-unknown` only inform; all others block.',
    ),
    at: Type.Optional(
      ref(
        Instant,
        'Start (`not-started`), end (`ended`) or deadline of claims (`claim-window-closed`) of the campaign, or time of the last claim.',
      ),
    ),
    maxParticipants: Type.Optional(ref(BaseUnits, 'Number of accounts that may claim (`max-participants-reached`).')),
    listType: Type.Optional(
      refOrNull(AllowListType, 'Kind of the allow list, `null` if unknown; with all reasons about the list.'),
    ),
    budgetLeft: Type.Optional(
      ref(
        TotalAmount,
        'What can still be paid, in base units of the reward token: less than the claim would pay, so it would revert (`reward-exceeds-budget`).',
      ),
    ),
    txHash: Type.Optional(ref(TransactionHash, 'Transaction of the last claim (`already-claimed`, `claimed-before`).')),
    allowed: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Maximum number of claims of one account (`already-claimed`); absent of an incentive that is claimed as often as more is owed.',
      }),
    ),
  },
)
export type ClaimReason = Static<typeof ClaimReason>

const ClaimTransaction = component(
  'ClaimTransaction',
  'A transaction that claims for the account; anyone may send it.',
  {
    to: ref(Address, 'The campaign core, or the manager of a time-based campaign.'),
    data: text('Call data of `claimIncentiveFor`, or of the `claim` of a manager, hexadecimal.', {
      maxLength: 140_000,
    }),
    value: Type.Optional(
      ref(
        BaseUnits,
        'The fee of the validator, in wei: send exactly that. Absent if the validator takes none, or its fee is unknown (`claim-fee-unknown`).',
      ),
    ),
  },
)

/** The data needed to claim; present if the verdict is `claimable`. */
export const claimableFields = {
  signature: Type.Optional(
    text('The signature of the validator, hexadecimal. Only if the verdict is `claimable`, and not by a proof.', {
      maxLength: 65_536,
    }),
  ),
  referrer: Type.Optional(ref(Address, 'Who referred the account; the zero address is nobody. With `signature`.')),
  transaction: Type.Optional(
    ref(
      ClaimTransaction,
      'The call that claims the reward. Absent unless a complete signature or a proof is recorded.',
    ),
  ),
}

export const verdictAndReasons = {
  verdict: ref(Verdict, 'Whether the account can claim the incentive.'),
  reasons: listOf(ClaimReason, reasonCodes.length, 'All reasons that hold, in the order of `code`.'),
}

const Raffle = component('Raffle', 'A raffle, whose claim pays nothing by itself: it is an entry.', {
  reward: ref(BaseUnits, 'What is paid to the one who is drawn, in base units of the reward token.'),
  entries: ref(BaseUnits, 'Entries so far.'),
})

/** What the incentive pays, and until when; only unless the verdict is `blocked`. */
export const rewardFields = {
  rewardNow: Type.Optional(
    ref(
      TotalAmount,
      'What a claim at the moment of the response pays, in base units of the reward token; points are plain numbers. Where the action decides, by the signed amount; by a proof, what it says in all less what was claimed. Absent for a raffle, for a place on a list, and where the amount is unknown.',
    ),
  ),
  rewardNowUsd: Type.Optional(ref(UsdAmount, '`rewardNow` in US dollars at the current price; absent if unknown.')),
  raffle: Type.Optional(ref(Raffle, 'What a raffle pays, and among how many; in place of `rewardNow`.')),
  claimUntil: Type.Optional(ref(Instant, 'From this instant it cannot be claimed any more; absent without an end.')),
  exhaustsAt: Type.Optional(
    ref(
      Instant,
      'When the budget ends if it is spent as in the last 24 hours; of an open-ended `TimeBasedIncentive`, at its rate. Absent if nothing is spent.',
    ),
  ),
  claimsLeft: Type.Optional(
    ref(BaseUnits, 'How many more claims there can be; absent where the limit is an amount, and for auctions.'),
  ),
  budgetLeft: Type.Optional(ref(TotalAmount, 'What can still be paid, in base units of the reward token.')),
}
export type RewardAmounts = Static<TObject<typeof rewardFields>>

/** The components that this adds to the OpenAPI document. */
export const eligibilitySchemas = [Verdict, ClaimReason, ClaimTransaction, Raffle]
