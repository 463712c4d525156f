import type { ClaimReason, Verdict } from 'reward-campaigns-client'

/** What each verdict is called; one without words here does not compile. */
const WORDS: Readonly<Record<Verdict, readonly [word: string, look: string]>> = {
  claimable: ['Claimable', 'good'],
  admitted: ['Not yet', ''],
  unknown: ['Not known', ''],
  blocked: ['Cannot claim', ''],
}

/** The verdict on a reward. What was claimed as often as allowed is no failure. */
export function VerdictBadge({ verdict, reasons }: { verdict: Verdict; reasons: readonly ClaimReason[] }) {
  const isClaimed = verdict === 'blocked' && reasons.some(({ code }) => code === 'already-claimed')
  const [word, style] = isClaimed ? ['Claimed', ''] : WORDS[verdict]
  return <span class={`badge ${style}`}>{word}</span>
}
