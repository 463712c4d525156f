import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportToFolder } from '../../src/commands/export/export.ts'
import { ExportFolderError } from '../../src/commands/export/export-folder.ts'
import { readSettings } from '../../src/config.ts'
import { connectForBatches } from '../../src/ingest/batch-connection.ts'
import { openIngest, prepareIngest } from '../../src/ingest/batches.ts'
import type { ContractRecord, ImportRecord, RemovalRecord } from '../../src/ingest/records.ts'
import { FOLLOWS } from '../../src/ingest/staging/reference-checks.ts'
import { aFolder, copiedContentOf, copiedFiles, importedContent } from '../setup/data/copied-folders.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import {
  aCampaign,
  aClaim,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  aStep,
  aToken,
  toRemoval,
} from '../setup/records.ts'
import { openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { CLI, RunningProcess, startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'

const save = async (database: TestDatabase, ...records: (ImportRecord | RemovalRecord)[]) => database.save?.(...records)

const asset = anAddress('exported asset')
const token = aToken({ address: asset, decimals: 6 })
const campaigns = ['one', 'two', 'three'].map((campaignName) =>
  aCampaign({ campaignName, incentives: [anErc20Incentive(asset)] }),
)
const [first, second, third] = campaigns as [(typeof campaigns)[0], (typeof campaigns)[0], (typeof campaigns)[0]]
const claims = [first, first, second, third].map((campaign) => aClaim(campaign, { amount: '5' }))
const priceOf = (at: string, priceUsd: string): ImportRecord => ({
  ...{ type: 'tokenPrice', chainId: 8453, address: asset },
  ...{ at, priceUsd },
})
const signature: ImportRecord = {
  ...{ type: 'claimSignature', campaignId: third.id, incentiveId: 0, claimant: anAddress('signed') },
  ...{ signature: '0x01', referrer: anAddress('referrer') },
}
const template = anActionTemplate()
const laterTemplate = anActionTemplate()
const contract: ContractRecord = { type: 'contract', chainId: 8453, address: anAddress('target'), name: 'Target' }
const laterContract: ContractRecord = { ...contract, address: anAddress('later target') }
/** With two incentives, and a signature for each. */
const signed = aCampaign({
  actionTemplateId: template.id,
  incentives: [anErc20Incentive(asset), anErc20Incentive(asset)],
  actionSteps: [aStep(contract.address)],
})
const signatureOf = (incentiveId: number, claimant: string): ImportRecord & { type: 'claimSignature' } => ({
  ...{ type: 'claimSignature', campaignId: signed.id, incentiveId, claimant: anAddress(claimant) },
  ...{ signature: '0x01', referrer: anAddress('referrer') },
})
const signatures = [signatureOf(0, 'first'), signatureOf(0, 'second'), signatureOf(1, 'first')]
const facts: ImportRecord[] = [
  ...[token, template, contract, ...campaigns, signed, ...claims, signature, ...signatures],
  priceOf('2025-01-01T00:00:00Z', '1'),
]

/** Of what campaigns need: new, changed and removed records, while their campaigns stay or go. */
async function changeNeeded(database: TestDatabase) {
  await save(database, { ...template, description: 'Changed' }, { ...contract, name: 'Changed' })
  await save(database, { ...signatureOf(0, 'first'), signature: '0x02' }, signatureOf(1, 'later'))
  await save(database, toRemoval(signatureOf(0, 'second')))
  const fewer = { ...signed, incentives: signed.incentives.slice(0, 1) }
  await save(database, fewer, ...[signatureOf(1, 'first'), signatureOf(1, 'later')].map(toRemoval))
  const other = aCampaign({ actionTemplateId: template.id, actionSteps: [aStep(contract.address)] })
  await save(database, other, laterTemplate, laterContract)
  const { actionTemplateId: _, ...without } = other
  await save(database, { ...without, actionSteps: [aStep(laterContract.address)] })
  await save(database, { ...fewer, actionTemplateId: laterTemplate.id }, toRemoval(template))
  await save(database, toRemoval(contract))
}

/** All kinds of changes, of prices also in the past. */
async function change(database: TestDatabase) {
  await changeNeeded(database)
  await save(database, priceOf('2024-01-01T00:00:00Z', '4'), priceOf('2024-02-01T00:00:00Z', '5'))
  await save(database, { ...first, campaignName: 'other' }, aClaim(second), priceOf('2025-02-01T00:00:00Z', '2'))
  await save(database, ...[third, claims[3] as ImportRecord, signature].map(toRemoval))
  await save(database, { ...(claims[0] as ImportRecord & { type: 'claim' }), amount: '7' }, aCampaign())
  await save(database, aToken(), { ...token, symbol: 'NEW' })
  await save(database, toRemoval(priceOf('2025-02-01T00:00:00Z', '2')), toRemoval(claims[2] as ImportRecord))
  await save(database, toRemoval(priceOf('2025-01-01T00:00:00Z', '1')), toRemoval(priceOf('2024-02-01T00:00:00Z', '5')))
}

test('a folder is a copy, and again after what has changed since, whatever was half written', async () => {
  await using database = await createTestDatabase()
  await using folder = await aFolder()
  const settings = readSettings({ DATABASE_URL: database.url })
  await save(database, ...facts)
  await exportToFolder(settings, folder.path, { format: 'ndjson' })
  await change(database)
  // As if it had been killed while it wrote.
  for (const name of copiedFiles) await appendFile(join(folder.path, `${name}.ndjson`), '{"type":"clai')
  const before = await readFile(join(folder.path, 'cursor.json'), 'utf8')
  await exportToFolder(settings, folder.path, { format: 'ndjson' })
  expect(await readFile(join(folder.path, 'cursor.json'), 'utf8')).not.toBe(before)
  expect(await importedContent(folder.path)).toEqual(await copiedContentOf(database))
  const texts = await Promise.all(copiedFiles.map((name) => readFile(join(folder.path, `${name}.ndjson`), 'utf8')))
  // Nothing has changed since.
  await exportToFolder(settings, folder.path, { format: 'ndjson' })
  expect(await Promise.all(copiedFiles.map((name) => readFile(join(folder.path, `${name}.ndjson`), 'utf8')))).toEqual(
    texts,
  )
  await expect(exportToFolder(settings, folder.path, { format: 'csv' })).rejects.toThrow('has an export as ndjson')
  await using other = await createTestDatabase()
  const elsewhere = readSettings({ DATABASE_URL: other.url })
  await save(other, ...facts)
  await change(other)
  await expect(exportToFolder(elsewhere, folder.path, { format: 'ndjson' })).rejects.toThrow('is of another database')
})

test('what was half written goes also where the change that it was of has gone', async () => {
  await using database = await createTestDatabase()
  await using folder = await aFolder()
  const settings = readSettings({ DATABASE_URL: database.url })
  await save(database, ...facts)
  await exportToFolder(settings, folder.path, { format: 'csv' })
  const read = async () => [await readdir(folder.path), await readFile(join(folder.path, 'prices.csv'), 'utf8')]
  const whole = await read()
  for (const name of ['prices.csv', 'removals.ndjson']) await appendFile(join(folder.path, name), '84532,0x7')
  await exportToFolder(settings, folder.path, { format: 'csv' })
  expect(await read()).toEqual(whole)
})

test('what was half written when the database went away goes, where its change has gone meanwhile', async () => {
  await using database = await createTestDatabase()
  await using folder = await aFolder()
  await using proxy = await openDatabaseProxy(database.url)
  const read = (name: string) => readFile(join(folder.path, name), 'utf8').catch(() => '')
  await save(database, ...facts)
  const away = /(the database cannot be reached: .*, retrying)/
  proxy.cutAt('copy (')
  await using process = startCli(['export', folder.path, '--follow', '--format', 'csv'], { DATABASE_URL: proxy.url })
  await process.said(away)
  proxy.interrupt(undefined)
  await waitFor(async () => /"cursor": "[\w-]/.test(await read('cursor.json')) || undefined)
  const [whole, cursor] = [await read('campaigns.csv'), await read('cursor.json')]
  const [brief, briefToken] = [aCampaign(), aToken()]
  // The token is asked for after the campaign is written.
  proxy.cutAt(briefToken.address)
  await save(database, brief, briefToken)
  await process.said(new RegExp(`${away.source}[^]*?${away.source}`))
  expect(await read('campaigns.csv')).toContain(brief.id)
  await save(database, toRemoval(brief), toRemoval(briefToken))
  proxy.interrupt(undefined)
  await waitFor(async () => (await read('cursor.json')) !== cursor || undefined)
  expect(await read('campaigns.csv')).toBe(whole)
})

test('a folder has each change of what campaigns need, whenever it is brought up to date', async () => {
  await using database = await createTestDatabase()
  await using folder = await aFolder()
  const settings = readSettings({ DATABASE_URL: database.url })
  const copy = () => exportToFolder(settings, folder.path, { format: 'ndjson' })
  const client = await connectForBatches(database.url, 'indexer')
  await client.query(`select set_config($1, '8453', false)`, [FOLLOWS])
  const ingest = await prepareIngest(client)
  try {
    await save(database, ...facts)
    for (const work of [
      () => save(database, { ...template, description: 'Changed' }),
      () => save(database, { ...contract, name: 'Changed' }),
      () => save(database, signatureOf(1, 'later')),
      () => save(database, toRemoval(signatureOf(1, 'later'))),
      // A followed chain takes an incentive back, and brings it again; then the whole campaign.
      () =>
        database.query(
          `insert into followed_chains (chain_id, cores, start_block, is_back_filling, back_filled_to)
          values (8453, '{}', 0, false, 0)`,
        ),
      () => ingest.apply({ records: [{ ...signed, incentives: signed.incentives.slice(0, 1) }] }),
      () => ingest.apply({ records: [signed] }),
      () => ingest.apply({ records: [], revertedCampaigns: [signed.id] }),
      () => ingest.apply({ records: [signed] }),
    ]) {
      await work()
      await copy()
    }
  } finally {
    await ingest.close()
  }
  await database.query('delete from followed_chains')
  expect(await importedContent(folder.path)).toEqual(await copiedContentOf(database))
  const texts = await readFile(join(folder.path, 'campaigns.ndjson'), 'utf8')
  expect(texts.split('\n').filter((line) => line.includes('"of":"claimSignature"'))).toHaveLength(5)
})

test('a folder with files of others, or a state that cannot be read, is left as it is', async () => {
  await using database = await createTestDatabase()
  const settings = readSettings({ DATABASE_URL: database.url })
  const failure = async (files: Record<string, string>, format: 'ndjson' | 'csv' = 'ndjson') => {
    await using folder = await aFolder()
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text)
    await expect(exportToFolder(settings, folder.path, { format })).rejects.toThrow(ExportFolderError)
    for (const [name, text] of Object.entries(files)) {
      expect(await readFile(join(folder.path, name), 'utf8')).toBe(text)
    }
    return await exportToFolder(settings, folder.path, { format }).catch((error: Error) => error.message)
  }
  expect(await failure({ 'claims.ndjson': 'mine\n' })).toMatch(/ has a claims.ndjson that no export wrote/)
  expect(await failure({ 'removals.ndjson': 'mine\n' }, 'csv')).toMatch(/ has a removals.ndjson that no export wrote/)
  const state = { format: 'ndjson', cursor: '', bytes: {}, pricedTo: {} }
  for (const text of ['', '{', '{}', 'null', JSON.stringify({ ...state, bytes: { 'claims.ndjson': -1 } })]) {
    expect(await failure({ 'cursor.json': text })).toMatch(/cursor.json is damaged: export to another folder/)
  }
  // One that was killed before its first copy was whole goes on, in its own format alone.
  const killed = { 'cursor.json': JSON.stringify(state), 'claims.ndjson': '{"type":"clai' }
  expect(await failure(killed, 'csv')).toMatch(/ has an export as ndjson/)
  await using folder = await aFolder()
  for (const [name, text] of Object.entries(killed)) await writeFile(join(folder.path, name), text)
  await exportToFolder(settings, folder.path, { format: 'ndjson' })
  expect(await importedContent(folder.path)).toEqual(await copiedContentOf(database))
})

test('tables get rows, and what is gone stands in a file of removals', async () => {
  await using database = await createTestDatabase()
  await using folder = await aFolder()
  const settings = readSettings({ DATABASE_URL: database.url })
  await save(database, ...facts)
  await exportToFolder(settings, folder.path, { format: 'csv' })
  const claimsBefore = await readFile(join(folder.path, 'claims.csv'), 'utf8')
  expect(claimsBefore.split('\r\n')).toHaveLength(claims.length + 2)
  const gone = claims[3] as ImportRecord
  await save(database, aClaim(first), toRemoval(gone))
  await exportToFolder(settings, folder.path, { format: 'csv' })
  const after = await readFile(join(folder.path, 'claims.csv'), 'utf8')
  expect([after.startsWith(claimsBefore), after.split('\r\n').length]).toEqual([true, claims.length + 3])
  expect(JSON.parse(await readFile(join(folder.path, 'removals.ndjson'), 'utf8'))).toEqual(toRemoval(gone))
  // After a reset the tables are made anew: what was gone before stands in none.
  const ingest = await openIngest(database.url)
  await ingest.apply({ records: [], chainEvent: { chainId: 8453, kind: 'reset' } })
  await ingest.close()
  await exportToFolder(settings, folder.path, { format: 'csv' })
  expect((await readFile(join(folder.path, 'claims.csv'), 'utf8')).split('\r\n')).toHaveLength(claims.length + 2)
  expect(await readdir(folder.path)).not.toContain('removals.ndjson')
})

test('a process that follows and was killed ends with all there is, and no other writes to its folder meanwhile', async () => {
  await using database = await createTestDatabase()
  await using folder = await aFolder()
  await save(database, ...facts)
  const start = (url = database.url) => startCli(['export', folder.path, '--follow'], { DATABASE_URL: url })
  const cursorOf = () => readFile(join(folder.path, 'cursor.json'), 'utf8').catch(() => undefined)
  await using killed = start()
  await waitFor(async () => /"cursor": "[\w-]/.test((await cursorOf()) ?? '') || undefined)
  await change(database)
  killed.child.kill('SIGKILL')
  await killed.ended
  await save(database, third, claims[3] as ImportRecord, signature)
  await using proxy = await openDatabaseProxy(database.url)
  proxy.interrupt('cut')
  await using process = start(proxy.url)
  await process.said(/(the database cannot be reached: .*, retrying)/)
  proxy.interrupt(undefined)
  const known = await cursorOf()
  await save(database, aClaim(first))
  await waitFor(async () => (await cursorOf()) !== known || undefined)
  const settings = readSettings({ DATABASE_URL: database.url })
  await expect(exportToFolder(settings, folder.path, { format: 'ndjson' })).rejects.toThrow('in use by another process')
  process.child.kill('SIGTERM')
  expect((await process.ended).code).toBe(0)
  await exportToFolder(settings, folder.path, { format: 'ndjson' })
  expect(await importedContent(folder.path)).toEqual(await copiedContentOf(database))
})

test('a process that was suspended leaves its folder to the one that has taken it meanwhile', async () => {
  await using database = await createTestDatabase()
  await using folder = await aFolder()
  await save(database, ...facts)
  const settings = readSettings({ DATABASE_URL: database.url })
  const filesOf = () =>
    Promise.all(
      [...copiedFiles.map((name) => `${name}.ndjson`), 'cursor.json'].map((name) =>
        readFile(join(folder.path, name), 'utf8'),
      ),
    )
  await using suspended = startCli(['export', folder.path, '--follow'], { DATABASE_URL: database.url })
  const hasCursor = (text: string) => /"cursor": "[\w-]/.test(text) || undefined
  await waitFor(() => readFile(join(folder.path, 'cursor.json'), 'utf8').then(hasCursor, () => undefined))
  suspended.child.kill('SIGSTOP')
  await change(database)
  await exportToFolder(settings, folder.path, { format: 'ndjson' })
  const written = await filesOf()
  await save(database, aClaim(first))
  suspended.child.kill('SIGCONT')
  expect(await suspended.ended).toMatchObject({ code: 1, stderr: `${folder.path} is in use by another process\n` })
  expect(await filesOf()).toEqual(written)
  await exportToFolder(settings, folder.path, { format: 'ndjson' })
  expect(await importedContent(folder.path)).toEqual(await copiedContentOf(database))
})

test('a disk that takes the last write to a file in part ends an export, and the next one goes on', async () => {
  await using database = await createTestDatabase()
  await using folder = await aFolder()
  const settings = readSettings({ DATABASE_URL: database.url })
  await save(database, ...facts, ...Array.from({ length: 40 }, () => aClaim(first)))
  let size = 0
  // Until the last claim, and it alone, is beyond a whole number of blocks.
  while (size % 512 < 50 || size % 512 > 250) {
    await using whole = await aFolder()
    await save(database, aClaim(first))
    await exportToFolder(settings, whole.path, { format: 'ndjson' })
    size = (await stat(join(whole.path, 'claims.ndjson'))).size
  }
  // Of a write that goes beyond the limit the system takes what is below it, as a disk that becomes full does.
  const limit = `ulimit -f ${Math.floor(size / 512)}; exec node "$@"`
  const ignoring = 'data:text/javascript,process.on("SIGXFSZ",()=>{})'
  const command = ['sh', '-c', limit, 'sh', '--import', ignoring, CLI, 'export', folder.path]
  await using limited = new RunningProcess(command, { DATABASE_URL: database.url })
  expect(await limited.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('EFBIG') })
  expect(await readFile(join(folder.path, 'cursor.json'), 'utf8')).toContain('"cursor": ""')
  await exportToFolder(settings, folder.path, { format: 'ndjson' })
  expect(await importedContent(folder.path)).toEqual(await copiedContentOf(database))
})
