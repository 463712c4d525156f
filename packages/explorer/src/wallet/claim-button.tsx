import { useState } from 'preact/hooks'
import { type Claim, ServiceError } from 'reward-campaigns-client'
import { shortenHex } from '../parts/address.tsx'
import { Tokens } from '../parts/amounts.tsx'
import { announceChange } from '../requests/live-changes.ts'
import { client } from '../requests/service.ts'
import { useChosenWallet } from './chosen-wallet.ts'
import { type ClaimCall, type Included, sendClaim } from './send-claim.ts'

/** How often it is asked for a block: the service waits for it 2 seconds each time. */
const MAX_TRIES = 60

/** What a transaction has claimed, as soon as the service has seen its block; nothing where it follows the chain not at all. */
async function claimsIn(included: Included): Promise<Claim[]> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await client.afterReceipt(included)
    } catch (error) {
      const { status } = error instanceof ServiceError ? error : { status: 0 }
      if (status === 400) return []
      if (status !== 503 || tried === MAX_TRIES) throw error
    }
  }
}

type Outcome = { message: string } | { claims: readonly Claim[] }

/**
 * Sends claims by the wallet that was chosen, one transaction after the other, and shows what they have claimed; nothing without a
 * wallet.
 * @param what the name of what is claimed, for those who do not see it.
 */
export function ClaimButton({
  label,
  what,
  user,
  callsOf,
}: {
  label: string
  what: string
  user: string
  callsOf: () => Promise<readonly ClaimCall[]>
}) {
  const wallet = useChosenWallet()
  const [outcome, setOutcome] = useState<Outcome>({ message: '' })
  const [isBusy, setBusy] = useState(false)
  if (wallet === undefined) return null
  const report = (message: string) => setOutcome({ message })

  async function claim({ provider, account }: { provider: NonNullable<typeof wallet>['provider']; account: string }) {
    const claims: Claim[] = []
    for (const call of await callsOf()) {
      const included = await sendClaim(provider, account, call, (step) => report(`${step} …`))
      report(`It is in block ${included.blockNumber} …`)
      claims.push(...(await claimsIn(included)))
    }
    announceChange()
    setOutcome({ claims: claims.filter(({ claimant }) => claimant === user) })
  }

  const onClick = () => {
    setBusy(true)
    claim(wallet)
      .catch((error: unknown) => report(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false))
  }
  return (
    <div class="claim">
      <button type="button" onClick={onClick} disabled={isBusy}>
        {label}
        <span class="hidden"> {what}</span>
      </button>
      {wallet.account !== user && <span class="soft">sent by {shortenHex(wallet.account)}, paid to this account</span>}
      <span class="said" role="status">
        {'message' in outcome ? outcome.message : <Claimed claims={outcome.claims} />}
      </span>
    </div>
  )
}

function Claimed({ claims }: { claims: readonly Claim[] }) {
  if (claims.length === 0) return <>It is in a block. What came of it is not known here.</>
  return (
    <>
      Claimed{' '}
      {claims.map(({ txHash, logIndex, amount, asset, metadata }, index) => (
        <span key={`${txHash} ${logIndex}`}>
          {index > 0 && ', '}
          {asset === null ? (
            `${amount} without a token`
          ) : (
            <Tokens baseUnits={amount} decimals={metadata?.decimals} symbol={metadata?.symbol} />
          )}
        </span>
      ))}
    </>
  )
}
