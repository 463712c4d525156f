import { toAddress } from '../../chain-logs.ts'
import { incentiveComponent } from './incentive-component.ts'
import { readLimit } from './token-rewards.ts'

/** A place on an allow list. No event tells of its setup. */
export const allowListIncentive = incentiveComponent<'AllowListIncentive'>({
  types: ['AllowListIncentive'],
  setUps: [],
  async readFixed(reader, contract) {
    const allowList = await reader.read(contract, 'allowList')
    return allowList === undefined ? undefined : { type: 'AllowListIncentive', allowListAddress: toAddress(allowList) }
  },
  readState: readLimit,
})
