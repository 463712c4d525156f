import { setTimeout as sleep } from 'node:timers/promises'
import { openIngest } from '../../../src/ingest/batches.ts'
import { facetNames } from '../../../src/schemas/campaigns/campaign-facets.ts'
import { aPayload } from '../../../test/setup/data/payloads.ts'
import { BUSY_CLAIMS, withBusyClaimant } from '../../data/block-batches.ts'
import { findAny, findMostClaimed, findPopular, type Popular, queryFacts } from '../../data/popular-facts.ts'
import type { Finding } from '../../measuring/measure.ts'
import type { Part, PartContext } from '../../measuring/part.ts'
import { createSender, measureEach, type SendRequest, worstOf } from '../../measuring/single-queries.ts'
import { startService } from '../../service/service.ts'

const MAX_CAMPAIGNS = 50
const DEEP_PAGE = 1000
const PAGE_SIZE = 99
const MAX_SIGNED = 1000
const MAX_CLEANING_MS = 180_000

const limits = { unit: 'ms PostgreSQL CPU', rule: 'at most', limit: 10 } as const
const many = BUSY_CLAIMS.toLocaleString('en-US')

/** Requests about one address, and claims; no response is cached. */
export const people: Part = {
  limitMinutes: 8,
  targets: {
    claims: { what: 'claims: newest of all, of an address, of campaigns, with totals', ...limits },
    deep: { what: `page ${DEEP_PAGE} of the ${many} claims of an address`, ...limits, limit: 3 },
    eligibility: { what: `eligibility for ${MAX_CAMPAIGNS} campaigns`, ...limits },
    rewards: { what: `rewards of an address with ${many} claims`, ...limits },
    signed: {
      what: `rewards of an address that can claim ${MAX_SIGNED.toLocaleString('en-US')} times, all pages added up`,
      ...limits,
      limit: 15,
    },
    explain: { what: 'explain, more than the same list or trending without it', ...limits, limit: 2 },
    facets: { what: `all ${facetNames.length} facets of campaigns that nobody has asked for`, ...limits, limit: 15 },
  },
  async *measure(context) {
    const { facts } = context
    const popular = await findPopular(facts.url)
    const [max, any] = [await findMostClaimed(facts.url), await findAny(facts.url, 1000)]
    const ingest = await openIngest(facts.url)
    const found: Finding[] = []
    try {
      await withBusyClaimant(ingest, any, {}, async (busy) => {
        await queryFacts(facts.url, 'vacuum (analyze) claims')
        // As the service does when it starts, by the time since it last ran.
        await queryFacts(facts.url, 'select advance_claim_windows()')
        await using _paused = await pauseAutovacuum(context)
        await using service = await startService(context, facts.url, 0)
        const ask = createSender(context, service)
        const measure = (paths: Record<string, string>, turns = 9) =>
          measureEach(
            ask,
            Object.entries(paths).map(([name, path]) => ({ name, path })),
            ({ path }) => path,
            { turns },
          )
        const asked = [...max, ...any].slice(0, MAX_CAMPAIGNS)
        const claims = `/claims?pageSize=${PAGE_SIZE}`
        const pages = {
          newest: claims,
          'of a busy address': `${claims}&claimant=${busy}`,
          'of an address': `${claims}&claimant=${popular.claimant}`,
          'of the most claimed campaign': `${claims}&campaignId=${max[0]}`,
          'of 50 campaigns': `${claims}&campaignId=${asked}`,
          'of a busy address on 50 campaigns': `${claims}&claimant=${busy}&campaignId=${asked}`,
        }
        found.push({ target: 'claims', ...worstOf(await measure(pages)) })
        const cursor = await findCursor(service.url + pages['of a busy address'], DEEP_PAGE)
        const deep = { 'after the cursor': `${pages['of a busy address']}&cursor=${cursor}` }
        const place = await whereClaimsLie(facts.url, busy)
        const withPlace = ({ value, note }: Omit<Finding, 'target'>) => ({ value, note: `${note}; ${place}` })
        found.push({ target: 'deep', ...withPlace(worstOf(await measure(deep))) })
        const eligibility = (user: string) => `/eligibility?user=${user}&campaignId=${asked}`
        const users = { 'a busy address': eligibility(busy), 'an address': eligibility(popular.claimant) }
        found.push({ target: 'eligibility', ...worstOf(await measure(users)) })
        const rewards = {
          'first page': `/users/${busy}/rewards`,
          claimed: `/users/${busy}/rewards?state=claimed`,
          claimable: `/users/${busy}/rewards?state=claimable`,
          'of another address': `/users/${popular.claimant}/rewards`,
        }
        found.push({ target: 'rewards', ...withPlace(worstOf(await measure(rewards))) })
        const signed = await signFor(ingest, facts.url, any)
        const entries = {
          'first page': `/users/${signed}/rewards`,
          'with transactions': `/users/${signed}/rewards?claimTransactions=true`,
        }
        found.push({ target: 'signed', ...worstOf(await measure(entries)) })
        const lists = [`/campaigns?owner=${popular.owner}`, `/reward-kit/trending?chainId=${popular.chainId}`]
        const explained: { name: string; ms: number }[] = []
        for (const list of lists) {
          const [plain, more] = await measure({ plain: list, more: `${list}&explain=${any[0]}` })
          explained.push({ name: list, ms: (more?.ms ?? Number.NaN) - (plain?.ms ?? Number.NaN) })
        }
        found.push({ target: 'explain', ...worstOf(explained) })
        found.push({ target: 'facets', ...worstOf(await askForFacets(ask, popular)) })
      })
    } finally {
      await ingest.close()
    }
    yield* found
  },
}

const SIGNED = `0x${'5'.repeat(40)}`

/** Signs a claim on each of these campaigns for one address. @returns the address. */
async function signFor(ingest: Awaited<ReturnType<typeof openIngest>>, url: string, ids: readonly string[]) {
  const rows = await queryFacts<{ id: string }>(
    url,
    'select id from campaigns where id = any ($1) and exists (select from incentives where campaign_key = key and position = 0) limit $2',
    [ids, MAX_SIGNED],
  )
  await ingest.apply({
    records: rows.map(({ id }) => ({
      ...{ type: 'claimSignature', campaignId: id, claimant: SIGNED, incentiveId: 0 },
      ...{ signature: aPayload(1n), referrer: `0x${'0'.repeat(40)}` },
    })),
  })
  await queryFacts(url, 'vacuum (analyze) claim_signatures')
  return SIGNED
}

/** In new facts, claims that come together lie together; in kept ones, they fill the holes that earlier runs left, and take twice the time. */
async function whereClaimsLie(url: string, claimant: string) {
  const [found] = await queryFacts<{ blocks: number }>(
    url,
    'select count(distinct (ctid::text::point)[0])::integer as blocks from claims where claimant = $1',
    [claimant],
  )
  return `its claims lie in ${found?.blocks.toLocaleString('en-US')} blocks of the table`
}

/** Ends what PostgreSQL cleans up after so many claims: it would count for the requests. */
async function pauseAutovacuum({ facts, signal }: PartContext) {
  const setTo = async (sql: string) => {
    await queryFacts(facts.url, `alter system ${sql}`)
    await queryFacts(facts.url, 'select pg_reload_conf()')
  }
  await setTo('set autovacuum = off')
  const workers = "select from pg_stat_activity where backend_type = 'autovacuum worker'"
  for (const end = Date.now() + MAX_CLEANING_MS; Date.now() < end; await sleep(1000, undefined, { signal })) {
    if ((await queryFacts(facts.url, workers)).length === 0) break
  }
  return { [Symbol.asyncDispose]: () => setTo('reset autovacuum') }
}

/** The cursor of a page, from 1, that is found by reading all pages before it; of the last page where there are not so many. */
async function findCursor(url: string, page: number) {
  let cursor = ''
  for (let read = 1; read < page; read += 1) {
    const body: unknown = await (await fetch(cursor === '' ? url : `${url}&cursor=${cursor}`)).json()
    const next: unknown = Object(body).nextCursor
    if (typeof next !== 'string') break
    cursor = next
  }
  return cursor
}

/** Of many campaigns each time, and never of the same ones again: what they are is remembered. */
async function askForFacets(ask: SendRequest, { target, token, owner }: Popular) {
  const withOrWithout = (parameter: string) => ['', `&${parameter}`]
  const filters = ['', `&chainId=${target.chainId}`, `&tokens=${token.chainId}:${token.address}`]
  const combined = filters.flatMap((filter) =>
    withOrWithout('showActiveOnly=true').flatMap((active) =>
      withOrWithout('actionTemplateOnly=true').map((template) => `${filter}${active}${template}`),
    ),
  )
  const toPath = (filter: string) => `/campaigns?pageSize=0&facets=${facetNames}${filter}`
  await ask(toPath(`&owner=${owner}`))
  const times: { name: string; ms: number }[] = []
  for (const filter of combined) times.push({ name: filter || 'all', ms: await ask(toPath(filter)) })
  return times
}
