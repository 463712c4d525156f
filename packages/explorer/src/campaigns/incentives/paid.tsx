import type { TokenMetadata } from 'reward-campaigns-client'
import { Count, Tokens, Usd } from '../../parts/amounts.tsx'
import { RAFFLE_NAME } from './incentive-names.ts'
import { variantOf } from './incentive-variants.ts'

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
  const pays = variantOf(incentiveType)?.pays
  if (pays === 'slot') return <>A slot on a list</>
  if (pays === 'points') {
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
