import { decodeEventLog } from 'viem'
import { coreEvents } from '../../../src/indexer/protocol/boost-core/core-events.ts'
import { logsOf, recording } from './recording.ts'

const events = logsOf(recording.blocks).flatMap((log) => {
  const [topic, ...topics] = log.topics
  if (topic === undefined || !recording.cores.includes(log.address)) return []
  try {
    return [{ core: log.address, ...decodeEventLog({ abi: coreEvents, data: log.data, topics: [topic, ...topics] }) }]
  } catch {
    return []
  }
})

/** The validator of each recorded campaign, by its index. */
const validators = new Map(
  events.flatMap((event) => (event.eventName === 'BoostCreated' ? [[event.args.boostId, event.args.validator]] : [])),
)

/** The recorded claims, as their signatures would have been recorded before: with the whole payload, and the validator. */
export const recordedClaims = events.flatMap((event) => {
  if (event.eventName !== 'BoostClaimed') return []
  const { boostId, incentiveId, claimant, referrer, data } = event.args
  return [
    {
      campaignId: `${recording.chainId}:${event.core}:${boostId}`,
      incentiveIndex: Number(incentiveId),
      claimant: claimant.toLowerCase(),
      referrer: referrer.toLowerCase(),
      validator: validators.get(boostId) ?? '0x',
      signature: data,
    },
  ]
})
