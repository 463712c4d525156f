import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { lockCampaigns } from '../setup/database.ts'
import { aCampaign, anAddress, aProfile } from '../setup/records.ts'
import { borrowTestApp, startTestApp } from '../setup/test-app.ts'
import { bearing, issueToken } from '../setup/tokens.ts'
import { waitFor } from '../setup/wait-for.ts'

/*
 * What is cheap does not wait for what is slow.
 */

test('slow questions on all connections hold up neither kept answers, nor tokens, nor readiness', async () => {
  await using api = await borrowTestApp()
  const address = anAddress('user')
  await api.save(aCampaign(), aProfile({ userAddress: address }))
  const kept = await api.get('/campaigns')
  const token = bearing(await issueToken(api, { address }))
  await using lock = await lockCampaigns(api.database.url, 'tokens')
  let answered = 0
  const slow = Array.from({ length: 100 }, async (_, page) => {
    const { statusCode } = await api.get(`/campaigns?search=x&page=${page + 2}`)
    answered += 1
    return statusCode
  })
  const isHeld = async () => {
    const [row] = await api.database.query(
      "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return row?.count === 4 ? true : undefined
  }
  await waitFor(isHeld)

  expect(await api.get('/readyz')).toMatchObject({ statusCode: 200 })
  expect(await api.get('/campaigns')).toMatchObject({ statusCode: 200, body: kept.body })
  expect(await api.get('/users/profile', token)).toMatchObject({ statusCode: 200 })
  expect(await api.get(`/users/profile?user=${anAddress('another')}`, token)).toMatchObject({ statusCode: 403 })
  expect(await api.get('/campaigns/accesslists', bearing('unknown'))).toMatchObject({ statusCode: 401 })
  expect(answered).toBe(0)

  await lock.release()
  expect(new Set(await Promise.all(slow))).toEqual(new Set([200]))
})

test('a token that somebody else is writing is looked up, and its use is written down another time', async () => {
  await using api = await borrowTestApp()
  const address = anAddress('user')
  await api.save(aProfile({ userAddress: address }))
  const token = bearing(await issueToken(api, { address }))
  const other = new pg.Client(api.database.url)
  await other.connect()
  try {
    await other.query("begin; update credentials set name = 'renamed'")
    const asked = Array.from({ length: 10 }, () => api.get('/users/profile', token))
    const statuses = await Promise.race([Promise.all(asked), sleep(5000, [], { ref: false })])
    expect(statuses.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 10 }, () => 200))
    await other.query('rollback')
    const lastUse = async () => (await api.database.query('select last_used_at from credentials'))[0]?.last_used_at
    expect(await lastUse()).toBeNull()
    await api.get('/users/profile', token)
    expect(await lastUse()).toBeInstanceOf(Date)
  } finally {
    await other.end()
  }
})

test('pages asked for at the same moment share a statement', async () => {
  await using api = await borrowTestApp({ RESPONSE_CACHE_MB: '0' })
  const owners = ['one', 'two', 'none'].map((name) => anAddress(name))
  await api.save(...owners.slice(0, 2).map((owner) => aCampaign({ owner })), aCampaign({ owner: owners[0] ?? '' }))
  const paths = owners.flatMap((owner) => [`/campaigns?owner=${owner}`, `/campaigns?owner=${owner}&pageSize=1&page=2`])
  await using other = await startTestApp({ RESPONSE_CACHE_MB: '0' }, api.database)
  const alone: string[] = []
  for (const path of paths) alone.push((await other.get(path)).body)

  await using lock = await lockCampaigns(api.database.url, 'action_steps')
  const together = Promise.all(paths.map(async (path) => (await api.get(path)).body))
  const waiting = async () => {
    const [row] = await api.database.query(
      "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return row?.count
  }
  await waitFor(async () => ((await waiting()) === 1 ? true : undefined))
  await sleep(100)
  expect(await waiting()).toBe(1)
  await lock.release()
  expect(await together).toEqual(alone)
  expect(new Set(alone).size).toBeGreaterThan(3)
})
