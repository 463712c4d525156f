import { generateSample } from 'reward-campaigns-sample-data'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ingest, openIngest } from '../../src/ingest/batches.ts'
import type { ClaimRecord } from '../../src/ingest/records.ts'
import type { Change } from '../../src/schemas/changes.ts'
import { createRandom } from '../setup/data/derived-columns.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { toClaimIdentity, toLowerCase } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

let database: TestDatabase
let ingest: Ingest
let apps: TestApp[]
let bases: string[]

beforeAll(async () => {
  database = await createTestDatabase()
  ingest = await openIngest(database.url)
  apps = [await startTestApp({}, database), await startTestApp({}, database)]
  bases = await Promise.all(apps.map(({ app }) => app.listen({ port: 0, host: '127.0.0.1' })))
})

afterAll(async () => {
  for (const app of apps) await app[Symbol.asyncDispose]()
  await ingest.close()
  await database[Symbol.asyncDispose]()
})

/** A copy that is made of changes alone; it refuses what does not fit. */
function createCopy() {
  const campaigns = new Set<string>()
  const claims = new Map<string, string>()
  const seen = new Set<string>()
  const keyOf = ({ txHash, logIndex }: NonNullable<Change['claim']>) => `${txHash} ${logIndex}`
  return {
    campaigns,
    claims,
    apply(change: Change) {
      expect(seen.has(change.cursor)).toBe(false)
      seen.add(change.cursor)
      const { kind, campaignId = '', claim } = change
      if (kind === 'campaign.added') expect(campaigns.has(campaignId)).toBe(!campaigns.add(campaignId))
      if (kind === 'campaign.changed') expect(campaigns.has(campaignId)).toBe(true)
      if (kind === 'campaign.removed') expect(campaigns.delete(campaignId)).toBe(true)
      if (claim === undefined) return
      const text = `${claim.campaignId} ${claim.claimant} ${claim.amount}`
      if (kind === 'claim.added') expect(claims.has(keyOf(claim))).toBe(false)
      if (kind === 'claim.added') claims.set(keyOf(claim), text)
      else expect([claims.get(keyOf(claim)), claims.delete(keyOf(claim))]).toEqual([text, true])
    },
  }
}

/** Follows until `isOver` and nothing is left; each connection ends after a few changes, on either process. */
async function follow(after: string, way: 'stream' | 'polling', isOver: () => boolean, random: () => number) {
  const copy = createCopy()
  let cursor = after
  for (let quiet = 0; quiet < 3; ) {
    const wasOver = isOver()
    const base = bases[Math.floor(random() * bases.length)]
    const few = 1 + Math.floor(random() * 60)
    const changes =
      way === 'polling'
        ? await poll(`${base}/changes?after=${cursor}&pageSize=${few}&wait=1`)
        : await readSome(`${base}/changes`, cursor, few)
    for (const change of changes) copy.apply(change)
    cursor = changes.at(-1)?.cursor ?? cursor
    quiet = wasOver && changes.length === 0 ? quiet + 1 : 0
  }
  return copy
}

async function poll(url: string) {
  const response = await fetch(url)
  return ((await response.json()) as { changes: Change[] }).changes
}

/** Some events of a stream, which is then cut in the middle of whatever it sends. */
async function readSome(url: string, cursor: string, count: number) {
  const changes: Change[] = []
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), 1000)
  try {
    const headers = { accept: 'text/event-stream', 'last-event-id': cursor }
    const { body } = await fetch(url, { headers, signal: abort.signal })
    let rest = ''
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = `${rest}${chunk}`.split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1]
        if (data !== undefined && changes.length < count) changes.push(JSON.parse(data))
      }
      if (changes.length >= count) break
    }
  } catch (error) {
    if (!abort.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
    abort.abort()
  }
  return changes
}

test('who is cut off at random and goes on at either process ends with the data, each change once, by streams and by polling', async () => {
  const random = createRandom(7)
  let isOver = false
  const { nextCursor } = (await apps[0]?.get('/changes'))?.json() ?? {}
  const following = (['stream', 'polling', 'stream', 'polling'] as const).map((way, index) =>
    follow(nextCursor, way, () => isOver, createRandom(index + 1)),
  )
  const claims: ClaimRecord[] = []
  for (let batch = 0; batch < 10; batch += 1) {
    const records = [...generateSample({ campaigns: 10, claims: 40, seed: batch, now: new Date() })]
    const replaced = claims.filter(() => random() < 0.1).map((claim) => ({ ...claim, amount: `${claim.amount}1` }))
    const isReplaced = new Set(replaced.map(({ txHash, logIndex }) => `${txHash} ${logIndex}`))
    const withdrawn = claims.filter((claim) => !isReplaced.has(`${claim.txHash} ${claim.logIndex}`) && random() < 0.1)
    await ingest.apply({
      records: toLowerCase([...records, ...replaced]),
      revertedClaims: withdrawn.map(toClaimIdentity),
    })
    claims.push(...toLowerCase(records).filter((record) => record.type === 'claim'))
  }
  isOver = true
  const stored = await database.query(
    `select '0x' || encode(claims.tx_hash, 'hex') || ' ' || log_index as key, id || ' ' || claimant || ' ' || amount as text
    from claims join campaigns on campaigns.key = campaign_key`,
  )
  const ids = (await database.query('select id from campaigns')).map(({ id }) => id)
  expect(stored.length).toBeGreaterThan(150)
  for (const copy of await Promise.all(following)) {
    expect([...copy.claims].sort()).toEqual(stored.map(({ key, text }) => [key, text]).sort())
    expect([...copy.campaigns].sort()).toEqual(ids.sort())
  }
})
