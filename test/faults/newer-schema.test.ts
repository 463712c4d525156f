import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign } from '../setup/records.ts'
import { runCli, startCli } from '../setup/servers/processes.ts'
import { ask } from './setup/readers.ts'

test('a schema that a newer version has migrated does not matter to serve, import and migrate, so one can go back', async () => {
  await using database = await createTestDatabase()
  const settings = { DATABASE_URL: database.url }
  await using service = startCli(['serve'], { ...settings, PORT: '0' })
  const url = await service.ready()
  await database.query('alter table campaigns add column of_the_next_version text')
  await database.query(
    `insert into drizzle.__drizzle_migrations (hash, created_at)
     select 'next', max(created_at) + 1 from drizzle.__drizzle_migrations`,
  )
  expect((await ask(url, '/readyz')).status).toBe(200)
  expect(await runCli(['migrate'], settings)).toMatchObject({
    code: 0,
    stdout: 'the schema is current; nothing to do\n',
  })
  expect(await runCli(['import', '-'], settings, JSON.stringify(aCampaign()))).toMatchObject({ code: 0 })
  await using another = startCli(['serve'], { ...settings, PORT: '0' })
  for (const one of [url, await another.ready()]) {
    expect(JSON.parse((await ask(one, '/campaigns')).body)).toMatchObject({ totalCampaigns: 1 })
  }
})
