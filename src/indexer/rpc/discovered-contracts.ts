import type { Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { coreEvents } from '../protocol/abi-events.ts'
import { readFunctions } from '../protocol/contracts/abi-functions.ts'
import { toAddress, topicsOf } from '../protocol/fixed-incentives.ts'
import { type ChainLog, readLog } from '../protocol/protocol-events.ts'
import type { Endpoint } from './endpoints.ts'
import { readBytes } from './parse-responses.ts'
import type { RpcRequest } from './rpc-requests.ts'

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
export async function findIncentives(
  endpoint: Endpoint,
  { contracts, pending }: NamedParts,
  block: 'latest' | { blockHash: Hex },
) {
  const campaigns = [...pending]
  const requests = campaigns.map(
    ({ core, boostId }): RpcRequest<readonly Hex[]> => ({
      call: {
        method: 'eth_call',
        params: [{ to: core, data: encodeFunctionData({ ...getBoost, args: [boostId] }) }, block],
      },
      read: (response) => readIncentives(readBytes(response)),
      readError(error) {
        if (error.rejection !== 'reverted') throw error
        return []
      },
    }),
  )
  for (const incentive of (await endpoint.call(requests)).flat()) contracts.add(toAddress(incentive))
  const requested = new Set(campaigns)
  pending.splice(0, pending.length, ...pending.filter((campaign) => !requested.has(campaign)))
}

const getBoost = { abi: readFunctions, functionName: 'getBoost' } as const

/** None if the core answers in another form. */
function readIncentives(data: Hex) {
  try {
    return decodeFunctionResult({ ...getBoost, data }).incentives
  } catch {
    return []
  }
}
