import type { TokenMetadata } from 'reward-campaigns-client'
import { Count, Tokens, Usd } from '../../parts/amounts.tsx'
import { RAFFLE_NAME } from './incentive-names.ts'

/** What claims of an incentive have paid. @param name of the incentive: entries of a raffle pay nothing until it is drawn. */
export function Paid({
  incentiveType,
  name,
  amount,
  amountUsd,
  metadata,
}: {
  incentiveType: string | null
  name: string
  amount: string
  amountUsd: string | null
  metadata: TokenMetadata | null
}) {
  if (incentiveType === 'AllowListIncentive') return <>A slot on a list</>
  if (incentiveType === 'PointsIncentive') {
    return (
      <>
        <Count value={amount} /> {amount === '1' ? 'point' : 'points'}
      </>
    )
  }
  if (name === RAFFLE_NAME && amount === '0') return <>Entered the raffle</>
  return (
    <>
      <Tokens baseUnits={amount} decimals={metadata?.decimals} symbol={metadata?.symbol} />{' '}
      <span class="soft">
        (<Usd value={amountUsd} />)
      </span>
    </>
  )
}
