import type { Campaign } from 'reward-campaigns-client'
import { servicePath } from '../../navigation/service-path.ts'
import { ZERO_ADDRESS } from '../../texts/zero-address.ts'
import { hasAddressLookups } from '../../users/user-link.tsx'
import { allUrl } from '../campaign-query.ts'
import type { Rewarding } from '../incentives/incentive-budget.ts'
import { Prose } from '../prose-view.tsx'
import { contractNames } from './contract-names.ts'
import { claimantWords, wordsOf } from './step-text.ts'
import { titleOf } from './step-title.ts'

/** What the service may give of a campaign's steps, and more than anybody reads. */
const SHOWN_STEPS = 50

/** What has to be done before claiming, in a few words; folded, what exactly is compared, and who is then paid. */
export function ActionSteps({
  campaign,
  actionType,
}: {
  campaign: Campaign & Rewarding
  actionType: string | undefined
}) {
  const { actionSteps, actionClaimant, tokens } = campaign
  if (actionSteps.length === 0) return <p class="soft">No step is recorded that has to be taken before claiming.</p>
  const names = contractNames(campaign, tokens)
  const shown = actionSteps.slice(0, SHOWN_STEPS)
  return (
    <>
      <ol class="steps">
        {shown.map((step, index) => (
          <li key={index}>
            <Prose sentence={titleOf(step, names, tokens, { ...campaign, actionType })} />
          </li>
        ))}
      </ol>
      {actionSteps.length > SHOWN_STEPS && <p class="soft">And {actionSteps.length - SHOWN_STEPS} more.</p>}
      {hasAddressLookups() && (
        <p class="soft">
          Then look at <a href={servicePath('/explorer/users')}>your rewards</a>: once what you did is confirmed, they
          say how to claim.
        </p>
      )}
      <details class="exact">
        <summary>Exact conditions</summary>
        <ol class="steps">
          {shown.map((step, index) => (
            <li key={index}>
              <Prose sentence={wordsOf(step, names)} />
              {step.targetContract !== ZERO_ADDRESS && (
                <>
                  {' '}
                  <a
                    class="aside"
                    href={allUrl({ chainId: String(step.chainId), targetContract: step.targetContract })}
                  >
                    Campaigns on this contract
                  </a>
                </>
              )}
            </li>
          ))}
        </ol>
        {actionClaimant !== undefined && (
          <p class="soft">
            <Prose sentence={claimantWords(actionClaimant)} />
          </p>
        )}
      </details>
    </>
  )
}
