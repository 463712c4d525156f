import { encodeFunctionData, parseAbi } from 'viem/utils'
import { type ChainLog, topicsOf } from '../chain-logs.ts'
import type { NamedParts, Protocol, RangeFacts, RangeReading } from '../protocol.ts'
import { completeOrigin, readCampaign } from './read-time-based.ts'
import {
  campaignReaders,
  createdEvents,
  firstCreatedEvents,
  managerEvents,
  managerReaders,
} from './time-based-events.ts'
import { originAt, readLogs, type TimeBasedOrigin } from './time-based-origins.ts'

const campaignsOf = parseAbi(['function campaigns(uint256 campaignId) view returns (address)'])

/** The protocol of managers that pay by time, with a contract for each campaign. */
export const timeBased: Protocol<TimeBasedOrigin> = {
  name: 'time-based',
  topics: [...managerReaders.keys(), ...campaignReaders.keys()],
  factoryTopics: [...managerReaders.keys()],
  factoriesOf: ({ timeBasedManagers }) => timeBasedManagers,
  factoryCall: (number) => encodeFunctionData({ abi: campaignsOf, args: [BigInt(number)] }),
  counters: {
    ...{ campaigns: 'campaignCount', firstNumber: 1 },
    ...{ typesWithClaims: [], typesWithAmounts: ['TimeBasedIncentive'] },
  },
  fixedKeys: ['budget', 'claimExpiryDuration', 'openEnded'],
  datedTopics: topicsOf([
    ...createdEvents,
    ...firstCreatedEvents,
    ...managerEvents.filter(({ name }) => name === 'Claimed'),
  ]),
  recordParts(logs, managers, { contracts }: NamedParts) {
    for (const log of logs) {
      const message = managers.has(log.address) ? readManagerLog(log) : undefined
      if (message?.type === 'CampaignCreated') contracts.add(message.campaign)
    }
  },
  readRange,
  complete: completeOrigin,
  readCampaign,
  originAt,
  contractsOf: ({ campaign }) => [campaign],
  tokensOf: ({ asset }) => [asset],
}

function readManagerLog(log: ChainLog) {
  try {
    return managerReaders.get(log.topics[0] ?? '0x')?.(log)
  } catch {
    return undefined
  }
}

async function readRange(reading: RangeReading<TimeBasedOrigin>): Promise<RangeFacts<TimeBasedOrigin>> {
  const { origins, claims, orphanClaims, ...found } = await readLogs(reading)
  const completed = await Promise.all(
    origins.map(async (origin) => ({ origin, complete: await completeOrigin(reading.reader, origin) })),
  )
  const complete = completed.flatMap((one) => one.complete ?? [])
  const ids = new Set(complete.map(({ id }) => id))
  const positioned = claims.filter(({ campaignId }) => ids.has(campaignId))
  return {
    ...found,
    origins: complete,
    claims: positioned,
    orphanClaims: orphanClaims + claims.length - positioned.length,
    unreadable: completed.flatMap(({ origin, complete: isComplete }) =>
      isComplete === null
        ? [{ kind: 'campaign', campaignId: origin.id, contract: origin.manager, blockNumber: origin.blockNumber }]
        : [],
    ),
  }
}
