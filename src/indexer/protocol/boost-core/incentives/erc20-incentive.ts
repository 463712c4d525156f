import { parseAbi } from 'viem/utils'
import { readersOf } from '../../chain-logs.ts'
import { incentiveComponent } from './incentive-component.ts'
import { readTotals, toTokenReward } from './token-rewards.ts'

export const erc20SetUpEvents = parseAbi([
  'event ERC20IncentiveInitialized(address indexed asset, uint8 strategy, uint256 reward, uint256 limit, address manager)',
])

type Parts = Parameters<typeof toTokenReward>[0] & { strategy: number }

function toFixed({ strategy, ...parts }: Parts) {
  const token = toTokenReward(parts)
  return token === null ? null : { type: 'ERC20Incentive' as const, ...token, strategy }
}

/** A fixed reward for each claim, or a raffle of it. */
export const erc20Incentive = incentiveComponent<'ERC20Incentive'>({
  types: ['ERC20Incentive'],
  setUps: readersOf(erc20SetUpEvents, ({ args }) => toFixed(args)),
  async readFixed(reader, contract) {
    const [strategy, asset, reward] = await Promise.all([
      reader.read(contract, 'strategy'),
      reader.read(contract, 'asset'),
      reader.read(contract, 'reward'),
    ])
    return strategy === undefined ? undefined : toFixed({ strategy, asset, reward })
  },
  /** The claimed amount is left out: it is the sum of its claims. */
  async readState(reader, contract, fixed) {
    const { limit, claims, totals } = await readTotals(reader, contract, fixed.asset)
    // The contract's limit is that of all claims; the record's is what remains of it.
    const remaining = limit !== undefined && claims !== undefined && limit > claims ? limit - claims : 0n
    return { record: { ...fixed, limit: String(remaining), ...totals }, lacksLimit: limit === undefined }
  },
})
