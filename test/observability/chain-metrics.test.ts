import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createChainMetrics } from '../../src/observability/chains/chain-metrics.ts'

const block = { number: 7, hash: '0x07', parentHash: '0x06', timestamp: 1000 } as const

/** The metrics of two chains that were never compared, of which one was. */
function aMeasuredChain() {
  const register = new Registry()
  const proofs = new Map<number, { age: number | null; differences: number }>()
  const measure = createChainMetrics({
    register,
    countUnknown: async () => [],
    countSkipped: async () => [],
    listFeedAges: async () => [],
    listProofs: async () => [...proofs].map(([chainId, proof]) => ({ chainId, ...proof })),
    listEndpoints: () => [],
  })
  const ageOf = async (chainId: number) => {
    const text = await register.metrics()
    const name = `reward_campaigns_chain_proof_age_seconds{chain_id="${chainId}"} `
    const line = text.split('\n').find((one) => one.startsWith(name))
    return line === undefined ? undefined : Number(line.slice(name.length))
  }
  return { proofs, measure, ageOf }
}

test('counters that were never compared are as old as the time since the chain was first read to its end', async () => {
  const { proofs, measure, ageOf } = aMeasuredChain()
  const onEvent = measure(10)
  proofs.set(10, { age: null, differences: 0 })
  // During a backfill there is nothing to compare.
  expect(await ageOf(10)).toBeUndefined()
  onEvent({ type: 'arrived', asOf: block })
  const first = (await ageOf(10)) ?? -1
  expect(first).toBeGreaterThanOrEqual(0)
  await new Promise((resolve) => setTimeout(resolve, 20))
  onEvent({ type: 'arrived', asOf: block })
  expect((await ageOf(10)) ?? 0).toBeGreaterThan(first)
  proofs.set(10, { age: 5000, differences: 0 })
  expect(await ageOf(10)).toBe(5000)
  // A chain that is read again from its start was not compared since.
  proofs.set(10, { age: null, differences: 0 })
  onEvent({ type: 'stored', update: { type: 'restart' } })
  expect(await ageOf(10)).toBeUndefined()
})
