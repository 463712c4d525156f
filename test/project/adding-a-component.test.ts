import type { Abi, Hex } from 'viem'
import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, encodeFunctionResult, parseAbi } from 'viem/utils'
import { expect, test } from 'vitest'
import { coreEvents } from '../../src/indexer/protocol/boost-core/core-events.ts'
import type { ChainLog } from '../../src/indexer/protocol/chain-logs.ts'
import { readFunctions } from '../../src/indexer/protocol/contracts/abi-functions.ts'
import { copySources, filesOf, filesToldOf, type Recipe } from '../setup/documents/copied-sources.ts'

const folder = 'src/indexer/protocol/boost-core/incentives'

/** What is written by hand for a kind of incentives, here one that gives points of a single sort. */
const recipe: Recipe = [
  [
    `${folder}/badge-incentive.ts`,
    undefined,
    `import { parseAbi } from 'viem/utils'
import { readersOf, toAddress } from '../../chain-logs.ts'
import { incentiveComponent } from './incentive-component.ts'
import { readLimit } from './token-rewards.ts'

export const badgeSetUpEvents = parseAbi(['event BadgeIncentiveInitialized(address indexed venue, uint256 limit)'])

const toFixed = (venue: string) =>
  ({ type: 'PointsIncentive', venue: toAddress(venue), selector: '0x40c10f19', reward: '1' }) as const

export const badgeIncentive = incentiveComponent({
  types: ['PointsIncentive'],
  setUps: readersOf(badgeSetUpEvents, ({ args }) => toFixed(args.venue)),
  async readFixed(reader, contract) {
    const [venue, selector] = await Promise.all([reader.read(contract, 'venue'), reader.read(contract, 'selector')])
    return venue === undefined || selector !== undefined ? undefined : toFixed(venue)
  },
  readState: readLimit,
})
`,
  ],
  [`${folder}/incentives.ts`, 'import { pointsIncentive }', "import { badgeIncentive } from './badge-incentive.ts'\n"],
  [`${folder}/incentives.ts`, '  pointsIncentive,\n', '  badgeIncentive,\n'],
]

const hexOf = (digits: string, bytes: number): Hex => `0x${digits.repeat(bytes)}`
const [core, contract, venue, owner] = [hexOf('c0', 20), hexOf('ba', 20), hexOf('ee', 20), hexOf('0a', 20)]

/** A log as a contract emits it. */
function logOf(address: Hex, abi: Abi, eventName: string, args: Record<string, unknown>, logIndex: number): ChainLog {
  const event = abi.find((item) => item.type === 'event' && item.name === eventName)
  if (event?.type !== 'event') throw new RangeError(`there is no event ${eventName}`)
  const plain = event.inputs.filter(({ indexed }) => !indexed)
  return {
    address,
    topics: encodeEventTopics({ abi: [event], eventName, args }).flatMap((topic) => topic ?? []),
    data: encodeAbiParameters(
      plain,
      plain.map(({ name }) => args[name ?? '']),
    ),
    ...{ blockNumber: 7, blockHash: hexOf('bb', 32), transactionHash: hexOf('dd', 32), logIndex },
  }
}

test('a kind of incentives is added in two files, its own and the list that CONTRIBUTING names', async () => {
  expect(filesOf(recipe)).toHaveLength(2)
  const told = await filesToldOf('A component of the protocol')
  expect(told).toHaveLength(2)
  expect(told[1]).toBe(filesOf(recipe)[1])
  expect(told[0]).toContain(`${folder}/`)
})

test('a kind that was added so is asked for, known by its event and without it, and read as a record', async () => {
  await using copy = await copySources(recipe)
  const load = <Module>(file: string) => copy.load<Module>(`src/indexer/protocol/${file}`)
  const { protocolTopics } = await load<typeof import('../../src/indexer/protocol/protocols.ts')>('protocols.ts')
  const { readBlockRange } = await load<typeof import('../../src/indexer/protocol/boost-core/block-range-facts.ts')>(
    'boost-core/block-range-facts.ts',
  )
  const { readFixedIncentive, readIncentive } = await load<
    typeof import('../../src/indexer/protocol/boost-core/incentives/incentives.ts')
  >('boost-core/incentives/incentives.ts')
  const { createContractReader } =
    await load<typeof import('../../src/indexer/protocol/contracts/contract-reader.ts')>('contracts/contract-reader.ts')
  const events = parseAbi(['event BadgeIncentiveInitialized(address indexed venue, uint256 limit)'])
  const added = { boostId: 3n, incentiveId: 0n, incentiveAddress: contract, isNewBoost: true }
  const parts = { action: owner, validator: owner, allowList: owner, budget: owner }
  const logs = [
    logOf(contract, events, 'BadgeIncentiveInitialized', { venue, limit: 5n }, 0),
    logOf(core, coreEvents, 'IncentiveAdded', added, 1),
    logOf(core, coreEvents, 'BoostCreated', { boostId: 3n, owner, incentiveCount: 1n, ...parts }, 2),
  ]
  expect(protocolTopics).toContain(logs[0]?.topics[0])

  const chain = { chainId: 10, cores: new Set([core]) }
  const { campaigns } = await readBlockRange(chain, logs, { find: async () => [] }, async () => [])
  const fixed = { type: 'PointsIncentive', venue, selector: '0x40c10f19', reward: '1' } as const
  expect(campaigns.flatMap(({ incentives }) => incentives)).toEqual([{ position: 0, contract, blockNumber: 7, fixed }])

  const results = new Map<Hex, Hex>([
    [
      encodeFunctionData({ abi: readFunctions, functionName: 'venue' }),
      encodeFunctionResult({ abi: readFunctions, functionName: 'venue', result: venue }),
    ],
    [
      encodeFunctionData({ abi: readFunctions, functionName: 'limit' }),
      encodeFunctionResult({ abi: readFunctions, functionName: 'limit', result: 5n }),
    ],
  ])
  const reader = createContractReader(async (calls) => calls.map(({ data }) => results.get(data) ?? null))
  expect(await readFixedIncentive(reader, contract, undefined)).toEqual(fixed)
  expect(await readIncentive(reader, contract, fixed)).toEqual({ record: { ...fixed, limit: '5' }, lacksLimit: false })
})
