import { expect, test } from 'vitest'
import { createChangeReader } from '../../../src/read-models/changes/read.ts'
import type { Change } from '../../../src/schemas/changes.ts'
import { startTestApp } from '../../setup/test-app.ts'
import { openIndexed } from '../indexed.ts'
import { Playing } from '../recording/played-recording.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

test('what an indexed chain brings, takes back and reads again is told in order, and adds up to the data', async () => {
  const chain = new Playing(2)
  await using node = await startScriptedNode(chain)
  await using api = await startTestApp()
  await using index = await openIndexed(api.database.url, node.url)
  const reader = createChangeReader(api.lanes.queries.database)
  let cursor = (await reader.read(undefined, 0))?.next
  const claims = new Set<string>()
  const campaigns = new Set<string>()

  /** What has changed since, after it was done to a copy. */
  async function follow() {
    const page = await reader.read(cursor, 1000)
    if (page === undefined) throw new Error('the history is lost')
    cursor = page.next
    for (const { kind, claim, campaignId } of page.changes) {
      const [stored, key] = claim ? [claims, `${claim.txHash} ${claim.logIndex}`] : [campaigns, String(campaignId)]
      if (kind.endsWith('.added')) {
        expect(stored.has(key), `${kind} ${key}`).toBe(false)
        stored.add(key)
      } else if (kind.endsWith('.removed')) expect(stored.delete(key), `${kind} ${key}`).toBe(true)
    }
    return page.changes
  }

  async function expectCopy() {
    const rows = await api.database.query(
      `select '0x' || encode(tx_hash, 'hex') || ' ' || log_index as key from claims`,
    )
    expect([...claims].sort()).toEqual(rows.map(({ key }) => key).sort())
    const ids = await api.database.query('select id from campaigns')
    expect([...campaigns].sort()).toEqual(ids.map(({ id }) => id).sort())
  }

  chain.mine(14)
  await index.settle()
  await follow()
  await expectCopy()
  expect(claims.size).toBeGreaterThan(0)

  const head = chain.head.number
  chain.withdraw(5)
  for (const again of [1, 2, 4]) chain.mine(again)
  await index.settle()
  const reorganised = await follow()
  expect(reorganised.filter(({ kind }) => kind === 'chain.reorganised')).toMatchObject([
    { fromBlock: String(head - 4), toBlock: String(head) },
  ])
  const ofCommit = reorganised.filter(({ at }) => at === reorganised[0]?.at).map(({ kind }) => kind)
  expect(ofCommit[0]).toBe('chain.reorganised')
  expect(ofCommit).toContain('claim.removed')
  await expectCopy()

  // Deeper than anything that is stored.
  await index.store.apply({ type: 'restart' })
  await index.settle()
  const changes: Change[] = await follow()
  expect(changes.filter(({ kind }) => kind === 'reset')).toMatchObject([{ chainId: 8453 }])
})
