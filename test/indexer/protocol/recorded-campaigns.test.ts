import { expect, test } from 'vitest'
import { actionSetUps } from '../../../src/indexer/protocol/boost-core/actions.ts'
import { readBlockRange } from '../../../src/indexer/protocol/boost-core/block-range-facts.ts'
import type { BoostOrigin } from '../../../src/indexer/protocol/boost-core/campaign-origins.ts'
import { coreEvents } from '../../../src/indexer/protocol/boost-core/core-events.ts'
import { incentiveSetUps, tokensOf } from '../../../src/indexer/protocol/boost-core/incentives/incentives.ts'
import { completeOrigin, readBoost, readCampaign } from '../../../src/indexer/protocol/boost-core/read-campaign.ts'
import { type ChainLog, topicsOf } from '../../../src/indexer/protocol/chain-logs.ts'
import { createContractReader } from '../../../src/indexer/protocol/contracts/contract-reader.ts'
import { readToken } from '../../../src/indexer/protocol/contracts/read-token.ts'
import { recordedCampaigns, recordedClaims, recordedCore, recordedTokens } from '../recording/recorded-facts.ts'
import { callsAt, logsOf, recordedChain, recording } from '../recording/recording.ts'

const END = recording.blocks.at(-1)?.number ?? 0

/** Reads some logs as one span, with what contracts answer at a block. */
async function readRecording(logs: readonly ChainLog[], at = END, known: BoostOrigin[] = []) {
  const reader = createContractReader(callsAt(at))
  const span = await readBlockRange(
    recordedChain,
    logs,
    { find: async () => known },
    async (campaign) => (await readBoost(reader, campaign))?.incentives ?? [],
  )
  const campaigns = await Promise.all(
    span.campaigns.map(async (origin) => {
      const block = recording.blocks.find(({ number }) => number === origin.blockNumber)
      const dated = { ...origin, blockTimestamp: block?.timestamp ?? 0 }
      const complete = await completeOrigin(reader, dated, () => reader, span.setUps)
      if (complete === null) throw new Error(`the core does not know ${origin.id}`)
      return readCampaign(reader, recordedChain, complete)
    }),
  )
  return { span, campaigns }
}

const reported = (campaigns: Awaited<ReturnType<typeof readRecording>>['campaigns']) =>
  campaigns.map(({ origin: _, fixed: __, ...campaign }) => campaign)

/** As of contracts from before there were set-up events, and an event for each incentive a campaign comes with. */
function logsOfFirstContracts() {
  const setUps = [...incentiveSetUps, ...actionSetUps].map(([topic]) => topic)
  const [added] = topicsOf(coreEvents.filter(({ name }) => name === 'IncentiveAdded'))
  return logsOf(recording.blocks).filter(({ topics: [topic = '0x'], data }) => {
    const isAddedLater = topic === added && BigInt(data) === 0n
    return isAddedLater || (topic !== added && !setUps.includes(topic))
  })
}

test('the recording has ten campaigns with all their incentives and figures', async () => {
  const { campaigns } = await readRecording(logsOf(recording.blocks))
  expect(reported(campaigns)).toEqual(recordedCampaigns)
})

test('the recording has eighteen claims, and neither draws nor claw-backs are among them', async () => {
  const { span } = await readRecording(logsOf(recording.blocks))
  expect(span.claims.map(({ blockHash: _, ...claim }) => claim)).toEqual(recordedClaims)
})

test('tokens are those that are paid, reckoned in or that back points', async () => {
  const { campaigns } = await readRecording(logsOf(recording.blocks))
  const reader = createContractReader(callsAt(END))
  const addresses = campaigns.flatMap(({ origin }) =>
    origin.incentives.flatMap(({ fixed }) => (fixed ? tokensOf(fixed) : [])),
  )
  const tokens = await Promise.all([...new Set(addresses)].map((address) => readToken(reader, 8453, address)))
  const byAddress = (one?: { address: string }, other?: { address: string }) =>
    (one?.address ?? '').localeCompare(other?.address ?? '')
  expect(tokens.sort(byAddress)).toEqual([...recordedTokens].sort(byAddress))
})

test('what happens to a campaign touches it: claims, top-ups, claw-backs and draws, through the core and past it', async () => {
  const { span } = await readRecording(logsOf(recording.blocks))
  const touched = (index: number) =>
    span.affects
      .filter(({ campaignId }) => campaignId === `8453:${recordedCore}:${index}`)
      .map(({ blockNumber }) => blockNumber)
  expect(touched(0)).toEqual([38400001, 38400004, 38400006, 38400989, 38400993])
  expect(touched(1)).toEqual([38400008, 38400011, 38400012, 38400013])
  expect(touched(2)).toEqual([38400015, 38400019, 38400021, 38400998, 38401001])
  expect(touched(4)).toEqual([38400033, 38400035, 38400939, 38401005])
  expect(touched(7)).toEqual([38400969, 38400972, 38400980, 38401002, 38401003])
})

test('a top-up and a claw-back past the core touch it also where no event names its incentives', async () => {
  const blocks = [38400015, 38400998, 38401001]
  const logs = logsOfFirstContracts().filter(({ blockNumber }) => blocks.includes(blockNumber))
  const { span } = await readRecording(logs)
  const campaignId = `8453:${recordedCore}:2`
  expect(span.affects).toEqual(blocks.map((blockNumber) => ({ campaignId, blockNumber })))
})

test('contracts that emit no set-up and name no incentives are read by what they answer', async () => {
  const { span, campaigns } = await readRecording(logsOfFirstContracts())
  expect(span.claims.map(({ blockHash: _, ...claim }) => claim)).toEqual(recordedClaims)
  // The first reward of an auction that was claimed from can no longer be read.
  const auction = { kind: 'incentive', campaignId: `8453:${recordedCore}:4`, position: 0 }
  const contract = '0xe45361263ceadee6b3254b93d6562061aef85ae4'
  const expected = recordedCampaigns.map((campaign, index) =>
    index === 4
      ? {
          ...campaign,
          record: { ...campaign.record, incentives: [] },
          incentives: [],
          unknown: [{ ...auction, contract }],
        }
      : campaign,
  )
  expect(reported(campaigns)).toEqual(expected)
})

test('contracts that name no incentives, and yet emit set-ups, are known by those', async () => {
  const [added] = topicsOf(coreEvents.filter(({ name }) => name === 'IncentiveAdded'))
  const logs = logsOf(recording.blocks).filter(({ topics: [topic], data }) => topic !== added || BigInt(data) === 0n)
  const { span, campaigns } = await readRecording(logs)
  expect(reported(campaigns)).toEqual(recordedCampaigns)
  expect(span.claims.map(({ blockHash: _, ...claim }) => claim)).toEqual(recordedClaims)
})

test('the first reward of an auction without a set-up event is read while nobody has claimed', async () => {
  const created = recording.blocks.filter(({ number }) => number === 38400033)
  const setUps = incentiveSetUps.map(([topic]) => topic)
  const logs = logsOf(created).filter((log) => !setUps.includes(log.topics[0] ?? '0x'))
  const { campaigns } = await readRecording(logs, 38400033)
  const state = { lastClaimAt: '1795168866', reward: `1${'0'.repeat(18)}`, balance: `20${'0'.repeat(18)}` }
  const [auction] = recordedCampaigns[4]?.record.incentives ?? []
  expect(campaigns.map(({ record }) => record.incentives)).toEqual([[{ ...auction, auction: state }]])
})

test('an incentive added later is found in the block that adds it', async () => {
  const before = await readRecording(logsOf(recording.blocks.filter(({ number }) => number < 38401002)), 38401001)
  const seventh = before.campaigns.flatMap(({ origin }) => (origin.boostId === '7' ? [origin] : []))
  const added = recording.blocks.filter(({ number }) => number === 38401002)
  const { campaigns } = await readRecording(logsOf(added), 38401002, seventh)
  expect(campaigns.map((campaign) => campaign.incentives)).toEqual([recordedCampaigns[7]?.incentives])
})

test('what others emit under the same topics counts for nothing', async () => {
  const logs = logsOf(recording.blocks)
  const forged = logs.map((log) => ({
    ...log,
    address: `0x${'f'.repeat(40)}` as const,
    transactionHash: `0x${log.transactionHash.slice(2, 60)}ffffff` as const,
  }))
  const { span, campaigns } = await readRecording([...forged, ...logs, ...forged])
  expect(reported(campaigns)).toEqual(recordedCampaigns)
  expect(span.claims.map(({ blockHash: _, ...claim }) => claim)).toEqual(recordedClaims)
})
