import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contractsOf } from '../../../src/indexer/protocol/protocols.ts'
import { repeated } from '../../setup/repetitions.ts'
import {
  anyScenario,
  type Command,
  runScenario,
  type Scenario,
  type ScenarioStore,
} from '../simulation/random-scenarios.ts'
import type { SimulatedChain } from '../simulation/simulated-chain.ts'
import { countless, figuresIn } from '../stored-amounts.ts'
import { StoredChain } from '../stored-chain.ts'

const factsOf = (store: StoredChain) => ({
  ...store.facts(),
  claimFees: store.claimFees(),
  prices: store.toldPrices(),
})
type Facts = ReturnType<typeof factsOf>

async function openStoredChain(startBlock: number): Promise<ScenarioStore<Facts>> {
  const store = new StoredChain(startBlock)
  return {
    store,
    readState: async () => store.state,
    apply: async (step) => store.apply(step),
    knownContracts: async () => [...store.origins.values()].flatMap(contractsOf),
    facts: async () => factsOf(store),
    close: async () => {},
  }
}

type Prices = ReturnType<SimulatedChain['facts']>['prices']
const inOrder = (prices: Prices) =>
  prices
    .map(({ logIndex, ...price }) => [`${price.feed}/${price.blockNumber}/${logIndex}`, price] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, price]) => price)

/** No scenario is begun after this time. */
const SCENARIOS_MS = repeated(3000, 6000)

test('whatever a chain, its node and its indexer do, what is stored is in the end what there is', async () => {
  const end = performance.now() + SCENARIOS_MS
  await fc.assert(
    fc.asyncProperty(anyScenario, async (scenario) => {
      // Each that is begun is gone through, however long the first takes.
      if (performance.now() > end) return
      await expectStored(scenario)
    }),
    { numRuns: 60 },
  )
})

async function expectStored(scenario: Scenario) {
  const { chain, state, facts, freshFacts } = await runScenario(scenario, openStoredChain)
  const expected = chain.facts()
  expect(state.asOf?.hash).toBe(chain.head.hash)
  expect(facts.claims).toEqual(expected.claims)
  expect(figuresIn(facts, facts.claimFees)).toEqual(countless(expected.figures))
  expect(facts.prices).toEqual(inOrder(expected.prices))
  expect(facts).toEqual(freshFacts)
}

/** A feed is read at the head; then other blocks are there, in which it has named another aggregator, which has told a price. */
const swappedMeanwhile = (requests: number, steps: number): Command[] => [
  {
    type: 'reorganise',
    depth: 0,
    isAgain: false,
    blocks: [[], [[{ type: 'answer', feed: 0, which: 'current', salt: 0, response: 1 }]], [], []],
  },
  { type: 'fault', name: 'is overloaded', every: 1, requests: 1 },
  {
    type: 'look',
    steps,
    meanwhile: {
      requests,
      change: { type: 'reorganise', depth: 3, isAgain: true, blocks: [[[{ type: 'swap', feed: 0, salt: 0 }]], [], []] },
    },
  },
]

test.each([
  { when: 'what has been stored is gone on with', commands: [{ type: 'look' as const, steps: 2, meanwhile: null }] },
  { when: 'a chain is read for the first time', commands: [] },
])('an aggregator that came with a reorganisation is found, while $when', async ({ commands }) => {
  for (let requests = 1; requests <= 8; requests += 1) {
    for (const steps of [1, 2]) {
      await expectStored({ finality: 2, commands: [...commands, ...swappedMeanwhile(requests, steps)] })
    }
  }
})

test('an aggregator that is named while a chain is read is found, though no block comes after', async () => {
  for (let requests = 1; requests <= 8; requests += 1) {
    const commands: Command[] = [
      { type: 'mine', blocks: [[[{ type: 'answer', feed: 0, which: 'next', salt: 0, response: 1 }]], [], []] },
      { type: 'look', steps: 2, meanwhile: null },
      { type: 'mine', blocks: [[], [], [], [], []] },
      {
        type: 'look',
        steps: 2,
        meanwhile: { requests, change: { type: 'mine', blocks: [[[{ type: 'swap', feed: 0, salt: 0 }]], []] } },
      },
    ]
    await expectStored({ finality: 2, commands })
  }
})
