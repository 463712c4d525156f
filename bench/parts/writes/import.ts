import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { generateSample } from 'reward-campaigns-sample-data'
import { migrateDatabase } from '../../../src/database/migrate-database.ts'
import { toNdjson } from '../../../src/import/sources.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { openEmbeddedDatabase } from '../../../src/process/embedded-database.ts'
import { startProgram } from '../../measuring/child-processes.ts'
import { type Finding, seconds } from '../../measuring/measure.ts'
import type { Part } from '../../measuring/part.ts'
import { residentMegabytes } from '../../measuring/processor-time.ts'

const MAX_CAMPAIGNS = 100_000
const MAX_CLAIMS = 1_000_000

/** The import of an operator, into a database of its own, against what PostgreSQL itself can do. */
export const importing: Part = {
  limitMinutes: 12,
  targets: {
    import: { what: 'import of 1,000,000 claims', unit: "× bare COPY's time", rule: 'at most', limit: 2.5 },
    derived: {
      what: 'import of 1,000,000 claims whose values follow from prices',
      unit: "× the recorded ones' time",
      rule: 'at most',
      limit: 1.2,
    },
  },
  async *measure({ campaigns: allCampaigns, claims: allClaims, log }) {
    const [campaigns, claims] = [Math.min(allCampaigns, MAX_CAMPAIGNS), Math.min(allClaims, MAX_CLAIMS)]
    const now = new Date()
    const found: Finding[] = []
    const times: Record<Values, number> = { recorded: Number.NaN, derived: Number.NaN }
    for (const values of ['recorded', 'derived'] as const) {
      await withServer(async (databaseUrl, folder) => {
        const [factFile, claimFile] = [join(folder, 'facts.ndjson'), join(folder, 'claims.ndjson')]
        const sample = () => generateSample({ campaigns, claims, seed: 1, now })
        await pipeline(Readable.from(toNdjson(withoutClaims(sample()))), createWriteStream(factFile))
        await pipeline(Readable.from(toNdjson(claimsOf(sample(), values))), createWriteStream(claimFile))
        const first = await runImport(databaseUrl, factFile)
        await rm(factFile)
        log(`${campaigns} campaigns and what they need imported in ${seconds(first.ms)} s`)
        const second = await runImport(databaseUrl, claimFile)
        await rm(claimFile)
        log(`${claims} claims with ${values} values imported in ${seconds(second.ms)} s`)
        times[values] = second.ms
        if (values === 'derived') return
        const copyMs = await copyClaims(databaseUrl, folder)
        const peak = Math.round(Math.max(first.megabytes, second.megabytes))
        found.push({
          target: 'import',
          value: second.ms / copyMs,
          note: `${claims.toLocaleString('en-US')} claims on ${campaigns.toLocaleString('en-US')} campaigns: ${seconds(second.ms)} s against ${seconds(copyMs)} s into an equal indexed table; peak ${peak} MB resident`,
        })
      })
    }
    yield* found
    const note = `${seconds(times.derived)} s against ${seconds(times.recorded)} s`
    yield { target: 'derived', value: times.derived / times.recorded, note }
  },
}

/** Whether records say what claims were worth. */
type Values = 'recorded' | 'derived'

function* withoutClaims(records: Iterable<ImportRecord>) {
  for (const record of records) if (record.type !== 'claim') yield record
}

function* claimsOf(records: Iterable<ImportRecord>, values: Values) {
  for (const record of records) {
    if (record.type === 'claim') yield { ...record, amountUsd: values === 'derived' ? null : (record.amountUsd ?? '1') }
  }
}

/** The import as an operator runs it, in a process of its own. */
async function runImport(databaseUrl: string, file: string) {
  const start = performance.now()
  const child = startProgram(process.execPath, ['--import', 'tsx', 'src/commands/cli.ts', 'import', file], {
    settings: { DATABASE_URL: databaseUrl },
  })
  let megabytes = 0
  const watch = setInterval(() => {
    megabytes = Math.max(megabytes, residentMegabytes(child.pid))
  }, 100)
  const [code] = await once(child, 'exit')
  clearInterval(watch)
  if (code !== 0) throw new Error(`the import ended with ${code}`)
  return { ms: performance.now() - start, megabytes }
}

/** Copies rows of the claims table into a table with the same indexes and constraints. */
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

/** Runs with a migrated database on a server of its own; nothing of it is left behind. */
async function withServer(use: (url: string, folder: string) => Promise<unknown>) {
  const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-bench-'))
  try {
    const server = await openEmbeddedDatabase(join(folder, 'data'))
    try {
      await migrateDatabase(server.url)
      await use(server.url, folder)
    } finally {
      await server.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
