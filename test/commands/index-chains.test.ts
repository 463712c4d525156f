import { expect, test } from 'vitest'
import { printIndexStatus } from '../../src/commands/services/index-status.ts'
import { readSettings } from '../../src/config.ts'
import { playedRecording } from '../indexer/recording/played-recording.ts'
import { recordedCampaigns, recordedClaims } from '../indexer/recording/recorded-facts.ts'
import { recording } from '../indexer/recording/recording.ts'
import { startScriptedNode } from '../indexer/simulation/scripted-node.ts'
import { createTestDatabase } from '../setup/database.ts'
import { aDataFolder } from '../setup/servers/data-folder.ts'
import { runInProcess } from '../setup/servers/in-process.ts'
import { runCli, startCli } from '../setup/servers/processes.ts'
import { aChainFile, chainEntry, entriesOf } from './indexing.ts'

const END = recording.blocks.at(-1)?.number ?? 0

test('index --once stores what there is and ends with code 0; --status says how far it came', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(playedRecording(END - 20))
  await using chains = await aChainFile(chainEntry([node.url]))
  const settings = { DATABASE_URL: database.url }
  const statusOf = (options = { json: false }) => runInProcess(() => printIndexStatus(readSettings(settings), options))
  expect(await runCli(['index', '--status'], settings)).toEqual({
    code: 0,
    signal: null,
    stdout: 'no chain is indexed\n',
    stderr: '',
  })
  const indexed = await runCli(['index', '--chains', chains.file, '--once'], settings)
  expect(indexed).toMatchObject({ code: 0, stderr: '' })
  expect(entriesOf(indexed.stdout).map(({ msg }) => msg)).toEqual([
    'chain configured',
    'chain locked by this process',
    'chain synced: newest block stored',
    'counters of contracts agree with what is stored',
  ])
  const [counts] = await database.query(
    `select (select count(*)::integer from campaigns) as campaigns, (select count(*)::integer from claims) as claims`,
  )
  expect(counts).toEqual({ campaigns: recordedCampaigns.length, claims: recordedClaims.length })
  // No token is whitelisted yet.
  const assetsOf = ({ record }: (typeof recordedCampaigns)[number]) =>
    new Set(record.incentives.flatMap((incentive) => ('asset' in incentive ? String(incentive.asset) : [])))
  const hidden = recordedCampaigns.map(assetsOf).filter(({ size }) => size > 0)
  const status = await statusOf()
  expect(status).toMatchObject({ code: 0, stderr: '' })
  expect(status.stdout.replace(/[0-9]+(?= +following)/, '#').split('\n')[1]).toMatch(
    new RegExp(
      `^8453 +${END} +${END} +${END - 20} +# +following +1\\.2\\.0 +0 +0 +0 +${hidden.length} +0 +${END - 20} +[0-9]+ +[0-9]+ +0 +0 +0$`,
    ),
  )
  await database.query("update followed_chains set looked_at = now() - interval '16 seconds'")
  await database.query(
    `insert into unknown_components values (8453, '8453:${recording.cores[0]}:0', 'incentive', '0x${'1'.repeat(40)}', 2)`,
  )
  await database.query(
    `insert into undecoded_logs select 8453, 1, index, '${recording.cores[0]}', '0x' || repeat(topic, 64)
    from unnest('{2,3,2}'::text[]) with ordinality as log (topic, index)`,
  )
  const leftOut = { campaignId: `8453:${recording.cores[0]}:1`, reason: 'numeric field overflow' }
  const trouble = 'endpoint 1 does not keep history this old'
  await database.query('update followed_chains set trouble = $1', [trouble])
  await database.query('insert into left_out_campaigns values ($1, 8453, $2)', [leftOut.campaignId, leftOut.reason])
  const { stdout: text } = await statusOf()
  expect(text).toContain('logs that do not decode (they count for nothing):')
  expect(text).toContain('skipped campaigns (the database rejects them):')
  expect(text).toMatch(new RegExp(`8453 +${leftOut.campaignId} +${leftOut.reason}`))
  expect(text).toMatch(new RegExp(`chains that could not be read:\n.*\n8453 +${trouble}\n`))
  expect(text).toMatch(
    new RegExp(
      `\nendpoints:\n.*\n8453 +1 +${new URL(node.url).host} +[0-9-]+T[0-9:.]+Z +[1-9][0-9]* +- +0 +- +- +- +-\n`,
    ),
  )
  const { stdout } = await runCli(['index', '--status', '--json'], settings)
  expect(stdout.split('\n')).toHaveLength(2)
  expect(JSON.parse(stdout)).toEqual({
    chainId: 8453,
    asOfBlock: String(END),
    headBlock: String(END),
    finalizedBlock: String(END - 20),
    lagSeconds: expect.any(Number),
    state: 'behind',
    contractVersion: '1.2.0',
    unknownComponentCount: 1,
    undecodedLogCount: 3,
    leftOutCampaignCount: 1,
    hiddenCampaignCount: hidden.length,
    unvaluedClaims24h: 0,
    provenBlock: String(END - 20),
    provenCampaigns: expect.any(Number),
    provenClaims: expect.any(Number),
    uncountedCampaigns: 0,
    uncountedClaims: 0,
    differences: 0,
    trouble,
    endpoints: [
      {
        ...{ endpoint: 1, host: new URL(node.url).host, errors: {}, limits: {}, requests: expect.any(Number) },
        ...{ lastResponseAt: expect.stringMatching(/^\d{4}-.*Z$/), lastErrorAt: null, lastError: null },
        ...{ pausedSeconds: 0, pausedUntil: null },
      },
    ],
    unknownComponents: [
      { kind: 'incentive', contract: `0x${'1'.repeat(40)}`, campaignId: `8453:${recording.cores[0]}:0`, position: 2 },
    ],
    leftOutCampaigns: [leftOut],
    undecodedLogs: [
      { contract: recording.cores[0], topic: `0x${'2'.repeat(64)}`, logCount: 2 },
      { contract: recording.cores[0], topic: `0x${'3'.repeat(64)}`, logCount: 1 },
    ],
    hidingTokens: expect.any(Array),
  })
  const { hidingTokens } = JSON.parse(stdout)
  const counted = hidingTokens.map(({ token, campaignCount }: { token: string; campaignCount: number }) => [
    ...[token, campaignCount],
  ])
  const tokens = new Set(hidden.flatMap((assets) => [...assets]))
  const due = [...tokens].map((token) => [token, hidden.filter((assets) => assets.has(token)).length])
  expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(due))
  expect(text).toContain('campaigns hidden by default pay these tokens')

  // An endpoint that fails, and one that is limited.
  const at = Date.now()
  await database.query('update followed_chains set endpoints = $1', [
    JSON.stringify([
      {
        ...{ position: 1, host: 'one.example', requests: 9, errors: { timeout: 2, status: 1 }, limits: {} },
        ...{ lastError: 'responded with status 503', lastErrorAt: 0, pausedMs: 60_400, pausedUntil: at + 60_000 },
      },
      {
        ...{ position: 2, host: 'two.example', requests: 5, errors: {}, lastResponseAt: 1000, pausedMs: 0 },
        ...{ pausedUntil: at - 1, limits: { blocks: 50, addresses: 3, needsAddresses: true } },
      },
    ]),
  ])
  const instant = new Date(at + 60_000).toISOString()
  const { stdout: failing } = await statusOf()
  const [, rows = ''] = failing.split('\nendpoints:\n')
  expect(
    rows
      .split('\n')
      .slice(1, 3)
      .map((row) => row.split(/ {2,}/)),
  ).toEqual([
    [
      ...['8453', '1', 'one.example', '-', '9', '2 timeout, 1 status', '60', instant, '-'],
      ...['1970-01-01T00:00:00.000Z', 'responded with status 503'],
    ],
    [
      ...['8453', '2', 'two.example', '1970-01-01T00:00:01.000Z', '5', '-', '0', '-'],
      ...['50 blocks, 3 addresses, needsAddresses', '-', '-'],
    ],
  ])

  // The next start takes the trusted tokens of the file, and there is nothing to hide any more.
  await using trusting = await aChainFile({ ...chainEntry([node.url]), trustedTokens: [...tokens] })
  expect(await runCli(['index', '--chains', trusting.file, '--once'], settings)).toMatchObject({ code: 0 })
  const after = await statusOf({ json: true })
  expect(JSON.parse(after.stdout)).toMatchObject({ hiddenCampaignCount: 0, hidingTokens: [], trouble: null })
})

test('index --once leaves it to the database to complete a long vacuum', async () => {
  await using database = await createTestDatabase()
  await database.query(
    "do $$ begin execute format('alter database %I set vacuum_cost_delay = 100', current_database()); end $$",
  )
  await database.query(
    "do $$ begin execute format('alter database %I set vacuum_cost_limit = 1', current_database()); end $$",
  )
  await using node = await startScriptedNode(playedRecording(END - 20))
  await using chains = await aChainFile(chainEntry([node.url]))
  const indexed = await runCli(['index', '--chains', chains.file, '--once'], { DATABASE_URL: database.url })
  expect(indexed).toMatchObject({ code: 0, stderr: '' })
  const vacuums = `select state from pg_stat_activity
    where datname = current_database() and application_name = 'reward-campaigns vacuum'`
  expect(await database.query(vacuums)).toEqual([{ state: 'active' }])
})

test('a database that follows a chain is not filled with sample data', async () => {
  await using data = await aDataFolder()
  await using node = await startScriptedNode(playedRecording(END - 20))
  await using chains = await aChainFile(chainEntry([node.url]))
  const settings = { DATA_DIR: data.folder, PORT: '0' }
  expect(await runCli(['index', '--chains', chains.file, '--once'], settings)).toMatchObject({ code: 0, stderr: '' })
  await using service = startCli(['serve'], settings)
  const response = await fetch(`${await service.ready()}/campaigns?tokenWhitelist=false&pageSize=0`)
  expect(await response.json()).toEqual({ campaigns: [], totalCampaigns: recordedCampaigns.length })
  service.child.kill('SIGTERM')
  await service.ended
})
