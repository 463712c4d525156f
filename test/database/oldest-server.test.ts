import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrateDatabase } from '../../src/database/migrate-database.ts'
import { compareObjects, type StoredSchemaObject, schemaObjects } from '../../src/database/schema-objects.ts'
import { compareSources, type StoredObject, storedObjects } from '../../src/database/schema-sources.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'
import { type DebianServer, isOldestThere, onOldest, startDebianServer } from '../setup/servers/debian-server.ts'
import { borrowTestApp, startTestApp } from '../setup/test-app.ts'

describe.skipIf(!isOldestThere)(onOldest, () => {
  let server: DebianServer
  beforeAll(async () => {
    server = await startDebianServer()
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
