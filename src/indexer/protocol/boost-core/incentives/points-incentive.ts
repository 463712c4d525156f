import { parseAbi } from 'viem/utils'
import { readersOf, toAddress } from '../../chain-logs.ts'
import { type FixedOf, incentiveComponent } from './incentive-component.ts'
import { readLimit } from './token-rewards.ts'

export const pointsSetUpEvents = parseAbi([
  'event PointsIncentiveInitialized(address indexed venue, bytes4 selector, uint256 reward, uint256 limit)',
])

type Parts = Record<'venue' | 'selector', `0x${string}`> & { reward: bigint }

const toFixed = ({ venue, selector, reward }: Parts): FixedOf<'PointsIncentive'> => ({
  type: 'PointsIncentive',
  venue: toAddress(venue),
  selector,
  reward: String(reward),
})

/** Points that a contract of their own gives. */
export const pointsIncentive = incentiveComponent<'PointsIncentive'>({
  types: ['PointsIncentive'],
  setUps: readersOf(pointsSetUpEvents, ({ args }) => toFixed(args)),
  async readFixed(reader, contract) {
    const [venue, selector, reward] = await Promise.all([
      reader.read(contract, 'venue'),
      reader.read(contract, 'selector'),
      reader.read(contract, 'reward'),
    ])
    if (venue === undefined) return undefined
    return selector === undefined || reward === undefined ? null : toFixed({ venue, selector, reward })
  },
  readState: readLimit,
})
