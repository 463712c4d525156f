import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { ChainEvent } from '../../indexer/chain-progress.ts'
import type { EndpointHealth } from '../../indexer/rpc/endpoints.ts'

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
  /** The age of the last comparison with the counters of contracts, in seconds, null if there was none, and how many differ, of chains that are compared. */
  listProofs: () => Promise<{ chainId: number; age: number | null; differences: number }[]>
  /** How the endpoints of each chain do. */
  listEndpoints: () => { chainId: number; endpoints: EndpointHealth[] }[]
}

/** Measures the indexing of chains. @returns an observer of the events of a chain. */
export function createChainMetrics(options: ChainMetricsOptions) {
  const registers = [options.register]
  const labelNames = ['chain_id'] as const
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers })
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers })

  const asOfBlock = gauge('reward_campaigns_chain_as_of_block', 'Newest stored block')
  const headBlock = gauge('reward_campaigns_chain_head_block', 'Newest block of the chain')
  const finalizedBlock = gauge(
    'reward_campaigns_chain_finalized_block',
    'Newest finalized block of the chain, if a node reports it',
  )
  const asOfTimes = new Map<number, number>()
  /** When each chain was first stored up to its newest block, in milliseconds. */
  const arrivedAt = new Map<number, number>()
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
  const missedClaims = counter(
    'reward_campaigns_chain_missed_claims_total',
    'Claims that a node had left out, found by the counters of contracts and stored since',
  )
  const orphanClaims = counter('reward_campaigns_chain_orphan_claims_total', 'Claims on unknown incentives, not stored')
  measureAtScrape(options, asOfTimes)
  measureProofs(options, arrivedAt)
  measureEndpoints(options)

  return (chainId: number) => {
    const labels = { chain_id: chainId }
    // Starts at 0: an increase shows only on a series that exists.
    for (const each of [reorganisations, claims, campaigns, missedClaims, orphanClaims]) each.inc(labels, 0)
    depths.zero(labels)
    const setAsOf = ({ number, timestamp }: { number: number; timestamp?: number }) => {
      asOfBlock.set(labels, number)
      if (timestamp !== undefined) asOfTimes.set(chainId, timestamp)
    }
    return (event: ChainEvent) => {
      if (event.type === 'opened' && event.state.asOf !== null) setAsOf(event.state.asOf)
      if (event.type === 'arrived') {
        setAsOf(event.asOf)
        if (!arrivedAt.has(chainId)) arrivedAt.set(chainId, Date.now())
      }
      if (event.type === 'heads') {
        headBlock.set(labels, event.head.number)
        if (event.finalized !== null) finalizedBlock.set(labels, event.finalized.number)
      }
      if (event.type === 'read-again') missedClaims.inc(labels, event.read.claims)
      if (event.type !== 'stored') return
      const { update } = event
      if (update.type === 'restart') arrivedAt.delete(chainId)
      if (update.type !== 'back-fill' && update.type !== 'added' && update.type !== 'new-blocks') return
      claims.inc(labels, update.claims.length)
      orphanClaims.inc(labels, update.orphanClaims)
      if (update.type !== 'new-blocks') return
      setAsOf(update.asOf)
      campaigns.inc(labels, update.campaigns.length)
      if (update.depth === 0) return
      reorganisations.inc(labels)
      depths.observe(labels, update.depth)
    }
  }
}

/** Values of a metric, by its labels. */
type Values = [labels: Record<string, string | number>, value: number][]

/** Measures what is listed at each scrape; while it cannot be, the metric keeps its values. */
const measure = (
  register: Registry,
  Metric: typeof Gauge<string> | typeof Counter<string>,
  name: string,
  help: string,
  labels: string[],
  list: () => Values | Promise<Values>,
) =>
  new Metric({
    ...{ name, help, labelNames: ['chain_id', ...labels], registers: [register] },
    async collect(this: Gauge<string> | Counter<string>) {
      const values = await Promise.resolve(list()).catch(() => undefined)
      if (values === undefined) return
      this.reset()
      for (const [of, value] of values) this.inc(of, value)
    },
  })

/** What is listed at each scrape. @param asOfTimes timestamps of the newest stored blocks, by chain ID. */
function measureAtScrape(
  { register, countUnknown, countSkipped, listFeedAges, listEndpoints }: ChainMetricsOptions,
  asOfTimes: ReadonlyMap<number, number>,
) {
  const counted = async (count: () => Promise<ChainCount[]>): Promise<Values> => [
    ...listEndpoints().map(({ chainId }): Values[number] => [{ chain_id: chainId }, 0]),
    ...(await count()).map(({ chainId, count }): Values[number] => [{ chain_id: chainId }, count]),
  ]

  measure(register, Gauge, 'reward_campaigns_chain_lag_seconds', 'Time since the newest stored block', [], () =>
    [...asOfTimes].map(([chainId, time]) => [{ chain_id: chainId }, Math.max(0, Date.now() / 1000 - time)]),
  )
  measure(
    register,
    Gauge,
    'reward_campaigns_chain_unknown_components',
    'Components of campaigns that are unsupported or unreadable',
    [],
    () => counted(countUnknown),
  )
  measure(
    register,
    Gauge,
    'reward_campaigns_chain_skipped_campaigns',
    'Campaigns skipped because the database rejects their facts',
    [],
    () => counted(countSkipped),
  )
  measure(
    register,
    Gauge,
    'reward_campaigns_chain_feed_price_age_seconds',
    'Time since the newest price of each feed',
    ['feed'],
    async () => (await listFeedAges()).map(({ chainId, feed, age }) => [{ chain_id: chainId, feed }, age]),
  )
}

/**
 * What came of comparing counters of contracts with what is stored, at each scrape.
 * @param arrivedAt since when chains can be compared that never were.
 */
function measureProofs({ register, listProofs }: ChainMetricsOptions, arrivedAt: ReadonlyMap<number, number>) {
  const ageOf = ({ chainId, age }: { chainId: number; age: number | null }) => {
    const since = arrivedAt.get(chainId)
    return age ?? (since === undefined ? undefined : (Date.now() - since) / 1000)
  }
  measure(
    register,
    Gauge,
    'reward_campaigns_chain_differences',
    'Counters of contracts that differ from what is stored',
    [],
    async () => (await listProofs()).map(({ chainId, differences }) => [{ chain_id: chainId }, differences]),
  )
  measure(
    register,
    Gauge,
    'reward_campaigns_chain_proof_age_seconds',
    'Time since counters of contracts were last compared with what is stored, or since they first could be',
    [],
    async () =>
      (await listProofs()).flatMap((proof): Values => {
        const age = ageOf(proof)
        return age === undefined ? [] : [[{ chain_id: proof.chainId }, age]]
      }),
  )
}

/** How the endpoints of each chain do, at each scrape. */
function measureEndpoints({ register, listEndpoints }: ChainMetricsOptions) {
  const measureEach = (
    Metric: typeof Gauge<string> | typeof Counter<string>,
    name: string,
    help: string,
    labels: string[],
    list: (endpoint: EndpointHealth) => Values,
  ) =>
    measure(register, Metric, `reward_campaigns_chain_rpc_${name}`, help, ['endpoint', ...labels], () =>
      listEndpoints().flatMap(({ chainId, endpoints }) =>
        endpoints.flatMap((one) =>
          list(one).map(([rest, value]): Values[number] => [
            { chain_id: chainId, endpoint: one.position, ...rest },
            value,
          ]),
        ),
      ),
    )

  measureEach(
    Gauge,
    'endpoint_info',
    'Host of each endpoint, by its position in the chain file, always 1',
    ['host'],
    ({ host }) => [[{ host }, 1]],
  )
  measureEach(
    Counter,
    'requests_total',
    'Requests to each endpoint, by its position in the chain file',
    [],
    ({ requests }) => [[{}, requests]],
  )
  measureEach(
    Counter,
    'errors_total',
    'Failures of each endpoint, by its position in the chain file',
    ['fault'],
    ({ errors }) => Object.entries(errors).map(([fault, count]) => [{ fault }, count]),
  )
  measureEach(
    Gauge,
    'last_response_timestamp_seconds',
    'When each endpoint last responded correctly, as Unix time',
    [],
    ({ lastResponseAt }) => (lastResponseAt === undefined ? [] : [[{}, lastResponseAt / 1000]]),
  )
  measureEach(
    Counter,
    'paused_seconds_total',
    'Time for which each endpoint is left alone after failures, counted when a pause begins',
    [],
    ({ pausedMs }) => [[{}, pausedMs / 1000]],
  )
  measureEach(
    Gauge,
    'request_limit',
    'What each endpoint takes in one request, if it has refused more',
    ['unit'],
    ({ limits: { needsAddresses: _, ...limits } }) =>
      Object.entries(limits).flatMap(([unit, limit]): Values => (limit === undefined ? [] : [[{ unit }, limit]])),
  )
}
