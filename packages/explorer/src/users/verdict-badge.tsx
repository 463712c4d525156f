import type { Verdict } from 'reward-campaigns-client'

/** What each verdict is called; one without words here does not compile. */
const WORDS: Readonly<Record<Verdict, readonly [word: string, look: string]>> = {
  claimable: ['Claimable', 'good'],
  admitted: ['May claim', ''],
  unknown: ['Not known', ''],
  blocked: ['Cannot claim', ''],
}

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  const [word, style] = WORDS[verdict]
  return <span class={`badge ${style}`}>{word}</span>
}
