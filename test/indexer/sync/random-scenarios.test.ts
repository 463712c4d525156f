import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyScenario, runScenario, type ScenarioStore } from '../simulation/random-scenarios.ts'
import { StoredChain } from '../stored-chain.ts'

async function openStoredChain(startBlock: number): Promise<ScenarioStore<ReturnType<StoredChain['facts']>>> {
  const store = new StoredChain(startBlock)
  return {
    store,
    readState: async () => store.state,
    apply: async (step) => store.apply(step),
    knownContracts: async () =>
      [...store.origins.values()].flatMap(({ incentives }) => incentives.map(({ contract }) => contract)),
    facts: async () => store.facts(),
    close: async () => {},
  }
}

const figures = ['limit', 'totalClaims', 'totalAmountClaimed', 'remainingBalance']

/** The figures of the campaigns that are stored, as the simulation tells them. */
const figuresIn = ({ campaigns }: ReturnType<StoredChain['facts']>) =>
  campaigns.map(({ record, incentives }) => ({
    id: record.id,
    maxClaims: record.maxClaimsPerClaimant,
    incentives: incentives.map((place, index) => {
      const told = Object.entries({ ...record.incentives[index] }).filter(([name]) => figures.includes(name))
      return { ...place, ...Object.fromEntries(told) }
    }),
  }))

/** No scenario is begun after this time. */
const SCENARIOS_MS = 6000

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
      expect(facts).toEqual(freshFacts)
    }),
    { numRuns: 60 },
  )
})
