import { counted, type Sentence } from '../prose.ts'
import { type Doing, imperativeOf } from './imperatives.ts'
import type { ActionStep } from './step-text.ts'

/** More of them are told by the page of the campaign. */
const MAX_STEPS = 3

/** Several steps of a campaign, each on its chain: `2 steps: swap on Base, delegate on Ethereum`. */
export function stepsInWords(steps: readonly ActionStep[], campaign: Doing): Sentence {
  const more = steps.length - MAX_STEPS
  return [
    `${counted(steps.length, 'step')}: `,
    ...steps.slice(0, MAX_STEPS).flatMap((step, index): Sentence => {
      const { verb, object } = imperativeOf(step, campaign) ?? { verb: 'use', object: 'a contract' }
      const doing = { name: object === undefined ? verb : `${verb} ${object}` }
      return [...(index === 0 ? [] : [', ']), doing, ' on ', { chainId: step.chainId }]
    }),
    ...(more > 0 ? [` and ${more} more`] : []),
  ]
}
