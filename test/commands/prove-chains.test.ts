import { expect, test } from 'vitest'
import { openIndexed } from '../indexer/indexed.ts'
import { isClaim, leaveOut } from '../indexer/proof/proven-chain.ts'
import { playedRecording } from '../indexer/recording/played-recording.ts'
import { recordedCampaigns, recordedClaims } from '../indexer/recording/recorded-facts.ts'
import { recording } from '../indexer/recording/recording.ts'
import { startScriptedNode } from '../indexer/simulation/scripted-node.ts'
import { createTestDatabase } from '../setup/database.ts'
import { runCli } from '../setup/servers/processes.ts'
import { aChainFile, chainEntry, entriesOf } from './indexing.ts'

const END = recording.blocks.at(-1)?.number ?? 0
const lastClaim = recordedClaims.toSorted((one, other) => one.blockNumber - other.blockNumber).at(-1)

test('index --prove tells each difference, ends with 1, and mends what it can; --once compares as well', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(playedRecording(END))
  const settings = { DATABASE_URL: database.url }
  const prove = (file: string, ...options: string[]) =>
    runCli(['index', '--chains', file, '--prove', ...options], settings)
  await using chains = await aChainFile(chainEntry([node.url]))
  const early = await prove(chains.file)
  expect(early).toMatchObject({
    code: 1,
    stderr: 'chain 8453: nothing final of it is stored yet, so run `index` first\n',
  })
  const giveBack = leaveOut(node, (log) => isClaim(log) && log.blockNumber === lastClaim?.blockNumber)
  const indexed = await runCli(['index', '--chains', chains.file, '--once'], settings)
  expect(indexed).toMatchObject({ code: 0, stderr: '' })
  expect(entriesOf(indexed.stdout).map(({ msg }) => msg)).toContain(
    'counters of contracts differ from what is stored; `index --prove` lists them',
  )
  const told = await prove(chains.file, '--json')
  expect(told).toMatchObject({ code: 1, stderr: '' })
  expect(entriesOf(told.stdout)).toMatchObject([
    {
      ...{ chainId: 8453, contract: expect.any(String), campaignId: lastClaim?.campaignId },
      ...{ incentiveIndex: lastClaim?.incentiveIndex, counter: 'claims', block: String(END) },
    },
  ])
  const text = await prove(chains.file)
  expect(text.stdout.split('\n')[0]).toMatch(
    /^chain 8453, contract 0x.* \(incentive [0-9] of campaign 8453:0x.*\): claims\(\) is [0-9]+, stored is [0-9]+, at block [0-9]+$/,
  )
  // Beside a process that follows the chain it only tells.
  giveBack()
  const following = await openIndexed(database.url, node.url)
  expect(await prove(chains.file)).toMatchObject({ code: 1, stdout: text.stdout, stderr: '' })
  await following[Symbol.asyncDispose]()
  const mended = await prove(chains.file)
  expect(mended).toMatchObject({ code: 0, stderr: '' })
  expect(mended.stdout).toBe(
    `chain 8453: ${recordedCampaigns.length} campaigns and ${recordedClaims.length} claims agree with the contracts at block ${END}; 0 counters differ\n`,
  )
  expect(await prove(chains.file, '--json')).toMatchObject({ code: 0, stdout: '', stderr: '' })
  expect(await database.query('select count(*)::integer from claims')).toEqual([{ count: recordedClaims.length }])
})

test.each([true, false])(
  '--once reads all of what was added to the chain file, and compares it (prove: %s)',
  async (prove) => {
    await using database = await createTestDatabase()
    await using node = await startScriptedNode(playedRecording(END))
    const settings = { DATABASE_URL: database.url }
    const idle = `0x${'1d'.repeat(20)}`
    const { cores } = recording
    for (const more of [{ cores: [idle] }, { cores: [idle, ...cores] }]) {
      await using chains = await aChainFile({ ...chainEntry([node.url]), ...more, prove })
      const { code, stderr } = await runCli(['index', '--chains', chains.file, '--once'], settings)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    }
    expect(
      await database.query(
        `select joining, proven_campaigns::integer as campaigns, proven_claims::integer as claims,
        (select count(*)::integer from claims) as stored from followed_chains`,
      ),
    ).toEqual([
      {
        ...{ joining: null, stored: recordedClaims.length },
        campaigns: prove ? recordedCampaigns.length : null,
        claims: prove ? recordedClaims.length : null,
      },
    ])
  },
)

test('a chain that cannot be compared does not keep the others of the file from it', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(playedRecording(END))
  const settings = { DATABASE_URL: database.url }
  await using chains = await aChainFile(chainEntry([node.url], { chainId: 10 }), chainEntry([node.url]))
  await using followed = await aChainFile(chainEntry([node.url]))
  expect(await runCli(['index', '--chains', followed.file, '--once'], settings)).toMatchObject({ code: 0 })
  const { code, stdout, stderr } = await runCli(['index', '--chains', chains.file, '--prove'], settings)
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'chain 10: nothing final of it is stored yet, so run `index` first\n',
  })
  expect(stdout).toMatch(/^chain 8453: .* 0 counters differ\n$/)
  // Nor does one that is not followed from there on.
  const [from] = await database.query('select start_block::integer as block from followed_chains where chain_id = 8453')
  const later = { startBlock: Number(from?.block) + 1 }
  await using refused = await aChainFile(chainEntry([node.url], later), chainEntry([node.url], { chainId: 84532 }))
  const { stderr: faults, code: refusal } = await runCli(['index', '--chains', refused.file, '--prove'], settings)
  expect(faults).toMatch(
    /^chain 8453 has been followed from block [^\n]+\nchain 84532: nothing final of it is stored yet/,
  )
  expect(refusal).toBe(1)
})

test('a chain whose contracts cannot be read is told', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(playedRecording(END))
  await using chains = await aChainFile({ ...chainEntry([node.url]), prove: false })
  const settings = { DATABASE_URL: database.url }
  expect(await runCli(['index', '--chains', chains.file, '--once'], settings)).toMatchObject({ code: 0 })
  expect(await database.query('select proven_block from followed_chains')).toEqual([{ proven_block: null }])
  node.chain.keptStates = -1
  const { code, stderr } = await runCli(['index', '--chains', chains.file, '--prove'], settings)
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^chain 8453: .*does not keep history this old/),
  })
})
