import { Counter, Gauge, type GaugeConfiguration, Histogram, type Registry } from 'prom-client'
import type { ChainEvent } from '../../indexer/chain-events.ts'
import type { EndpointCounts } from '../../indexer/rpc/endpoints.ts'

interface ChainCount {
  chainId: number
  count: number
}

export interface ChainMetricsOptions {
  register: Registry
  /** Number of stored unknown components, by chain. */
  countUnknown: () => Promise<ChainCount[]>
  /** Number of campaigns that the database refuses, by chain. */
  countSkipped: () => Promise<ChainCount[]>
  /** The age of the newest price of each feed, in seconds. */
  listFeedAges: () => Promise<{ chainId: number; feed: string; age: number }[]>
  /** Requests to the endpoints of each chain. */
  listCounts: () => { chainId: number; counts: EndpointCounts[] }[]
}

/** Measures the indexing of chains. @returns an observer of the events of a chain. */
export function createChainMetrics(options: ChainMetricsOptions) {
  const { register, countUnknown, countSkipped, listFeedAges, listCounts } = options
  const registers = [register]
  const labelNames = ['chain_id'] as const
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers })
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers })

  const asOfBlock = gauge('reward_campaigns_chain_as_of_block', 'Newest stored block')
  const headBlock = gauge('reward_campaigns_chain_head_block', 'Newest block of the chain')
  const finalizedBlock = gauge(
    'reward_campaigns_chain_finalized_block',
    'Newest finalized block of the chain, if a node reports it',
  )
  const asOfTimes = measureLag(registers)
  const reorganisations = counter('reward_campaigns_chain_reorgs_total', 'Reorganisations handled')
  const depths = new Histogram({
    name: 'reward_campaigns_chain_reorg_depth_blocks',
    help: 'Stored blocks reverted by a reorganisation',
    labelNames,
    buckets: [1, 2, 3, 5, 10, 20, 50, 100, 200],
    registers,
  })
  const claims = counter(
    'reward_campaigns_chain_claims_written_total',
    'Claims stored, including those stored again after a reorganisation',
  )
  const campaigns = counter('reward_campaigns_chain_campaigns_written_total', 'Campaigns stored, each time they change')
  const orphanClaims = counter('reward_campaigns_chain_orphan_claims_total', 'Claims on unknown incentives, not stored')
  const unknownComponents = countAtScrape(countUnknown, listCounts, {
    name: 'reward_campaigns_chain_unknown_components',
    help: 'Components of campaigns that are unsupported or unreadable',
    ...{ labelNames, registers },
  })
  countAtScrape(countSkipped, listCounts, {
    name: 'reward_campaigns_chain_skipped_campaigns',
    help: 'Campaigns skipped because the database rejects their facts',
    ...{ labelNames, registers },
  })
  measureFeedAges(registers, listFeedAges)
  countRpc(registers, listCounts)

  return (chainId: number) => {
    const labels = { chain_id: chainId }
    // Starts at 0: an increase shows only on a series that exists.
    for (const each of [reorganisations, claims, campaigns, orphanClaims]) each.inc(labels, 0)
    depths.zero(labels)
    unknownComponents.set(labels, 0)
    const setAsOf = ({ number, timestamp }: { number: number; timestamp?: number }) => {
      asOfBlock.set(labels, number)
      if (timestamp !== undefined) asOfTimes.set(chainId, timestamp)
    }
    return (event: ChainEvent) => {
      if (event.type === 'opened' && event.state.asOf !== null) setAsOf(event.state.asOf)
      if (event.type === 'arrived') setAsOf(event.asOf)
      if (event.type === 'heads') {
        headBlock.set(labels, event.head.number)
        if (event.finalized !== null) finalizedBlock.set(labels, event.finalized.number)
      }
      if (event.type !== 'stored') return
      const { step } = event
      if (step.type !== 'back-fill' && step.type !== 'advance') return
      claims.inc(labels, step.claims.length)
      orphanClaims.inc(labels, step.orphanClaims)
      if (step.type === 'back-fill') return
      setAsOf(step.asOf)
      campaigns.inc(labels, step.campaigns.length)
      if (step.depth === 0) return
      reorganisations.inc(labels)
      depths.observe(labels, step.depth)
    }
  }
}

/** Measures the lag of each chain. @returns the timestamps of the newest stored blocks, to be set by chain ID. */
function measureLag(registers: Registry[]) {
  const asOfTimes = new Map<number, number>()
  new Gauge({
    name: 'reward_campaigns_chain_lag_seconds',
    help: 'Time since the newest stored block',
    labelNames: ['chain_id'] as const,
    registers,
    collect() {
      for (const [chainId, time] of asOfTimes) this.set({ chain_id: chainId }, Math.max(0, Date.now() / 1000 - time))
    },
  })
  return asOfTimes
}

/** A gauge of a number that the database counts for each chain at each scrape. */
const countAtScrape = (
  count: () => Promise<ChainCount[]>,
  listChains: () => { chainId: number }[],
  options: GaugeConfiguration<'chain_id'>,
) =>
  new Gauge({
    ...options,
    async collect() {
      // While the database is unreachable, it keeps its value.
      const counts = await count().catch(() => undefined)
      if (counts === undefined) return
      for (const { chainId } of listChains()) this.set({ chain_id: chainId }, 0)
      for (const { chainId, count } of counts) this.set({ chain_id: chainId }, count)
    },
  })

/** The age of the newest price of each feed. */
function measureFeedAges(registers: Registry[], listFeedAges: ChainMetricsOptions['listFeedAges']) {
  new Gauge({
    name: 'reward_campaigns_chain_feed_price_age_seconds',
    help: 'Time since the newest price of each feed',
    labelNames: ['chain_id', 'feed'] as const,
    registers,
    async collect() {
      // While the database is unreachable, it keeps its value.
      const ages = await listFeedAges().catch(() => undefined)
      if (ages === undefined) return
      this.reset()
      for (const { chainId, feed, age } of ages) this.set({ chain_id: chainId, feed }, age)
    },
  })
}

/** Counts requests to the endpoints of chains, and their failures. */
function countRpc(registers: Registry[], listCounts: ChainMetricsOptions['listCounts']) {
  new Counter({
    name: 'reward_campaigns_chain_rpc_requests_total',
    help: 'Requests to each endpoint, by its position in the chain file',
    labelNames: ['chain_id', 'endpoint'] as const,
    registers,
    collect() {
      this.reset()
      for (const { chainId, counts } of listCounts()) {
        for (const { position, requests } of counts) this.inc({ chain_id: chainId, endpoint: position }, requests)
      }
    },
  })
  new Counter({
    name: 'reward_campaigns_chain_rpc_errors_total',
    help: 'Failures of each endpoint, by its position in the chain file',
    labelNames: ['chain_id', 'endpoint', 'fault'] as const,
    registers,
    collect() {
      this.reset()
      for (const { chainId, counts } of listCounts()) {
        for (const { position, errors } of counts) {
          for (const [fault, count] of Object.entries(errors)) {
            this.inc({ chain_id: chainId, endpoint: position, fault }, count)
          }
        }
      }
    },
  })
}
