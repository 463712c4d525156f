import { expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { openIndexed } from '../indexed.ts'
import { Playing } from '../recording/played-recording.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

/** How many stored campaigns have which maximum. */
const maxima = (database: TestDatabase) =>
  database.query(
    `select max_claims_per_claimant as max, count(*)::integer as campaigns from campaigns group by max order by max`,
  )

test('campaigns that an earlier version has stored are read again, once, for what it did not ask', async () => {
  await using database = await createTestDatabase()
  const chain = new Playing(10)
  await using node = await startScriptedNode(chain)
  chain.mine(40)
  {
    await using indexed = await openIndexed(database.url, node.url)
    await indexed.settle()
  }
  expect(await maxima(database)).toEqual([{ max: 'Infinity', campaigns: 10 }])
  await database.query(`update campaigns set max_claims_per_claimant = null`)
  await database.query(
    `update followed_campaigns set origin = (origin::jsonb - 'maxClaimsPerClaimant')::json
    where id <> (select min(id) from followed_campaigns)`,
  )
  await using indexed = await openIndexed(database.url, node.url)
  await indexed.settle()
  expect(await maxima(database), 'nothing new').toEqual([{ max: null, campaigns: 10 }])
  chain.mine(0)
  const steps = await indexed.settle()
  // The one that had been asked is not read again.
  expect(await maxima(database)).toEqual([
    { max: 'Infinity', campaigns: 9 },
    { max: null, campaigns: 1 },
  ])
  chain.mine(0)
  const later = await indexed.settle()
  const read = [steps, later].map((some) => some.flatMap((step) => (step.type === 'new-blocks' ? step.campaigns : [])))
  expect(read.map(({ length }) => length)).toEqual([9, 0])
})

test('of more incomplete campaigns than are read with one block, each has its turn, whether others stay so or not', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(new Playing(10))
  await openIndexed(database.url, node.url).then(({ store }) => store.close())
  await database.query(
    `insert into followed_campaigns (id, chain_id, contracts, origin)
    select '8453:0x' || number, 8453, '{}', '{"protocol": "boost-core"}' from generate_series(1, 50) number`,
  )
  await using index = await openIndexed(database.url, node.url)
  const looks: string[][] = []
  for (let look = 0; look < 3; look += 1) looks.push(await index.store.dueAgain())
  expect(Math.max(...looks.map(({ length }) => length))).toBeLessThan(25)
  expect(new Set(looks.flat()).size).toBe(50)
})

test('a component that an earlier version did not know is read again after the next start', async () => {
  await using database = await createTestDatabase()
  const chain = new Playing(10)
  await using node = await startScriptedNode(chain)
  chain.mine(40)
  {
    await using indexed = await openIndexed(database.url, node.url)
    await indexed.settle()
  }
  const [campaign] = await database.query('select id, origin from followed_campaigns order by id limit 1')
  const id = String(campaign?.id)
  await database.query(
    `update followed_campaigns
    set origin = jsonb_set(jsonb_set(origin::jsonb, '{incentives,0,fixed}', 'null'), '{actionDetails,steps}', 'null')::json
    where id = $1`,
    [id],
  )
  await database.query(
    `insert into unknown_components (chain_id, campaign_id, kind, contract, position)
    select 8453, $1, kind, '0x' || repeat('00', 20), position
    from (values ('incentive', 0), ('action', -1)) as component (kind, position)`,
    [id],
  )
  await using indexed = await openIndexed(database.url, node.url)
  chain.mine(0)
  await indexed.settle()
  expect(await database.query('select * from unknown_components')).toEqual([])
  expect(await database.query('select id, origin from followed_campaigns where id = $1', [id])).toEqual([campaign])
  chain.mine(0)
  const later = await indexed.settle()
  expect(later.flatMap((step) => (step.type === 'new-blocks' ? step.campaigns : []))).toEqual([])
})
