import { writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { openIngest } from '../../src/ingest/batches.ts'
import { playedRecording } from '../indexer/recording/played-recording.ts'
import { recording } from '../indexer/recording/recording.ts'
import { becomeFeed } from '../indexer/recording/stub-feed.ts'
import { startScriptedNode } from '../indexer/simulation/scripted-node.ts'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign } from '../setup/records.ts'
import { runCli } from '../setup/servers/processes.ts'

import { aChainFile, chainEntry } from './indexing.ts'

const MISPLACED =
  'error: one of --once, --prove and --check goes with --chains, and --json with --status, --prove or --check'
const END = recording.blocks.at(-1)?.number ?? 0

describe('index refuses, with code 1 and before anything is followed,', () => {
  test('a chain file with faults: each is told in a line, and no URL is', async () => {
    await using database = await createTestDatabase()
    await using chains = await aChainFile()
    const write = (url: string) =>
      writeFile(
        chains.file,
        `chains:\n  - chainId: 8453\n    rpc: ["ftp://node.example/secret-key", "${url}"]\n    cores: [0x12]\n    startBlock: -1\n`,
      )
    await write('$'.concat('{RPC_NONE}'))
    const index = () => runCli(['index', '--chains', chains.file], { DATABASE_URL: database.url })
    expect(await index()).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `${chains.file}:3: /: the environment has no variable "RPC_NONE", or an empty one\n`,
    })
    await write('https://second.example/secret-key')
    const { code, stdout, stderr } = await index()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.split('\n')).toHaveLength(4)
    expect(stderr).not.toMatch(/secret-key|node\.example/)
  })

  test('a file that is not there', async () => {
    const { code, stderr } = await runCli(['index', '--chains', '/no/such/file.yaml'], {})
    expect(code).toBe(1)
    expect(stderr).toMatch(/^the chain file cannot be read: .*\/no\/such\/file\.yaml'\n$/)
  })

  test('a file that is UTF-16; one with a byte order mark is read', async () => {
    await using chains = await aChainFile()
    const index = async (content: Buffer) => {
      await writeFile(chains.file, content)
      const { code, stderr } = await runCli(['index', '--chains', chains.file], {})
      expect(code).toBe(1)
      return stderr
    }
    const reason = 'it is UTF-16, and must be UTF-8'
    expect(await index(Buffer.from('\uFEFFchains:\n', 'utf16le'))).toBe(
      `the chain file ${chains.file} cannot be read: ${reason}\n`,
    )
    expect(await index(Buffer.from('\uFEFFchains: 1\n'))).toBe(`${chains.file}:1: /chains: must be an array\n`)
  })

  test.each([
    [[], 'error: index needs --chains FILE, or --status'],
    [['--chains', 'x', '--status'], 'error: index needs --chains FILE, or --status'],
    [['--status', '--once'], MISPLACED],
    [['--status', '--prove'], MISPLACED],
    [['--status', '--check'], MISPLACED],
    [['--chains', 'x', '--check', '--prove'], MISPLACED],
    [['--chains', 'x', '--once', '--prove'], MISPLACED],
    [['--chains', 'x', '--json'], MISPLACED],
  ])('options that do not go together: %j', async (options, sentence) => {
    const { code, stderr } = await runCli(['index', ...options], {})
    expect(code).toBe(1)
    expect(stderr.split('\n')[0]).toBe(sentence)
  })

  test('with --check a chain of which an endpoint fails; it needs no database', async () => {
    await using node = await startScriptedNode({ ...playedRecording(END), chainId: 10 })
    await using chains = await aChainFile(chainEntry([node.url]))
    const { code, stdout, stderr } = await runCli(['index', '--chains', chains.file, '--check', '--json'], {
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
    })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ state: 'failed', found: 'is of chain 10, not of chain 8453' })
    expect(node.asked.map(({ method }) => method)).toEqual(['eth_chainId'])
    // However many contracts are asked at the same time, Node.js warns of nothing.
    await using right = await startScriptedNode(playedRecording(END))
    const cores = Array.from({ length: 12 }, (_, index) => `0x${String(index + 10).repeat(20)}`)
    await using many = await aChainFile({ ...chainEntry([right.url]), cores })
    const { stdout: lines, stderr: warnings } = await runCli(['index', '--chains', many.file, '--check'], {})
    expect(lines.match(/does not respond as a core/g)).toHaveLength(12)
    expect(warnings).toBe('')
  })

  test('a chain of which campaigns were imported, and asks no node of any chain', async () => {
    await using database = await createTestDatabase()
    await using node = await startScriptedNode(playedRecording(END - 20))
    const ingest = await openIngest(database.url)
    await ingest.apply({ records: [aCampaign({ id: `8453:${recording.cores[0]}:7` })] })
    await ingest.close()
    await using chains = await aChainFile(chainEntry([node.url]), chainEntry([node.url], { chainId: 10 }))
    const { code, stderr } = await runCli(['index', '--chains', chains.file], { DATABASE_URL: database.url })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^chain 8453 cannot be followed: the database holds 1 imported campaigns and 0 .* SAMPLE_DATA=false\n$/,
    )
    expect(node.asked).toEqual([])
  })

  test('a feed whose price is in no dollars, and one that does not answer', async () => {
    await using database = await createTestDatabase()
    const [euro, silent] = [`0x${'e0'.repeat(20)}`, `0x${'0e'.repeat(20)}`] as const
    const responses = becomeFeed(euro, [silent], 'ETH / EUR')
    const played = playedRecording(END - 20)
    const callAt: typeof played.callAt = (block, to, data) =>
      (to === euro ? responses.find((response) => response.asked === data)?.result : undefined) ??
      played.callAt(block, to, data)
    await using node = await startScriptedNode({ ...played, callAt })
    const prices = [
      { token: `0x${'aa'.repeat(20)}`, feed: euro },
      { token: `0x${'bb'.repeat(20)}`, feed: silent },
    ]
    await using chains = await aChainFile({ ...chainEntry([node.url]), prices })
    const { code, stderr } = await runCli(['index', '--chains', chains.file], { DATABASE_URL: database.url })
    expect(code).toBe(1)
    expect(stderr).toBe(
      `chain 8453: the feed ${euro} is no price in USD: it describes itself as "ETH / EUR"
chain 8453: the feed ${silent} does not answer as a price feed
`,
    )
  })

  test('a chain that was followed from an earlier block on', async () => {
    await using database = await createTestDatabase()
    await using node = await startScriptedNode(playedRecording(END - 20))
    await using chains = await aChainFile(chainEntry([node.url]))
    await using others = await aChainFile(chainEntry([node.url], { startBlock: recording.startBlock + 1 }))
    const settings = { DATABASE_URL: database.url }
    expect(await runCli(['index', '--chains', chains.file, '--once'], settings)).toMatchObject({ code: 0 })
    const { code, stderr } = await runCli(['index', '--chains', others.file, '--once'], settings)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^chain 8453 has been followed from block 38400000 /)
  })
})
