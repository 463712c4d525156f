import type { Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { coreEvents } from '../protocol/abi-events.ts'
import { readFunctions } from '../protocol/contracts/abi-functions.ts'
import { toAddress, topicsOf } from '../protocol/fixed-incentives.ts'
import { type ChainLog, readLog } from '../protocol/protocol-events.ts'
import type { Endpoint } from './endpoints.ts'
import { contractCall } from './rpc-requests.ts'

/** Parts of campaigns named in one look, which may not be stored yet. */
export interface NamedParts {
  contracts: Set<Hex>
  /** Campaigns whose incentives the core must still be asked for: the first contracts do not name them in events. */
  pending: { core: Hex; boostId: bigint }[]
}

const namingTopics = topicsOf(coreEvents.filter(({ name }) => name === 'BoostCreated' || name === 'IncentiveAdded'))

/** Notes the contracts that cores name as parts of a campaign. */
export function recordParts(logs: readonly ChainLog[], cores: ReadonlySet<Hex>, named: NamedParts) {
  for (const log of logs) {
    if (!namingTopics.includes(log.topics[0] ?? '0x') || !cores.has(log.address)) continue
    const event = readLog(log)
    if (event?.type === 'IncentiveAdded') named.contracts.add(event.incentiveAddress)
    if (event?.type !== 'BoostCreated') continue
    named.contracts.add(event.action)
    named.pending.push({ core: log.address, boostId: event.boostId })
  }
}

/** Reads the incentives of campaigns from their cores, as of a block; cores list all that ever existed. */
export async function findIncentives(endpoint: Endpoint, named: NamedParts, block: 'latest' | { blockHash: Hex }) {
  const campaigns = [...named.pending]
  const responses = await endpoint.call(
    campaigns.map(({ core, boostId }) =>
      contractCall({ to: core, data: encodeFunctionData({ ...getBoost, args: [boostId] }) }, block),
    ),
  )
  for (const incentive of responses.flatMap(readIncentives)) named.contracts.add(toAddress(incentive))
  named.pending = named.pending.filter((campaign) => !campaigns.includes(campaign))
}

const getBoost = { abi: readFunctions, functionName: 'getBoost' } as const

/** None if the core answers in another form. */
function readIncentives(data: Hex | null) {
  try {
    return data === null ? [] : decodeFunctionResult({ ...getBoost, data }).incentives
  } catch {
    return []
  }
}
