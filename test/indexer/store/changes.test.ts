import { expect, test } from 'vitest'
import { createChangeReader } from '../../../src/read-models/changes/read.ts'
import type { Claim } from '../../../src/schemas/campaigns/claims.ts'
import type { Change } from '../../../src/schemas/changes.ts'
import { startTestApp } from '../../setup/test-app.ts'
import { openIndexed } from '../indexed.ts'
import { Playing } from '../recording/played-recording.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

test('what an indexed chain brings, takes back and reads again is told in order, and adds up to the data', async () => {
  const chain = new Playing(20)
  await using node = await startScriptedNode(chain)
  await using api = await startTestApp()
  await using index = await openIndexed(api.database.url, node.url)
  const reader = createChangeReader(api.lanes.queries.database)
  let cursor = (await reader.read(undefined, 0))?.next
  const claims = new Set<string>()
  const campaigns = new Set<string>()
  const finality = new Set<unknown>()

  /** What has changed since, after it was done to a copy. */
  async function follow() {
    const page = await reader.read(cursor, 1000)
    if (page === undefined) throw new Error('the history is lost')
    cursor = page.next
    await expectFinality(page.changes)
    for (const { kind, claim, campaignId } of page.changes) {
      const [copy, key] = claim ? [claims, `${claim.txHash} ${claim.logIndex}`] : [campaigns, String(campaignId)]
      if (kind.endsWith('.added')) {
        expect(copy.has(key), `${kind} ${key}`).toBe(false)
        copy.add(key)
      } else if (kind.endsWith('.removed')) expect(copy.delete(key), `${kind} ${key}`).toBe(true)
    }
    return page.changes
  }

  /** Of its commit: what is final stays so, and what is withdrawn never was. */
  async function expectFinality(changes: readonly Change[]) {
    const { claims: listed }: { claims: Claim[] } = (await api.get('/claims?pageSize=100')).json()
    for (const { kind, claim } of changes) {
      if (claim === undefined) continue
      expect(claim.isFinal, claim.txHash).toEqual(expect.any(Boolean))
      finality.add(claim.isFinal)
      if (kind === 'claim.removed') expect(claim.isFinal).toBe(false)
      const now = listed.find(({ txHash, logIndex }) => txHash === claim.txHash && logIndex === claim.logIndex)
      if (claim.isFinal === true) expect(now?.isFinal, claim.txHash).toBe(true)
    }
  }

  const stored = async () => ({
    claims: await api.database.query(`select '0x' || encode(tx_hash, 'hex') || ' ' || log_index as key from claims`),
    campaigns: await api.database.query('select id as key from campaigns'),
  })

  /** The copy has what the data has. */
  async function expectCopy() {
    for (const [kind, rows] of Object.entries(await stored())) {
      const copied = kind === 'claims' ? claims : campaigns
      expect([...copied].sort(), kind).toEqual(rows.map(({ key }) => key).sort())
    }
  }

  chain.mine(8)
  await index.settle()
  cursor = (await reader.read(undefined, 0))?.next
  for (const { key } of (await stored()).claims) claims.add(String(key))
  for (const { key } of (await stored()).campaigns) campaigns.add(String(key))

  for (const blocks of [1, 5, 8]) chain.mine(blocks)
  await index.settle()
  await follow()
  await expectCopy()
  expect(claims.size).toBeGreaterThan(0)

  const head = chain.head.number
  chain.withdraw(2)
  for (const blocks of [1, 2, 4]) chain.mine(blocks)
  await index.settle()
  const reorganised = await follow()
  expect(reorganised.filter(({ kind }) => kind === 'chain.reorganised')).toMatchObject([
    { fromBlock: String(head - 1), toBlock: String(head) },
  ])
  const ofCommit = reorganised.filter(({ at }) => at === reorganised[0]?.at).map(({ kind }) => kind)
  expect(ofCommit[0]).toBe('chain.reorganised')
  expect(ofCommit).toContain('claim.removed')
  await expectCopy()
  expect(finality).toContain(false)

  // Deeper than anything that is stored.
  await index.store.apply({ type: 'restart' })
  await index.settle()
  const changes: Change[] = await follow()
  expect(changes).toMatchObject([{ kind: 'reset', chainId: 8453 }])
})
