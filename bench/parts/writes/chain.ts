import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openIngest } from '../../../src/ingest/batches.ts'
import { startScriptedNode } from '../../../test/indexer/simulation/scripted-node.ts'
import { SimulatedChain } from '../../../test/indexer/simulation/simulated-chain.ts'
import { idOf, simulatedChain } from '../../../test/indexer/simulation/simulated-protocol.ts'
import compile from '../../../test/setup/build.ts'
import { CLI } from '../../../test/setup/servers/processes.ts'
import { findAny, findMostClaimed, findPopular } from '../../data/popular-facts.ts'
import { rotate } from '../../measuring/alternating-rounds.ts'
import { endProcess, startProgram } from '../../measuring/child-processes.ts'
import { percentile, seconds } from '../../measuring/measure.ts'
import type { Part, PartContext } from '../../measuring/part.ts'
import { residentMegabytes } from '../../measuring/processor-time.ts'
import { mixedPaths } from '../../service/queries.ts'
import { startService } from '../../service/service.ts'
import { CACHE_MEGABYTES } from '../requests/repeated.ts'

/** Blocks of claims that are final when the indexer starts. */
const BLOCKS_BEFORE = 300
const FOLLOWED_SECONDS = 60
const BLOCK_MS = 1000
const POLL_INTERVAL_MS = 200

/** Indexes a chain from its start, then block by block under load. */
export const following: Part = {
  limitMinutes: 5,
  targets: {
    backFill: { what: 'events of a chain that are back-filled', unit: '/s', rule: 'at least', limit: 1400 },
    median: {
      what: 'from a block of 20 claims to an answer that has them, one block a second, under load',
      unit: 'ms',
      rule: 'at most',
      limit: 300,
    },
    p99: { what: 'the same, p99', unit: 'ms', rule: 'at most', limit: 800 },
    memory: { what: 'resident memory of `index` meanwhile', unit: 'MB', rule: 'at most', limit: 300 },
  },
  async *measure(context) {
    const { facts, folder, log } = context
    await compile()
    await using played = await simulateChain()
    for (let block = 0; block < BLOCKS_BEFORE; block += 1) played.mineClaims()
    const file = join(folder, 'chains.json')
    await writeFile(file, played.file)
    const index = (...options: string[]) =>
      startProgram(process.execPath, [CLI, 'index', '--chains', file, ...options], {
        settings: { ENV_FILE: devNull, DATABASE_URL: facts.url, LOG_LEVEL: 'warn' },
      })
    try {
      const start = performance.now()
      const backFilling = index('--once')
      const [code] = await once(backFilling, 'exit')
      if (code !== 0) throw new Error(`the back-fill ended with code ${code}`)
      const tookMs = performance.now() - start
      const events = played.countEvents()
      yield {
        target: 'backFill',
        value: (events * 1000) / tookMs,
        note: `${events} logs of ${played.chain.blocks.length} blocks in ${seconds(tookMs)} s, with the start of the process and the reads at the end`,
      }

      const popular = await findPopular(facts.url)
      const paths = mixedPaths(popular, await findMostClaimed(facts.url), await findAny(facts.url, 5000))
      await using service = await startService(context, facts.url, CACHE_MEGABYTES)
      const follower = index()
      let megabytes = 0
      const watch = setInterval(() => {
        megabytes = Math.max(megabytes, residentMegabytes(follower.pid))
      }, POLL_INTERVAL_MS)
      try {
        await sleep(3000)
        const load = context.load({
          url: service.url,
          lanes: rotate(paths.map((path) => ({ path }))),
          seconds: FOLLOWED_SECONDS,
        })
        const { lags, failures } = await followBlocks(context, service.url, played)
        const { rate, p99 } = await load
        const sorted = lags.toSorted((one, other) => one - other)
        const note = `${lags.length} blocks, worst ${Math.round(sorted.at(-1) ?? 0)} ms, ${failures} answers 503; meanwhile ${Math.round(rate)} requests/s, p99 ${p99.toFixed(1)} ms`
        log(note)
        yield { target: 'median', value: percentile(sorted, 0.5), note }
        yield { target: 'p99', value: percentile(sorted, 0.99), note: '' }
        yield { target: 'memory', value: megabytes, note: '' }
      } finally {
        clearInterval(watch)
        await endProcess(follower)
      }
    } finally {
      await forget(facts.url, JSON.parse(played.file).chains[0].chainId)
    }
  },
}

/** Mines a block a second, and requests each with `minBlock` as soon as it exists. */
async function followBlocks(context: PartContext, url: string, played: Awaited<ReturnType<typeof simulateChain>>) {
  const chainId = JSON.parse(played.file).chains[0].chainId
  const lags: number[] = []
  const requests: Promise<void>[] = []
  let failures = 0
  for (let block = 0; block < FOLLOWED_SECONDS - 5; block += 1) {
    context.signal.throwIfAborted()
    const next = performance.now() + BLOCK_MS
    const mined = played.mineClaims()
    const requestOften = async () => {
      const start = performance.now()
      const response = await fetch(`${url}/campaigns/${mined.campaignId}?minBlock=${chainId}:${mined.block}`)
      await response.arrayBuffer()
      if (response.ok) lags.push(performance.now() - start)
      else failures += 1
    }
    requests.push(requestOften())
    await sleep(Math.max(0, next - performance.now()))
  }
  await Promise.all(requests)
  return { lags, failures }
}

/** Other parts find the facts as they were. */
async function forget(url: string, chainId: number) {
  const ingest = await openIngest(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('delete from followed_chains where chain_id = $1', [chainId])
    await ingest.apply({
      records: [],
      stored: [
        {
          of: 'withdrawnClaim',
          sql: `insert into withdrawn_claim (chain_id, tx_hash, log_index)
            select chain_id, tx_hash, log_index from claims where chain_id = ${chainId}`,
        },
        {
          of: 'withdrawnCampaign',
          sql: `insert into withdrawn_campaign select 0, id from campaigns where chain_id = ${chainId}`,
        },
      ],
    })
  } finally {
    await client.end()
    await ingest.close()
  }
}

const CAMPAIGNS = 200
const CLAIMS_A_BLOCK = 20

/** A node with a chain of its own, on which campaigns are claimed from, 20 claims a block. */
async function simulateChain() {
  const chain = new SimulatedChain(64)
  let claims = 0

  /** Adds a block of now. @returns what it has brought. */
  function mineClaims() {
    const operations = Array.from({ length: CLAIMS_A_BLOCK }, () => {
      claims += 1
      return { type: 'claim' as const, campaign: claims * 7, incentive: 0, claimant: claims % 5000, amount: 1 }
    })
    chain.mine(operations.map((operation) => [operation]))
    chain.head.timestamp = Math.floor(Date.now() / 1000)
    return { block: chain.head.number, campaignId: idOf((claims * 7) % CAMPAIGNS) }
  }

  for (let created = 0; created < CAMPAIGNS; created += 1) {
    chain.mine([
      [
        {
          ...{ type: 'create', salt: 0, setUp: true, named: true, action: 'event', list: 'deny', isReadable: true },
          incentives: ['variable'],
        },
      ],
    ])
  }
  const node = await startScriptedNode(chain)
  return {
    chain,
    mineClaims,
    /** As operators write it. */
    file: JSON.stringify({
      chains: [
        {
          chainId: simulatedChain.chainId,
          rpc: [node.url],
          cores: [...simulatedChain.cores],
          startBlock: chain.startBlock,
        },
      ],
    }),
    countEvents: () => chain.blocks.reduce((sum, { logs }) => sum + logs.length, 0),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}
