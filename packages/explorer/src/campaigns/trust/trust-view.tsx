import { Fragment } from 'preact'
import type { Campaign, ChainStatus } from 'reward-campaigns-client'
import type { Rewarding } from '../incentives/incentive-budget.ts'
import { Prose } from '../prose-view.tsx'
import type { TokenRecords } from '../tokens/token-records.ts'
import { type TrustFact, trustFacts, trustLines, trustVerdict } from './trust-text.ts'

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
  const notes = trustVerdict(campaign, tokens, now)
  return (
    <div class="trust">
      <Facts facts={trustLines(campaign, tokens, chains)} />
      {notes.length > 0 && (
        <p class="soft">
          {notes.map((sentence, index) => (
            <Fragment key={index}>
              {index > 0 && ' '}
              <Prose sentence={sentence} />
            </Fragment>
          ))}
        </p>
      )}
      <details class="exact">
        <summary>More about it</summary>
        <Facts facts={trustFacts(campaign, chains, now)} />
      </details>
    </div>
  )
}

function Facts({ facts }: { facts: readonly TrustFact[] }) {
  return (
    <ul>
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
