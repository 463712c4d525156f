import type { TokenMetadata } from 'reward-campaigns-client'
import { Count, Tokens, Usd } from '../../parts/amounts.tsx'
import { traitsOf } from './incentive-variants.ts'
import { incentiveTypeName, RAFFLE_NAME } from './incentive-words.ts'

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
  const traits = traitsOf(incentiveType)
  if (traits?.reward === 'none') return <>{incentiveTypeName(incentiveType)}</>
  if (traits?.paysToken === false) {
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
