import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { contentOf } from '../../setup/data/stored-content.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { openIndexed } from '../indexed.ts'
import { Playing } from '../recording/played-recording.ts'
import { recordedCampaigns } from '../recording/recorded-facts.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

const refused = recordedCampaigns[0]?.record.id ?? ''

/** Has the database refuse a campaign from here on, as it does facts that are larger than its columns. */
const refuse = (database: TestDatabase) =>
  database.query(`alter table campaigns add constraint refused check (id <> '${refused}') not valid`)
const accept = (database: TestDatabase) => database.query('alter table campaigns drop constraint refused')

async function factsOf(database: TestDatabase) {
  const { followed_chains, followed_blocks, followed_campaigns, tokens, ...facts } = await contentOf(database)
  return facts
}

async function freshFactsOf(url: string) {
  await using database = await createTestDatabase()
  await using indexed = await openIndexed(database.url, url)
  await indexed.settle()
  return await factsOf(database)
}

const storedIds = async (database: TestDatabase) =>
  (await database.query('select id from campaigns')).map(({ id }) => String(id))

test.each([
  ['in a back-fill', 0],
  ['in new blocks', 1000],
])(
  'a campaign that the database refuses %s is left out, told and tried again; all others go on',
  async (_, finality) => {
    await using database = await createTestDatabase()
    const chain = new Playing(finality)
    // More than one range of a back-fill.
    for (let blocks = 0; blocks < 300; blocks += 1) chain.mine(0)
    await using node = await startScriptedNode(chain)
    const reported: [string, string | undefined][] = []
    await using indexed = await openIndexed(database.url, node.url, {
      onSkipped: (...one) => reported.push(one),
      retryMs: 0,
    })
    if (finality > 0) await indexed.settle()
    await refuse(database)
    chain.mine(20)
    chain.mine(30)
    await indexed.settle()
    const others = await storedIds(database)
    expect(others.length).toBeGreaterThan(3)
    expect(others).not.toContain(refused)
    expect(reported).toEqual([[refused, expect.stringContaining('"refused"')]])
    expect(await database.query('select campaign_id, reason from left_out_campaigns')).toEqual([
      { campaign_id: refused, reason: expect.stringContaining('"refused"') },
    ])
    // Claims that come meanwhile wait for it, and those of withdrawn blocks do not.
    chain.mine(60)
    await indexed.settle()
    if (finality > 0) {
      chain.withdraw(1)
      chain.mine(0)
      chain.mine(60)
      await indexed.settle()
    }
    expect(await storedIds(database)).not.toContain(refused)
    await accept(database)
    chain.mine(0)
    await indexed.settle()
    expect(reported.slice(1)).toEqual([[refused, undefined]])
    expect(await factsOf(database)).toEqual(await freshFactsOf(node.url))
  },
)

test('a campaign that was stored before is shown as it was, and another process tries it again', async () => {
  await using database = await createTestDatabase()
  const chain = new Playing(10)
  await using node = await startScriptedNode(chain)
  chain.mine(3)
  {
    await using indexed = await openIndexed(database.url, node.url)
    await indexed.settle()
    await database.query(`alter table claims add constraint refused check (claimant is null) not valid`)
    chain.mine(2)
    await indexed.settle()
    const before = await database.query('select count(*)::integer as claims from claims')
    await database.query('alter table claims drop constraint refused')
    await sleep(10)
    chain.mine(0)
    await indexed.settle()
    // It is not a minute later.
    expect(await database.query('select count(*)::integer as claims from claims')).toEqual(before)
  }
  await using indexed = await openIndexed(database.url, node.url)
  chain.mine(0)
  await indexed.settle()
  expect(await factsOf(database)).toEqual(await freshFactsOf(node.url))
})
