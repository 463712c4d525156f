import { describe, expect, test } from 'vitest'
import { openIngest } from '../../src/ingest/batches.ts'
import { Playing, playedRecording } from '../indexer/recording/played-recording.ts'
import { recordedClaims } from '../indexer/recording/recorded-facts.ts'
import { recording } from '../indexer/recording/recording.ts'
import { startScriptedNode } from '../indexer/simulation/scripted-node.ts'
import { startScriptedSocket } from '../indexer/simulation/scripted-socket.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'
import { aChainFile, aFreePort, chainEntry, entriesOf } from './indexing.ts'

const END = recording.blocks.at(-1)?.number ?? 0
/** What stands in URLs and must not stand anywhere else. */
const KEY = 'k3y-0f-an-0perat0r'

const startIndex = (file: string, database: TestDatabase, settings: Record<string, string> = {}) =>
  startCli(['index', '--chains', file], { DATABASE_URL: database.url, ...settings })

/** Until a chain is stored up to a block. */
const stored = (database: TestDatabase, number: number, chainId = recording.chainId) =>
  waitFor(async () => {
    const rows = await database.query(
      'select from followed_chains where chain_id = $1 and as_of_block = $2 and not is_back_filling',
      [chainId, number],
    )
    return rows.length > 0 ? true : undefined
  })

const countClaims = async (database: TestDatabase) =>
  (await database.query('select count(*)::integer as count from claims'))[0]?.count

const messagesOf = (stdout: string) => entriesOf(stdout).map(({ msg }) => msg)

describe('a chain that is followed', () => {
  test('is written by one of two processes; when that is killed the other goes on, and each claim is there once', async () => {
    await using database = await createTestDatabase()
    const chain = new Playing(10)
    chain.mine(1)
    await using node = await startScriptedNode(chain)
    await using chains = await aChainFile(chainEntry([node.url]))
    await using one = startIndex(chains.file, database)
    await stored(database, chain.head.number)
    await using other = startIndex(chains.file, database)
    await other.said(/(chain is locked by another process)/)
    chain.mine(2)
    await stored(database, chain.head.number)
    expect(messagesOf(other.stdout)).toEqual(['chain configured', 'chain is locked by another process, waiting'])
    one.child.kill('SIGKILL')
    await other.said(/(chain locked by this process)/)
    chain.mine(recording.blocks.length)
    await stored(database, chain.head.number)
    expect(await countClaims(database)).toBe(recordedClaims.length)
    other.child.kill('SIGTERM')
    expect(await other.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
  })

  test('has its old changes dropped by the process that follows it', async () => {
    await using database = await createTestDatabase()
    const chain = new Playing(10)
    await using node = await startScriptedNode(chain)
    await using chains = await aChainFile(chainEntry([node.url]))
    const ingest = await openIngest(database.url)
    for (const chainId of [1, 10, 100]) await ingest.apply({ records: [], chainEvent: { chainId, kind: 'reset' } })
    await ingest.close()
    const [newest] = await database.query('select max(revision) as revision from changes')
    const aged = await database.query(`update changes set at = at - interval '1 day' returning revision`)
    expect(aged.length).toBeGreaterThan(2)
    await using _index = startIndex(chains.file, database, { CHANGES_KEEP_HOURS: '12' })
    await waitFor(async () => {
      const old = await database.query('select from changes where revision < $1', [newest?.revision])
      return old.length === 0 ? true : undefined
    })
  })

  test('is left within a second after SIGTERM, with code 0, also while its node never answers', async () => {
    await using database = await createTestDatabase()
    const chain = new Playing(10)
    await using node = await startScriptedNode(chain)
    await using chains = await aChainFile(chainEntry([node.url]))
    await using index = startIndex(chains.file, database)
    await stored(database, chain.head.number)
    const asked = node.asked.length
    node.interfere = () => true
    await waitFor(() => (node.asked.length > asked ? true : undefined))
    const start = performance.now()
    index.child.kill('SIGTERM')
    expect(await index.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(performance.now() - start).toBeLessThan(1000)
  })

  test('goes on after its connection to the database was cut, which is said once', async () => {
    await using database = await createTestDatabase()
    const chain = new Playing(10)
    await using node = await startScriptedNode(chain)
    await using chains = await aChainFile(chainEntry([node.url]))
    await using index = startIndex(chains.file, database)
    await stored(database, chain.head.number)
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'reward-campaigns index' and datname = current_database()`,
    )
    chain.mine(2)
    await stored(database, chain.head.number)
    await index.said(/(chain recovered)/)
    index.child.kill('SIGTERM')
    const { stdout, stderr } = await index.ended
    expect(stderr).toBe('')
    expect(messagesOf(stdout).filter((message) => message === 'storing the chain failed, retrying')).toHaveLength(1)
  })

  test('is not held up by another one, whose endpoints fail; no URL is in the log or in the metrics', async () => {
    await using database = await createTestDatabase()
    const chain = new Playing(10)
    await using node = await startScriptedNode(chain)
    await using wrong = await startScriptedNode(playedRecording(END - 20))
    const faults = ['cut', 'garbage', 'status', 'rate', 'error'] as const
    let next = 0
    await using faulty = await startScriptedNode({ ...playedRecording(END - 20), chainId: 10 })
    faulty.interfere = (requests, response, send) => {
      const fault = faults[next++ % faults.length]
      if (fault === 'cut') response.destroy()
      if (fault === 'garbage') send(`no JSON of ${KEY}`)
      if (fault === 'status' || fault === 'rate') {
        response.statusCode = fault === 'rate' ? 429 : 500
        // Longer than anybody waits for an endpoint.
        if (fault === 'rate') response.setHeader('retry-after', '600')
        send(`${KEY} is not welcome`)
      }
      const error = { code: -32000, message: `the key ${KEY} is not welcome` }
      if (fault === 'error') send(requests.map(({ id }) => ({ jsonrpc: '2.0', id, error })))
      return true
    }
    await using socket = await startScriptedSocket(recording.chainId)
    const withKey = (url: string) => `${url.replace('//', `//user:${KEY}@`)}${KEY}?key=${KEY}`
    await using chains = await aChainFile(
      chainEntry([withKey(wrong.url), withKey(node.url), withKey(socket.url)]),
      chainEntry([withKey(faulty.url), withKey(wrong.url), withKey(socket.url)], { chainId: 10 }),
    )
    const port = await aFreePort()
    await using index = startIndex(chains.file, database, { METRICS_PORT: String(port), LOG_LEVEL: 'trace' })
    // The wrong node is first, and is of chain 8453 as well: only the other chain refuses it.
    await waitFor(() => (messagesOf(index.stdout).includes('reading the chain failed, retrying') ? true : undefined))
    await stored(database, END)
    await waitFor(() => socket.subscribed.size === 1 || undefined)
    const figures = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    index.child.kill('SIGTERM')
    const { code, stdout, stderr } = await index.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const rows = JSON.stringify(await database.query('select * from followed_chains'))
    for (const text of [stdout, figures, rows]) expect(text).not.toContain(KEY)
    const hosts = [wrong.url, node.url, faulty.url, socket.url].map((url) => new URL(url).host)
    // Hosts are named where operators look for them, and nowhere else.
    const withoutInfo = figures.replaceAll(/^reward_campaigns_chain_rpc_endpoint_info.*$/gm, '')
    for (const host of hosts) {
      expect(stdout).not.toContain(host)
      expect(withoutInfo).not.toContain(host)
      expect(rows.replaceAll(/"host":"[^"]*"/g, '')).not.toContain(host)
    }
    const troubles = entriesOf(stdout).filter(({ msg }) => msg === 'reading the chain failed, retrying')
    expect(troubles).toEqual([
      expect.objectContaining({
        level: 40,
        chain: 10,
        reason: expect.stringMatching(/^endpoint 1 .*; endpoint 2 is not of chain 10$/),
      }),
    ])
    const figure = (name: string) => figures.split('\n').find((line) => line.startsWith(name))
    expect(figure('reward_campaigns_chain_as_of_block{chain_id="8453"}')).toBe(
      `reward_campaigns_chain_as_of_block{chain_id="8453"} ${END}`,
    )
    expect(figure('reward_campaigns_chain_head_block{chain_id="8453"}')).toMatch(new RegExp(` ${END}$`))
    expect(figure('reward_campaigns_chain_claims_written_total{chain_id="8453"}')).toMatch(
      new RegExp(` ${recordedClaims.length}$`),
    )
    for (const name of [
      'reward_campaigns_chain_reorgs_total',
      'reward_campaigns_chain_reorg_depth_blocks_count',
      'reward_campaigns_chain_unknown_components',
    ])
      expect(figure(`${name}{chain_id="8453"}`), 'so that the first one is an increase').toMatch(/ 0$/)
    expect(figure('reward_campaigns_chain_rpc_errors_total{chain_id="10",endpoint="2",fault="wrong-chain"}')).toMatch(
      / [1-9]/,
    )
    expect(figure('reward_campaigns_chain_rpc_requests_total{chain_id="8453",endpoint="1"}')).toMatch(/ [1-9]/)
    expect(figure('reward_campaigns_chain_rpc_requests_total{chain_id="8453",endpoint="3"}')).toMatch(/ 1$/)
    expect(figure('reward_campaigns_chain_rpc_errors_total{chain_id="10",endpoint="3",fault="wrong-chain"}')).toMatch(
      / 1$/,
    )
    const ofEndpoint = (name: string, position: number, rest = '') =>
      figure(`reward_campaigns_chain_rpc_${name}{chain_id="8453",endpoint="${position}"${rest}}`)
    expect(hosts.slice(0, 2).map((host, index) => ofEndpoint('endpoint_info', index + 1, `,host="${host}"`))).toEqual([
      expect.stringMatching(/ 1$/),
      expect.stringMatching(/ 1$/),
    ])
    expect(ofEndpoint('last_response_timestamp_seconds', 1)).toMatch(/ 1[0-9]{9}(\.[0-9]+)?$/)
    expect(figures).not.toMatch(/last_response_timestamp_seconds\{chain_id="10"/)
    expect(ofEndpoint('paused_seconds_total', 2)).toMatch(/ 0$/)
    expect(figure('reward_campaigns_chain_rpc_paused_seconds_total{chain_id="10",endpoint="1"}')).toMatch(/ [1-9]/)
    expect(figure('process_resident_memory_bytes')).toBeDefined()
  })

  test('says how deep a reorganisation was, in the log and in the metrics', async () => {
    await using database = await createTestDatabase()
    const chain = new Playing(10)
    chain.mine(1)
    chain.mine(1)
    await using node = await startScriptedNode(chain)
    await using chains = await aChainFile(chainEntry([node.url]))
    const port = await aFreePort()
    await using index = startIndex(chains.file, database, { METRICS_PORT: String(port) })
    await stored(database, chain.head.number)
    chain.withdraw(1)
    chain.mine(1)
    chain.mine(1)
    await stored(database, chain.head.number)
    await index.said(/("depth":1,)/)
    const figures = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(figures).toContain('reward_campaigns_chain_reorgs_total{chain_id="8453"} 1\n')
    expect(figures).toContain('reward_campaigns_chain_reorg_depth_blocks_sum{chain_id="8453"} 1\n')
    expect(figures).toMatch(/reward_campaigns_chain_lag_seconds\{chain_id="8453"\} [0-9.]+\n/)
  })
})
