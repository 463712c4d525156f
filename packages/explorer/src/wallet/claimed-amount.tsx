import type { Claim } from 'reward-campaigns-client'
import { traitsOf } from '../campaigns/incentives/incentive-variants.ts'
import { RAFFLE_NAME } from '../campaigns/incentives/incentive-words.ts'
import { Paid } from '../campaigns/incentives/paid.tsx'

/** What a claim has paid. A fixed reward that has paid nothing is a raffle. */
export const ClaimedAmount = ({ claim: { incentiveType, amount, amountUsd, metadata } }: { claim: Claim }) => (
  <Paid
    incentiveType={incentiveType}
    name={traitsOf(incentiveType)?.mayBeRaffle ? RAFFLE_NAME : ''}
    amount={amount}
    amountUsd={amountUsd}
    metadata={metadata}
  />
)
