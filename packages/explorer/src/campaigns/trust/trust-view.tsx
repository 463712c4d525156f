import { Fragment } from 'preact'
import type { Campaign, ChainStatus } from 'reward-campaigns-client'
import type { Rewarding } from '../incentives/incentive-budget.ts'
import { Prose } from '../prose-view.tsx'
import type { TokenRecords } from '../tokens/token-records.ts'
import { type TrustFact, trustFacts, trustVerdict } from './trust-text.ts'

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
  const [first, ...others] = trustVerdict(campaign, tokens, chains, now)
  const facts = trustFacts(campaign, tokens, now)
  return (
    <ul class="trust">
      <li>
        <span>
          <strong>
            <Prose sentence={first} />
          </strong>
          {others.map((sentence, index) => (
            <Fragment key={index}>
              {' '}
              <Prose sentence={sentence} />
            </Fragment>
          ))}
        </span>
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
