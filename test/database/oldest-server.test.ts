import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrateDatabase } from '../../src/database/migrate-database.ts'
import { compareObjects, type StoredSchemaObject, schemaObjects } from '../../src/database/schema-objects.ts'
import { compareSources, type StoredObject, storedObjects } from '../../src/database/schema-sources.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'
import { makeServerFolder } from '../setup/servers/server-folder.ts'
import { borrowTestApp, startTestApp } from '../setup/test-app.ts'

/** Where Debian has the oldest PostgreSQL that may be used; all other tests run on a newer one. */
const PROGRAMS = '/usr/lib/postgresql/15/bin'

/** PostgreSQL refuses to run as root: then it runs as `nobody`. */
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

async function startOldServer() {
  const folder = await makeServerFolder('oldest-server')
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid)
  const data = join(folder, 'data')
  const run = (program: string, ...parameters: string[]) =>
    promisify(execFile)(join(PROGRAMS, program), ['-D', data, ...parameters], { ...account, cwd: folder })
  await run('initdb', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--auth=trust', '--no-sync')
  const port = await freePort()
  const options = `-p ${port} -h 127.0.0.1 -k ${folder} -c fsync=off`
  await run('pg_ctl', 'start', '-w', '-l', join(folder, 'log'), '-o', options)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      await run('pg_ctl', 'stop', '-m', 'immediate')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' ? address?.port : undefined
}

const where = existsSync(PROGRAMS) ? 'on PostgreSQL 15' : `on PostgreSQL 15, which is not at ${PROGRAMS}`

describe.skipIf(!existsSync(PROGRAMS))(where, () => {
  let server: Awaited<ReturnType<typeof startOldServer>>
  beforeAll(async () => {
    server = await startOldServer()
    await migrateDatabase(server.url)
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('all operations answer the same', async () => {
    const database = { url: server.url, query: async () => [], [Symbol.asyncDispose]: async () => undefined }
    await using newest = await borrowTestApp()
    await using oldest = await startTestApp({}, database)
    const token = aToken({ priceUsd: '2' })
    const campaign = aCampaign({
      campaignName: 'Swap ether',
      incentives: [anErc20Incentive(token.address)],
      distributionChannels: ['\u0130stanbul', '\u03bf\u03b4\u03bf\u03c2'],
    })
    const justNow = String(Math.floor(Date.now() / 1000) - 60)
    const records = [token, campaign, aCampaign(), aClaim(campaign, { blockTimestamp: justNow, amountUsd: '3' })]
    const now = new Date()
    for (const api of [newest, oldest]) {
      await api.save(...records)
      api.setNow(now)
    }
    for (const path of [
      '/campaigns?tokenWhitelist=false',
      `/campaigns?owner=${campaign.owner}&tokenWhitelist=false&showActiveOnly=true`,
      `/campaigns?distributionChannel=${encodeURIComponent('i\u0307STANBUL')}&tokenWhitelist=false`,
      `/campaigns?distributionChannel=${encodeURIComponent('\u039f\u0394\u039f\u03a3')}&tokenWhitelist=false`,
      `/campaigns/${campaign.id}`,
      '/reward-kit/trending?period=24h',
      '/explore/contracts?sortBy=total-spend&timeRange=7d',
      `/activity?campaignId=${campaign.id}`,
      '/status',
    ]) {
      const expected = await newest.get(path)
      expect(expected.statusCode, path).toBe(200)
      expect((await oldest.get(path)).json(), path).toEqual(expected.json())
    }
  })

  test('doctor knows the schema', async () => {
    const client = new pg.Client(server.url)
    await client.connect()
    try {
      expect(compareObjects((await client.query<StoredSchemaObject>(schemaObjects)).rows)).toEqual([])
      expect(compareSources((await client.query<StoredObject>(storedObjects)).rows)).toEqual([])
    } finally {
      await client.end()
    }
  })
})
