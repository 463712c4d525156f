import { useState } from 'preact/hooks'
import { claimRewards } from './claim-rewards.ts'
import { ClaimedAmount } from './claimed-amount.tsx'
import type { Call, Outcome } from './wallet.ts'
import { useWallet } from './wallet-state.ts'

/** Claims by the connected wallet, and says what becomes of it. @param toCalls absent: there is nothing to claim any more. */
export function ClaimButton({
  label,
  what,
  toCalls,
}: {
  label: string
  /** What is claimed, for those who do not see where it stands. */
  what: string
  toCalls: (() => Promise<Call[]>) | undefined
}) {
  const { connection, isClaiming } = useWallet()
  const [outcome, setOutcome] = useState<Outcome>()
  if (connection === undefined && outcome === undefined) return null
  const { progress, problem, notices = [], claims = [] } = outcome ?? {}
  const [first] = claims
  return (
    <div class="claiming">
      {connection !== undefined && toCalls !== undefined && (
        <button
          type="button"
          class="action"
          aria-disabled={isClaiming}
          onClick={() => void claimRewards(toCalls, setOutcome)}
        >
          {label}
          <span class="hidden"> {what}</span>
        </button>
      )}
      {/* There from the start, so that what appears in it is read out. */}
      <div role="status">
        {progress !== undefined && <p>{progress}</p>}
        {first !== undefined && (
          <p>Claimed {claims.length === 1 ? <ClaimedAmount claim={first} /> : `${claims.length} rewards`}</p>
        )}
        {notices.map((notice) => (
          <p key={notice}>{notice}</p>
        ))}
        {problem !== undefined && <p class="problem">{problem}</p>}
      </div>
    </div>
  )
}
