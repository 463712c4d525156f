import pg from 'pg'
import { expect, test } from 'vitest'
import { query, serverPid } from '../../packages/embedded-postgres/test/setup/servers.ts'
import { openEmbeddedDatabase } from '../../src/process/embedded-database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { aDataFolder } from '../setup/servers/data-folder.ts'
import { startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'

test('kill -9 in the middle of an import leaves nothing of it, and the next one works', async () => {
  await using data = await aDataFolder()
  const settings = { DATA_DIR: data.folder }
  const server = await openEmbeddedDatabase(data.folder)
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  const CLAIMS = 5000
  const claims = Array.from({ length: CLAIMS }, () => aClaim(campaign))
  const input = [aToken({ address: anAddress('asset') }), campaign, ...claims]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('')

  const holder = new pg.Client({ connectionString: server.url })
  await holder.connect()
  await using killed = startCli(['import', '-'], settings)
  try {
    // Campaigns are written before claims: so the import stops with half of its work done.
    await holder.query('begin; lock table claims in share row exclusive mode')
    killed.child.stdin.end(input)
    const importer = "application_name = 'reward-campaigns import'"
    await waitFor(async () => {
      const rows = await query(
        server.url,
        `select from pg_stat_activity where ${importer} and wait_event_type = 'Lock'`,
      )
      return rows.length > 0 ? true : undefined
    })
    killed.child.kill('SIGKILL')
    await killed.ended
    await holder.query('rollback')
    await waitFor(async () => {
      const rows = await query(server.url, `select from pg_stat_activity where ${importer}`)
      return rows.length === 0 ? true : undefined
    })
  } finally {
    await holder.end()
  }
  const counts = `select (select count(*) from tokens) as tokens, (select count(*) from campaigns) as campaigns,
    (select count(*) from incentives) as incentives, (select count(*) from claims) as claims`
  expect(await query(server.url, counts)).toEqual([{ tokens: '0', campaigns: '0', incentives: '0', claims: '0' }])

  await using next = startCli(['import', '-', '--json'], settings)
  next.child.stdin.end(input)
  expect(await next.ended).toMatchObject({ code: 0, signal: null })
  expect(next.stdout).toContain(`{"type":"claim","records":${CLAIMS}}`)
  expect(await query(server.url, counts)).toEqual([
    { tokens: '1', campaigns: '1', incentives: '1', claims: `${CLAIMS}` },
  ])
  await server.close()
  expect(await serverPid(data.folder)).toBe(undefined)
})
