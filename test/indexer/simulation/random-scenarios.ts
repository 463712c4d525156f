import fc from 'fast-check'
import type { Hex } from 'viem'
import { createChainClient } from '../../../src/indexer/rpc/chain-client.ts'
import { EndpointError } from '../../../src/indexer/rpc/endpoint-errors.ts'
import { ChainUnavailableError, defaultEndpointSettings } from '../../../src/indexer/rpc/endpoints.ts'
import { syncOnce } from '../../../src/indexer/sync/sync-once.ts'
import type { ChainUpdate, FollowedState, FollowedStore } from '../../../src/indexer/sync/sync-updates.ts'
import { everyOther, type Interference, lastingFaults, passingFaults } from './node-faults.ts'
import { startScriptedNode } from './scripted-node.ts'
import { SimulatedChain } from './simulated-chain.ts'
import { kinds, listKinds, type Operation, simulatedChain } from './simulated-protocol.ts'

/** Where a scenario is stored. */
export interface ScenarioStore<Facts> {
  store: FollowedStore
  readState(): Promise<FollowedState>
  apply(step: ChainUpdate): Promise<void>
  /** Contracts of all incentives that are stored. */
  knownContracts(): Promise<readonly Hex[]>
  /** What answers are made of, in an order of its own. */
  facts(): Promise<Facts>
  close(): Promise<void>
}

/** What the transactions of a block do. */
type Block = Operation[][]

/** Changes the chain. */
type Change =
  | { type: 'mine'; blocks: Block[] }
  /** The withdrawn transactions come again in the first of the new blocks, or never. */
  | { type: 'reorganise'; depth: number; isAgain: boolean; blocks: Block[] }
  | { type: 'fall'; depth: number }
  | { type: 'forget' }

export type Command =
  | Change
  /** An indexer looks, and is ended after some steps; meanwhile, after some requests, the chain may change. */
  | { type: 'look'; steps: number; meanwhile: { requests: number; change: Change } | null }
  /** From here on the indexer is another process, on the same store. */
  | { type: 'restart' }
  /** The node spoils every so manieth of its next requests. */
  | { type: 'fault'; name: keyof typeof passingFaults; every: number; requests: number }
  | { type: 'nature'; name: keyof typeof lastingFaults | null }

export interface Scenario {
  /** How far below the head blocks are final. */
  finality: number
  commands: Command[]
}

const anyPlace = { campaign: fc.nat(30), incentive: fc.nat(3) }
const anyAmount = fc.integer({ min: 1, max: 5000 })
const anyKind = fc.constantFrom(...kinds)
const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('create' as const),
      salt: fc.nat(2),
      incentives: fc.array(anyKind, { minLength: 1, maxLength: 3 }),
      setUp: fc.boolean(),
      named: fc.boolean(),
      action: fc.constantFrom('event', 'event', 'validating', 'unknown'),
      list: fc.constantFrom(...listKinds),
      isReadable: fc.nat(9).map((chance) => chance > 0),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant('claim' as const), ...anyPlace, claimant: fc.nat(3), amount: anyAmount }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('topUp', 'clawBack'),
      ...anyPlace,
      amount: anyAmount,
      isDirect: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('add' as const),
      campaign: fc.nat(30),
      salt: fc.nat(2),
      kind: anyKind,
      setUp: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('answer' as const),
      feed: fc.nat(2),
      which: fc.constantFrom('current', 'previous', 'next'),
      salt: fc.nat(1),
      response: fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: 1, max: 10 ** 10 }) },
        { weight: 1, arbitrary: fc.constantFrom(0, -5) },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('swap' as const), feed: fc.nat(2), salt: fc.nat(1) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('forge' as const), ...anyPlace, amount: anyAmount }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('setFee' as const),
      base: fc.constantFrom('own', 'own', 'other', 'stranger'),
      fee: fc.nat(3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('timed create' as const),
      salt: fc.nat(2),
      kind: fc.constantFrom('first', 'fixed', 'open'),
      amount: anyAmount,
      isReadable: fc.nat(9).map((chance) => chance > 0),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom('timed root', 'timed claim'),
      ...{ campaign: fc.nat(30), amount: anyAmount, salt: fc.nat(2) },
    }),
  },
  {
    weight: 4,
    arbitrary: fc.oneof(
      fc.record({
        type: fc.constant('timed top-up' as const),
        ...{ campaign: fc.nat(30), amount: anyAmount, indexed: fc.nat(2) },
      }),
      fc.record({
        type: fc.constant('timed withdrawal' as const),
        ...{ campaign: fc.nat(30), amount: anyAmount, isDirect: fc.boolean() },
      }),
      fc.record({ type: fc.constantFrom('timed end', 'timed finality', 'timed noise'), campaign: fc.nat(30) }),
    ),
  },
)

const anyBlock = fc.array(fc.array(anyOperation, { minLength: 1, maxLength: 3 }), { maxLength: 3 })
const anyBlocks = (max: number) => fc.array(anyBlock, { maxLength: max })
const anyDepth = fc.oneof({ weight: 4, arbitrary: fc.nat(5) }, { weight: 1, arbitrary: fc.nat(100) })
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('mine' as const), blocks: anyBlocks(4) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('reorganise' as const),
      depth: anyDepth,
      isAgain: fc.boolean(),
      blocks: anyBlocks(8),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fall' as const), depth: anyDepth }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('forget' as const) }) },
)
const names = <Name extends string>(faults: Record<Name, Interference>) => Object.keys(faults) as Name[]
const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: anyChange },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('look' as const),
      steps: fc.integer({ min: 1, max: 4 }),
      meanwhile: fc.option(fc.record({ requests: fc.integer({ min: 1, max: 8 }), change: anyChange })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('fault' as const),
      name: fc.constantFrom(...names(passingFaults)),
      every: fc.integer({ min: 1, max: 3 }),
      requests: fc.integer({ min: 1, max: 20 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('nature' as const),
      name: fc.option(fc.constantFrom(...names(lastingFaults))),
    }),
  },
)

/** What may happen to a chain, its node and its indexer. */
export const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  finality: fc.constantFrom(2, 20, 300),
  commands: fc.array(anyCommand, { minLength: 5, maxLength: 40, size: 'max' }),
})

function change(chain: SimulatedChain, one: Change) {
  switch (one.type) {
    case 'mine':
      for (const block of one.blocks) chain.mine(block)
      return
    case 'reorganise': {
      const withdrawn = chain.withdraw(one.depth)
      const [first = [], ...others] = one.blocks
      chain.mine(first, one.isAgain ? withdrawn : [])
      for (const block of others) chain.mine(block)
      return
    }
    case 'fall':
      chain.withdraw(one.depth)
      return
    case 'forget':
      chain.forget()
  }
}

const settings = { ...defaultEndpointSettings, timeoutMs: 40, stallTimeoutMs: 25, pauseMs: 1 }
/** A response takes longer where several tests run on few cores. */
const patientSettings = { ...settings, timeoutMs: 5000, stallTimeoutMs: 10_000 }

function createIndexer(url: string, startBlock: number, to: ScenarioStore<unknown>, isPatient = false) {
  const client = createChainClient({
    ...simulatedChain,
    urls: [url],
    knownContracts: to.knownContracts,
    settings: isPatient ? patientSettings : settings,
  })
  const following = {
    chain: simulatedChain,
    client,
    store: to.store,
    settings: { startBlock, maxWaitMs: 0, parallelRanges: 3, rangeBlocks: 7, headBlocks: 3, feedCheckMs: 0 },
  }
  const memory = {}
  /** @returns the type of the last step; undefined where the look came to nothing. */
  return async function look(steps: number): Promise<ChainUpdate['type'] | undefined> {
    let last: ChainUpdate['type'] | undefined
    let count = 0
    try {
      for await (const step of syncOnce(following, await to.readState(), memory)) {
        await to.apply(step)
        last = step.type
        count += 1
        if (count === steps) break
      }
    } catch (error) {
      if (!(error instanceof EndpointError || error instanceof ChainUnavailableError)) throw error
      return undefined
    }
    return last
  }
}

/** Looks until nothing changes any more. */
async function settle(look: ReturnType<typeof createIndexer>) {
  for (let looks = 0; looks < 50; looks += 1) {
    if ((await look(Number.POSITIVE_INFINITY)) === 'rest') return
  }
  throw new Error('the chain did not come to rest')
}

/**
 * Plays a scenario to an indexer. In the end the node answers well and the chain rests.
 * @param openStore opens an empty store; a second one is filled by a look at nothing but the end.
 * @param onChange told of the chain whenever it has changed.
 * @returns what both have then, and the chain.
 */
export async function runScenario<Facts>(
  { finality, commands }: Scenario,
  openStore: (startBlock: number) => Promise<ScenarioStore<Facts>>,
  onChange: (chain: SimulatedChain) => void = () => {},
) {
  const chain = new SimulatedChain(finality)
  const changeChain = (one: Change) => {
    change(chain, one)
    onChange(chain)
  }
  onChange(chain)
  await using node = await startScriptedNode(chain)
  const to = await openStore(chain.startBlock)
  const fresh = await openStore(chain.startBlock)
  let fault: Interference = () => false
  let nature: Interference = () => false
  let tick = () => {}
  node.interfere = (...asked) => {
    tick()
    return nature(...asked) || fault(...asked)
  }
  try {
    let look = createIndexer(node.url, chain.startBlock, to)
    for (const command of commands) {
      switch (command.type) {
        case 'look': {
          const { meanwhile } = command
          let requests = 0
          tick = () => {
            requests += 1
            if (meanwhile !== null && requests === meanwhile.requests) changeChain(meanwhile.change)
          }
          await look(command.steps)
          tick = () => {}
          break
        }
        case 'restart':
          look = createIndexer(node.url, chain.startBlock, to)
          break
        case 'fault': {
          const spoil = everyOther(passingFaults[command.name], command.every)
          let left = command.requests
          fault = (...asked) => {
            left -= 1
            return left >= 0 && spoil(...asked)
          }
          break
        }
        case 'nature':
          nature = command.name === null ? () => false : lastingFaults[command.name]
          break
        default:
          changeChain(command)
      }
    }
    fault = () => false
    nature = () => false
    // The same process goes on where it has not lost the node.
    if ((await look(Number.POSITIVE_INFINITY)) !== 'rest') look = createIndexer(node.url, chain.startBlock, to, true)
    await settle(look)
    await settle(createIndexer(node.url, chain.startBlock, fresh, true))
    return { chain, state: await to.readState(), facts: await to.facts(), freshFacts: await fresh.facts() }
  } finally {
    await to.close()
    await fresh.close()
  }
}
