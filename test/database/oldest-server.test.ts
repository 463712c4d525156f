import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrateDatabase } from '../../src/database/migrate-database.ts'
import { compareObjects, type StoredSchemaObject, schemaObjects } from '../../src/database/schema-objects.ts'
import { compareSources, type StoredObject, storedObjects } from '../../src/database/schema-sources.ts'
import { contractOf, type OpenApiParameter } from '../setup/documents/openapi.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'
import { type DebianServer, isOldestThere, onOldest, startDebianServer } from '../setup/servers/debian-server.ts'
import { borrowTestApp, startTestApp } from '../setup/test-app.ts'

const toUrl = (path: string, parameters: readonly OpenApiParameter[]) => {
  const textOf = ({ example }: OpenApiParameter) => [example].flat().join(',')
  const query = parameters
    .filter(({ in: place }) => place === 'query')
    .map((one): [string, string] => [one.name, textOf(one)])
  const named = parameters.filter(({ in: place }) => place === 'path')
  const filled = named.reduce((all, one) => all.replace(`{${one.name}}`, textOf(one)), path)
  return `${filled}?${new URLSearchParams(query)}`
}

/** A cursor names the database, and a price without an instant the time of the import. */
const comparable = (body: string) => body.replaceAll(/"(AAAA[\w-]+|[\d-]{10}T[\d:.]+Z)"/g, '""')

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
    const contract = await contractOf(newest)
    const own = [
      `/campaigns?owner=${campaign.owner}&tokenWhitelist=false&showActiveOnly=true`,
      `/campaigns?distributionChannel=${encodeURIComponent('i\u0307STANBUL')}&tokenWhitelist=false`,
      `/campaigns?distributionChannel=${encodeURIComponent('\u039f\u0394\u039f\u03a3')}&tokenWhitelist=false`,
      `/campaigns/${campaign.id}`,
      `/explore/contracts?creator=${campaign.owner}&timeRange=7d`,
      `/activity?campaignId=${campaign.id}`,
      `/outlook?campaignId=${campaign.id}`,
      '/campaigns?tokenWhitelist=false&facets=token,chainId&search=swap&sortBy=ending-soon&cursor=start',
    ]
    // Each operation by what it needs, and with each of its other parameters.
    const asked = contract.operations.flatMap(({ path, operation }) => {
      const parameters = operation.parameters ?? []
      const needed = parameters.filter(({ in: place, required }) => place === 'path' || required === true)
      const others = parameters.filter(
        (one) => one.in === 'query' && !needed.includes(one) && one.example !== undefined,
      )
      return [[], ...others.map((one) => [one])].map((some) => toUrl(path, [...needed, ...some]))
    })
    expect(asked.length).toBeGreaterThan(100)
    for (const url of [...own, ...asked]) {
      const [expected, reply] = [await newest.get(url), await oldest.get(url)]
      expect(reply.statusCode, `${url}: ${reply.body}`).toBe(expected.statusCode)
      if (own.includes(url)) expect(expected.statusCode, url).toBe(200)
      // Changes and exports name revisions, of which each database has its own.
      if (!/^\/(changes|export)/.test(url) && expected.statusCode === 200) {
        expect(comparable(reply.body), url).toBe(comparable(expected.body))
      }
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
