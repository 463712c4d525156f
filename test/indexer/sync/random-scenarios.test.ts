import fc from 'fast-check'
import { expect, test } from 'vitest'
import { repeated } from '../../setup/thorough.ts'
import { anyScenario, runScenario, type ScenarioStore } from '../simulation/random-scenarios.ts'
import type { SimulatedChain } from '../simulation/simulated-chain.ts'
import { StoredChain } from '../stored-chain.ts'

const factsOf = (store: StoredChain) => ({ ...store.facts(), prices: store.toldPrices() })
type Facts = ReturnType<typeof factsOf>

async function openStoredChain(startBlock: number): Promise<ScenarioStore<Facts>> {
  const store = new StoredChain(startBlock)
  return {
    store,
    readState: async () => store.state,
    apply: async (step) => store.apply(step),
    knownContracts: async () =>
      [...store.origins.values()].flatMap(({ incentives }) => incentives.map(({ contract }) => contract)),
    facts: async () => factsOf(store),
    close: async () => {},
  }
}

const figures = ['limit', 'totalClaims', 'totalAmountClaimed', 'remainingBalance']

/** The figures of the campaigns that are stored, as the simulation tells them. */
const figuresIn = ({ campaigns }: Facts) =>
  campaigns.map(({ record, incentives }) => ({
    id: record.id,
    maxClaims: record.maxClaimsPerClaimant,
    incentives: incentives.map((place, index) => {
      const newHead = Object.entries({ ...record.incentives[index] }).filter(([name]) => figures.includes(name))
      return { ...place, ...Object.fromEntries(newHead) }
    }),
  }))

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
      const { chain, state, facts, freshFacts } = await runScenario(scenario, openStoredChain)
      const expected = chain.facts()
      expect(state.asOf?.hash).toBe(chain.head.hash)
      expect(facts.claims).toEqual(expected.claims)
      expect(figuresIn(facts)).toEqual(expected.figures)
      expect(facts.prices).toEqual(inOrder(expected.prices))
      expect(facts).toEqual(freshFacts)
    }),
    { numRuns: 60 },
  )
})
