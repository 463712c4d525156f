import type { Hex } from 'viem'
import type { LogReaders } from '../../chain-logs.ts'
import { zeroAddress } from '../../chain-logs.ts'
import type { ContractReader } from '../../contracts/contract-reader.ts'
import { allowListIncentive } from './allow-list-incentive.ts'
import { auctionIncentive } from './auction-incentive.ts'
import { erc20Incentive } from './erc20-incentive.ts'
import type { FixedIncentive, IncentiveComponent } from './incentive-component.ts'
import { pointsIncentive } from './points-incentive.ts'
import { variableIncentives } from './variable-incentives.ts'

/** All kinds of incentives. A contract that could be of several kinds is of the first of them. */
const components: readonly IncentiveComponent[] = [
  erc20Incentive,
  auctionIncentive,
  pointsIncentive,
  allowListIncentive,
  variableIncentives,
]

export const incentiveTypes = components.flatMap(({ types }) => types)

/** The setup events of all kinds. */
export const incentiveSetUps: LogReaders<FixedIncentive | null> = components.flatMap(({ setUps }) => setUps)

/** Reads, in one round, everything that shows the kind of an incentive. Null if it is of no known kind. */
export async function readFixedIncentive(
  reader: ContractReader,
  contract: Hex,
  atCreation: (() => ContractReader) | undefined,
): Promise<FixedIncentive | null> {
  const found = await Promise.all(components.map((component) => component.readFixed(reader, contract, atCreation)))
  return found.find((fixed) => fixed !== undefined) ?? null
}

/** Reads the state of an incentive. */
export function readIncentive(reader: ContractReader, contract: Hex, fixed: FixedIncentive) {
  for (const component of components) {
    const reading = component.readState(reader, contract, fixed)
    if (reading !== undefined) return reading
  }
  throw new TypeError(`no component reads a ${fixed.type}`)
}

/** The tokens of an incentive: the reward, its peg, and what backs its points. */
export function tokensOf(fixed: FixedIncentive): Hex[] {
  const tokens = [
    'asset' in fixed ? fixed.asset : undefined,
    'peg' in fixed ? fixed.peg : undefined,
    'venue' in fixed ? fixed.venue : undefined,
  ]
  // As a peg, the zero address is the native token of the chain.
  return tokens.filter((token): token is Hex => token !== undefined && token !== zeroAddress)
}
