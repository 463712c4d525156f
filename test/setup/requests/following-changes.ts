import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Change } from '../../../src/schemas/changes.ts'
import type { Random } from '../data/random-records.ts'

/*
 * Consumers of `/changes` that are cut off again and again, and go on at any process.
 */

/** Campaigns by ID, claims as texts that begin with what identifies them. */
interface Content {
  campaigns: string[]
  claims: string[]
}

const nothing: Content = { campaigns: [], claims: [] }

/** A copy that is made of changes alone; it refuses what does not fit. */
function createCopy(start: Content) {
  const campaigns = new Set(start.campaigns)
  const claims = new Map(
    start.claims.map((claim) => [claim.split(' ', 2).join(' '), claim.split(' ').slice(2).join(' ')]),
  )
  const seen = new Set<string>()
  const keyOf = ({ txHash, logIndex }: NonNullable<Change['claim']>) => `${txHash} ${logIndex}`
  return {
    content: () => ({ campaigns: [...campaigns].sort(), claims: [...claims].map((claim) => claim.join(' ')).sort() }),
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

/** What such a copy must have in the end. */
export async function storedCopy(database: {
  query: (sql: string) => Promise<Record<string, unknown>[]>
}): Promise<Content> {
  const claims = await database.query(
    `select '0x' || encode(claims.tx_hash, 'hex') || ' ' || log_index || ' ' || id || ' ' || claimant || ' ' || amount as text
    from claims join campaigns on campaigns.key = campaign_key`,
  )
  const campaigns = await database.query('select id from campaigns')
  return {
    campaigns: campaigns.map(({ id }) => String(id)).sort(),
    claims: claims.map(({ text }) => String(text)).sort(),
  }
}

interface Following {
  way: 'stream' | 'polling'
  /** The processes that may be asked; one that is away is asked again later. */
  bases: readonly string[]
  /** The cursor of the last change, once it is known. */
  end: () => string | undefined
  random: Random
}

/** Follows until the last change; each connection ends after a few changes. */
export async function followChanges({ way, bases, end, random }: Following, after: string, start = nothing) {
  const copy = createCopy(start)
  let cursor = after
  while (cursor !== end()) {
    const base = random.pick(bases)
    const few = random.integer(1, 60)
    const changes = await (way === 'polling' ? poll(base, cursor, few) : readSome(base, cursor, few))
    for (const change of changes ?? []) copy.apply(change)
    cursor = changes?.at(-1)?.cursor ?? cursor
    if (changes === undefined) await sleep(20)
  }
  return copy
}

/** The cursor of the newest change after another one. */
export async function newestChange(base: string, after: string) {
  let newest = after
  for (let count = -1; count !== 0; ) {
    const changes = await poll(base, newest, 1000)
    newest = changes?.at(-1)?.cursor ?? newest
    count = changes?.length ?? -1
  }
  return newest
}

/** Undefined where the process, or its database, is away. */
async function poll(base: string, cursor: string, count: number) {
  const url = `${base}/changes?after=${cursor}&pageSize=${count}&wait=1`
  const response = await fetch(url).catch(() => undefined)
  if (response === undefined || response.status === 503) return undefined
  const text = await response.text().catch(() => undefined)
  if (text === undefined) return undefined
  expect(response.status, text).toBe(200)
  return (JSON.parse(text) as { changes: Change[] }).changes
}

/** Some events of a stream, which is then cut in the middle of whatever it sends; undefined where there was none. */
async function readSome(base: string, cursor: string, count: number) {
  const changes: Change[] = []
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), 1000)
  try {
    const headers = { accept: 'text/event-stream', 'last-event-id': cursor }
    const response = await fetch(`${base}/changes`, { headers, signal: abort.signal })
    if (response.status === 503) return undefined
    expect(response.status).toBe(200)
    let rest = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = `${rest}${chunk}`.split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1]
        if (data !== undefined && changes.length < count) changes.push(JSON.parse(data))
      }
      if (changes.length >= count) break
    }
  } catch (error) {
    // A process that was killed; what came before its end counts.
    if (!(abort.signal.aborted || error instanceof TypeError)) throw error
    if (!abort.signal.aborted && changes.length === 0) return undefined
  } finally {
    clearTimeout(timer)
    abort.abort()
  }
  return changes
}
