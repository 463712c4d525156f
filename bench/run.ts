/*
 * Measures the import and the campaign list on an embedded PostgreSQL of its own, and prints ratios within the run:
 * absolute figures depend on the machine and its neighbours. `npm run bench -- [campaigns] [claims]`
 */
import { spawn } from 'node:child_process'
import { createReadStream, createWriteStream, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { toNdjson } from '../src/import/sources.ts'
import type { ImportRecord } from '../src/ingest/records.ts'
import { generateSample } from '../src/sample/generate-sample.ts'
import { load, median, percent, percentile, print, request, seconds, timesOf, withApp, withServer } from './measure.ts'

async function measureImport(databaseUrl: string, folder: string) {
  const [facts, claimFile] = [join(folder, 'facts.ndjson'), join(folder, 'claims.ndjson')]
  const now = new Date()
  const sample = () => generateSample({ campaigns, claims, seed: 1, now })
  await pipeline(Readable.from(toNdjson(only(sample(), false))), createWriteStream(facts))
  await pipeline(Readable.from(toNdjson(only(sample(), true))), createWriteStream(claimFile))

  const first = await runImport(databaseUrl, facts)
  print('import of campaigns and what they need', `${seconds(first.ms)} s, peak ${first.peakMegabytes} MB resident`)
  const second = await runImport(databaseUrl, claimFile)
  print(
    `import of ${claims} claims`,
    `${seconds(second.ms)} s, ${Math.round(claims / (second.ms / 1000))} records/s, peak ${second.peakMegabytes} MB resident`,
  )
  const copyMs = await copyClaims(databaseUrl, folder)
  print(
    'the same claims by bare COPY into an equal indexed table',
    `${seconds(copyMs)} s; import takes ${(second.ms / copyMs).toFixed(1)} ×`,
  )
}

function* only(records: Iterable<ImportRecord>, claimsOnly: boolean) {
  for (const record of records) if ((record.type === 'claim') === claimsOnly) yield record
}

/** The import as an operator runs it, in a process of its own. */
async function runImport(databaseUrl: string, file: string) {
  const start = performance.now()
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/commands/cli.ts', 'import', file], {
    // biome-ignore lint/style/noProcessEnv: the child needs the PATH of its parent.
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let peakMegabytes = 0
  const watch = setInterval(() => {
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
    peakMegabytes = Math.max(peakMegabytes, Math.round(Number(peak ?? 0) / 1024))
  }, 100)
  const code = await new Promise((ended) => child.once('exit', ended))
  clearInterval(watch)
  if (code !== 0) throw new Error(`the import ended with ${code}`)
  return { ms: performance.now() - start, peakMegabytes }
}

/** Rows of the claims table, copied as they are into a table with the same indexes and rules. */
async function copyClaims(databaseUrl: string, folder: string) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('create table bare_claims (like claims including all)')
    await client.query(`alter table bare_claims add foreign key (campaign_key, incentive_position)
      references incentives (campaign_key, position)`)
    const file = createWriteStream(join(folder, 'claims.copy'))
    await pipeline(client.query(copyTo('copy claims to stdout')), file)
    const start = performance.now()
    await pipeline(createReadStream(join(folder, 'claims.copy')), client.query(copyFrom('copy bare_claims from stdin')))
    return performance.now() - start
  } finally {
    await client.query('drop table if exists bare_claims')
    await client.end()
  }
}

const headers = { 'content-type': 'application/json' }

async function measureList(databaseUrl: string) {
  for (const path of [
    '/campaigns',
    '/campaigns?pageSize=100',
    '/campaigns?sortBy=active',
    '/campaigns?tokenWhitelist=false',
  ]) {
    await withApp(databaseUrl, 64, async (url) => {
      const bytes = await request(url + path)
      const bare = createServer((_request, response) => response.writeHead(200, headers).end(bytes))
      await new Promise<void>((listening) => bare.listen(0, '127.0.0.1', listening))
      const bareRate = await load(`http://127.0.0.1:${(bare.address() as AddressInfo).port}/`)
      bare.close()
      const rate = await load(url + path)
      print(
        `${path}, repeated`,
        `${Math.round(rate)} requests/s, ${percent(rate / bareRate)} of a bare HTTP server with the same bytes`,
      )
    })
    await withApp(databaseUrl, 0, async (url) => {
      const times = await timesOf(30, () => request(url + path))
      print(
        `${path}, nothing cached`,
        `median ${median(times).toFixed(1)} ms, worst ${percentile(times, 1).toFixed(1)} ms`,
      )
    })
  }
}

const [campaigns = 100_000, claims = 1_000_000] = process.argv.slice(2).map(Number)

await withServer({}, async (databaseUrl, folder) => {
  await measureImport(databaseUrl, folder)
  await measureList(databaseUrl)
})
