import type { IncentiveEligibility } from 'reward-campaigns-client'
import { servicePath } from '../navigation/service-path.ts'
import { Address } from '../parts/address.tsx'
import { ChainLabel } from '../parts/chain-label.tsx'
import { CopyButton } from '../parts/copy-button.tsx'

/** What it takes to claim, where a signature or a proof for the account is recorded. */
export function HowToClaim({
  chainId,
  claimable: { signature, transaction },
}: {
  chainId: number
  claimable: Pick<IncentiveEligibility, 'signature' | 'transaction'>
}) {
  if (transaction === undefined) {
    if (signature === undefined) return null
    return (
      <p class="how-to">
        Only a signature is recorded, which no contract takes by itself: claim it where the campaign is offered.{' '}
        <CopyButton text={signature} label="Copy signature" what="for this claim" />
      </p>
    )
  }
  return (
    <p class="how-to">
      <span>
        Send this transaction on <ChainLabel chainId={chainId} />, from any account: to{' '}
        {signature === undefined ? (
          // By a proof. No validator takes part.
          <>
            <Address chainId={chainId} address={transaction.to} what="manager of the campaign" />, without value.
          </>
        ) : (
          <>
            <Address chainId={chainId} address={transaction.to} what="campaign core" />,{' '}
            {transaction.value === undefined ? 'without value unless' : `with ${transaction.value} wei as its value:`}{' '}
            <a href={servicePath('/docs/guides/user-rewards#claim')}>the validator takes a fee</a>.
          </>
        )}
      </span>{' '}
      <CopyButton text={transaction.data} label="Copy data" what="of the transaction" />{' '}
      <CopyButton text={JSON.stringify(transaction)} label="Copy transaction" what="as JSON" />
    </p>
  )
}
