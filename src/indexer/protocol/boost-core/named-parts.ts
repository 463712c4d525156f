import type { Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { type ChainLog, toAddress, topicsOf } from '../chain-logs.ts'
import { readFunctions } from '../contracts/abi-functions.ts'
import type { NamedParts } from '../protocol.ts'
import { coreEvents } from './core-events.ts'
import { readLog } from './protocol-events.ts'

const getBoost = { abi: readFunctions, functionName: 'getBoost' } as const

/** Data of a call for a campaign. A core returns something of any, whether or not it is there. */
export const boostCall = (boostId: bigint) => encodeFunctionData({ ...getBoost, args: [boostId] })

const namingTopics = topicsOf(coreEvents.filter(({ name }) => name === 'BoostCreated' || name === 'IncentiveAdded'))

/**
 * Notes the contracts that cores name as parts of a campaign. The first contracts do not name the incentives of a new
 * one in events: they are still to be read from the core, which lists all that ever existed.
 */
export function recordParts(logs: readonly ChainLog[], cores: ReadonlySet<Hex>, named: NamedParts) {
  for (const log of logs) {
    if (!namingTopics.includes(log.topics[0] ?? '0x') || !cores.has(log.address)) continue
    const event = readLog(log)
    if (event?.type === 'IncentiveAdded') named.contracts.add(event.incentiveAddress)
    if (event?.type !== 'BoostCreated') continue
    named.contracts.add(event.action)
    named.pending.push({ call: { to: log.address, data: boostCall(event.boostId) }, read: readIncentives })
  }
}

/** None if the core returns another form. */
function readIncentives(data: Hex | null): Hex[] {
  try {
    return data === null ? [] : decodeFunctionResult({ ...getBoost, data }).incentives.map(toAddress)
  } catch {
    return []
  }
}
