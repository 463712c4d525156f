import type { Campaign, ChainStatus } from 'reward-campaigns-client'
import type { Rewarding } from '../incentives/incentive-budget.ts'
import { Prose } from '../prose-view.tsx'
import type { TokenRecords } from '../tokens/token-records.ts'
import { isRead, type TrustFact, trustFacts, trustVerdict } from './trust-text.ts'

const SIGNS: Readonly<Record<TrustFact['kind'], readonly [sign: string, words: string]>> = {
  good: ['✓', 'Good: '],
  warning: ['!', 'Take care: '],
  neutral: ['·', ''],
}

/** Whether to trust a campaign. */
export function TrustView({
  campaign,
  tokens,
  chains,
  now,
}: {
  campaign: Campaign & Rewarding
  tokens: TokenRecords
  chains: readonly ChainStatus[]
  now: Date
}) {
  const facts = trustFacts(campaign, tokens, chains, now)
  return (
    <ul class="trust">
      <li>
        <strong>{trustVerdict(facts, isRead(campaign, chains))}</strong>
      </li>
      {facts.map(({ kind, sentence }, index) => (
        <li key={index} class={kind}>
          <span class="sign" aria-hidden="true">
            {SIGNS[kind][0]}
          </span>
          <span>
            <span class="hidden">{SIGNS[kind][1]}</span>
            <Prose sentence={sentence} />
          </span>
        </li>
      ))}
    </ul>
  )
}
