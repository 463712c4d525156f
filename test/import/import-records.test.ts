import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { type ImportSource, toFileSource, toNdjson, UnreadableFileError } from '../../src/import/sources.ts'
import { type ImportRecord, recordTypes } from '../../src/ingest/records.ts'
import { ImportFaultsError } from '../../src/ingest/validation-errors.ts'
import { variants } from '../setup/data/incentive-variants.ts'
import { OF_ITS_OWN } from '../setup/data/stored-content.ts'
import { expectTrendingToAgree } from '../setup/data/trending-rows.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import {
  aCampaign,
  aClaim,
  aClaimProof,
  anAccessList,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  aStep,
  aTimeBasedIncentive,
  aToken,
} from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'
import { borrowTestApp } from '../setup/test-app.ts'

/** NDJSON as a file would hold it; what the records are is not checked here. */
const ndjson = (...records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

const source = (content: string | Buffer, name = 'records.ndjson'): ImportSource => ({
  name,
  bytes: Readable.from([Buffer.from(content)]),
})

const save = (database: TestDatabase, ...records: unknown[]) =>
  importRecords(database.url, [source(ndjson(...records))])

/** The lines of the report on an import that has to fail. */
async function faultsOf(database: TestDatabase, ...contents: (string | Buffer)[]) {
  const sources = contents.map((content, index) => source(content, index === 0 ? 'records.ndjson' : `more-${index}`))
  return faultsOfSources(database, sources)
}

async function faultsOfSources(database: TestDatabase, sources: ImportSource[]) {
  const failure: unknown = await importRecords(database.url, sources).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failure instanceof ImportFaultsError)) throw new Error(`not refused for faults: ${failure}`)
  return failure.message.split('\n')
}

/** Every row of every table, keys included, versions not, in a fixed order; but of the one that only says how far the clock has come. */
async function dump(database: TestDatabase) {
  await expectTrendingToAgree(database)
  const tables = await database.query(
    `select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all ('{${OF_ITS_OWN}}')`,
  )
  expect(tables.length).toBeGreaterThan(10)
  const all = tables.map(
    ({ name }) => `select '${name}' as name, (to_jsonb(row) - 'version')::text as row from ${name} row`,
  )
  return database.query(`${all.join(' union all ')} order by 1, 2`)
}

const count = async (database: TestDatabase, table: string) =>
  Number((await database.query(`select count(*) from ${table}`))[0]?.count)

const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`

const templateId = '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01'

/** One record of each type, each of the later ones referring to an earlier one. */
function everything() {
  const campaign = aCampaign({
    actionTemplateId: templateId,
    incentives: [anErc20Incentive(anAddress('asset'), { totalAmountClaimed: '', claimedAmount: '', totalClaims: '' })],
    actionSteps: [aStep(anAddress('target'))],
    distributionChannels: ['public'],
    allowList: {
      owner: anAddress('owner'),
      contractAddress: anAddress('list'),
      type: 'OffchainAccessList',
      addresses: [anAddress('member')],
      accessListId: 'holders',
    },
  })
  const proven = aCampaign({ incentives: [aTimeBasedIncentive(anAddress('asset'))] })
  const instant = '2025-05-01T00:00:00Z'
  return [
    aToken({ address: anAddress('asset') }),
    { type: 'tokenPrice', chainId: 8453, address: anAddress('asset'), at: instant, priceUsd: '1.5' },
    { type: 'contract', chainId: 8453, address: anAddress('target'), name: 'Target' },
    anActionTemplate({ id: templateId }),
    anAccessList({ id: 'holders', members: [anAddress('member'), anAddress('other')] }),
    campaign,
    { type: 'campaignMetadata', id: campaign.id, campaignName: 'Name', accessListId: 'holders' },
    aClaim(campaign, { amountUsd: '1.50' }),
    {
      type: 'claimSignature',
      campaignId: campaign.id,
      incentiveId: 0,
      claimant: anAddress('user'),
      signature: '0x01',
      referrer: anAddress('referrer'),
    },
    proven,
    aClaimProof(proven, anAddress('user')),
    {
      type: 'profile',
      userAddress: anAddress('user'),
      ethEarned: '1',
      score: 1,
      streak: { value: 1, lastExpirationTime: instant, nextExpirationTime: instant, lastCompletionTime: instant },
    },
  ]
}

describe('one call', () => {
  test('takes records in any order, in one file or in several', async () => {
    await using ordered = await createTestDatabase()
    await using reversed = await createTestDatabase()
    await using spread = await createTestDatabase()
    const records = everything()
    await save(ordered, ...records)
    await save(reversed, ...[...records].reverse())
    await importRecords(
      spread.url,
      [...records].reverse().map((record, index) => source(ndjson(record), `file-${index}`)),
    )
    const expected = await dump(ordered)
    expect(new Set(expected.map(({ name }) => name)).size).toBeGreaterThanOrEqual(12)
    expect(await dump(reversed)).toEqual(expected)
    expect(await dump(spread)).toEqual(expected)
  })

  test('counts the records of each type', async () => {
    await using database = await createTestDatabase()
    const summary = await save(database, ...everything(), aToken())
    expect(summary.records).toEqual({
      ...Object.fromEntries(recordTypes.map((type) => [type, 1])),
      ...{ token: 2, campaign: 2 },
      removal: 0,
    })
  })

  test('of a record that is given twice the later one counts, in one file or in several', async () => {
    await using database = await createTestDatabase()
    const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))], campaignName: 'first' })
    const claim = aClaim(campaign, { amount: '1' })
    const list = anAccessList({ id: 'list', members: [anAddress('member')] })
    const token = aToken({ address: anAddress('asset'), symbol: 'FIRST' })
    const first = ndjson(claim, token, list, campaign)
    const incentives = [anErc20Incentive(anAddress('asset')), anErc20Incentive(anAddress('asset'))]
    const second = ndjson(
      { ...campaign, campaignName: 'second', incentives },
      { ...list, members: [] },
      { ...token, address: upper(anAddress('asset')), symbol: 'SECOND' },
      { ...claim, txHash: upper(claim.txHash), amount: '2', incentiveIndex: 1 },
    )
    const stored = async () => ({
      claims: await database.query('select amount, incentive_position from claims'),
      tokens: await database.query('select symbol from tokens'),
      campaigns: await database.query('select campaign_name from campaigns'),
      members: await count(database, 'access_list_members'),
      incentives: await count(database, 'incentives'),
    })
    const later = {
      claims: [{ amount: '2', incentive_position: 1 }],
      tokens: [{ symbol: 'SECOND' }],
      campaigns: [{ campaign_name: 'second' }],
      members: 0,
      incentives: 2,
    }
    await importRecords(database.url, [source(first + second)])
    expect(await stored()).toEqual(later)
    await using another = await createTestDatabase()
    await importRecords(another.url, [source(first, 'a'), source(second, 'b')])
    expect(await dump(another)).toEqual(await dump(database))
    await importRecords(database.url, [source(second, 'a'), source(`${ndjson({ ...claim, amount: '3' })}`, 'b')])
    expect((await stored()).claims).toEqual([{ amount: '3', incentive_position: 0 }])
  })

  test('importing the same again changes nothing', async () => {
    await using database = await createTestDatabase()
    const records = [
      ...everything(),
      aCampaign({ incentives: [{ type: 'AllowListIncentive', ...variants.AllowListIncentive }] }),
    ]
    await save(database, ...records)
    const before = await dump(database)
    await save(database, ...records)
    await save(database, ...[...records].reverse())
    expect(await dump(database)).toEqual(before)
  })

  test('an address that is given twice, in another case, counts once', async () => {
    await using database = await createTestDatabase()
    const addresses = [anAddress('a'), upper(anAddress('a')), anAddress('b'), anAddress('a')]
    await save(
      database,
      anAccessList({ members: addresses }),
      aCampaign({
        allowList: {
          owner: anAddress('owner'),
          contractAddress: anAddress('list'),
          type: 'SimpleAllowList',
          addresses,
        },
      }),
    )
    expect(await database.query('select member_count from access_lists')).toEqual([{ member_count: 2 }])
    expect(await count(database, 'access_list_members')).toBe(2)
    expect(await database.query('select address_count from allow_lists')).toEqual([{ address_count: 2 }])
    expect(await count(database, 'allow_list_addresses')).toBe(2)
  })

  test('the addresses of an allow list are served in ascending order', async () => {
    await using api = await borrowTestApp()
    const addresses = Array.from({ length: 120 }, (_, index) => upper(anAddress(`member ${index}`)))
    const few = addresses.slice(0, 100)
    const allowList = { owner: anAddress('owner'), contractAddress: anAddress('list'), type: 'SimpleDenyList' as const }
    const short = aCampaign({ allowList: { ...allowList, addresses: few } })
    const long = aCampaign({ allowList: { ...allowList, addresses } })
    await api.save(short, long)
    const ascending = (some: string[]) => some.map((address) => address.toLowerCase()).sort()
    expect((await api.get(`/campaigns/${long.id}`)).json().allowList.addresses).toEqual(ascending(addresses))
    const listed: { id: string; allowList: { addresses: string[] | null } }[] = (await api.get('/campaigns')).json()
      .campaigns
    expect(listed.map(({ id, allowList: { addresses: shown } }) => [id, shown])).toEqual([
      [long.id, null],
      [short.id, ascending(few)],
    ])
  })

  test('claims may move to another incentive in the call that withdraws theirs', async () => {
    await using database = await createTestDatabase()
    const incentive = anErc20Incentive(anAddress('asset'))
    const campaign = aCampaign({ incentives: [incentive, incentive] })
    const claim = aClaim(campaign, { incentiveIndex: 1 })
    await save(database, campaign, claim)
    await save(database, { ...campaign, incentives: [incentive] }, { ...claim, incentiveIndex: 0 })
    expect(await database.query('select position, claim_count from incentives')).toEqual([
      { position: 0, claim_count: '1' },
    ])
  })
})

describe('what is around the records', () => {
  const contract = (name: string) => ({ type: 'contract', chainId: 1, address: anAddress(name), name })
  const names = async (database: TestDatabase) =>
    (await database.query('select name from contracts order by name')).map(({ name }) => name)

  test('CRLF, blank lines, a byte order mark and a missing last newline are accepted', async () => {
    await using database = await createTestDatabase()
    const lines = ['', contract('a'), ' \t', contract('b'), '', contract('c')].map((line) =>
      typeof line === 'string' ? line : JSON.stringify(line),
    )
    await importRecords(database.url, [source(`\uFEFF${lines.join('\r\n')}`)])
    expect(await names(database)).toEqual(['a', 'b', 'c'])
    expect(await faultsOf(database, `\uFEFF${lines.join('\r\n')}\r\n\r\nnonsense\r\n`)).toEqual([
      'records.ndjson:8: /: the line is not a JSON object: an import is NDJSON, one object a line',
      '1 fault, references not checked; nothing was imported',
    ])
  })

  test('a record is read whole wherever the chunks of a file end', async () => {
    await using database = await createTestDatabase()
    const bytes = Buffer.from(ndjson({ ...contract('a'), name: 'äöü €𝄞' }, { ...contract('b'), name: 'b' }))
    const single = Array.from(bytes, (byte) => Buffer.from([byte]))
    await importRecords(database.url, [{ name: 'bytes', bytes: Readable.from(single) }])
    expect(await names(database)).toEqual(['b', 'äöü €𝄞'])
  })

  test('a surrogate pair that is written with escapes is accepted', async () => {
    await using database = await createTestDatabase()
    await importRecords(database.url, [
      source(ndjson({ ...contract('a'), name: 'NOTE' }).replace('NOTE', '\\ud834\\uDD1E \\\\u0000')),
    ])
    expect(await names(database)).toEqual(['𝄞 \\u0000'])
  })

  test('an empty file is no fault', async () => {
    await using database = await createTestDatabase()
    const { records } = await importRecords(database.url, [source('')])
    expect(Object.values(records)).toEqual([...recordTypes, 'removal'].map(() => 0))
  })

  describe('files', () => {
    async function inFolder(
      work: (write: (name: string, content: string | Buffer) => Promise<ImportSource>) => Promise<void>,
    ) {
      const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-import-'))
      try {
        await work(async (name, content) => {
          await writeFile(join(folder, name), content)
          return toFileSource(join(folder, name), () => undefined)
        })
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    }

    test('.gz is read as it is, next to plain ones, also of several members', async () => {
      await using database = await createTestDatabase()
      await inFolder(async (write) => {
        const members = Buffer.concat([gzipSync(ndjson(contract('a'))), gzipSync(ndjson(contract('b')))])
        await importRecords(database.url, [
          await write('a.ndjson.gz', members),
          await write('b.ndjson', ndjson(contract('c'))),
        ])
      })
      expect(await names(database)).toEqual(['a', 'b', 'c'])
    })

    test('a fault in one of several files leaves out all of them and names the file', async () => {
      await using database = await createTestDatabase()
      await inFolder(async (write) => {
        const sources = [
          await write('good.ndjson', ndjson(contract('a'))),
          await write('bad.ndjson.gz', gzipSync(`${ndjson(contract('b'))}{}\n`)),
          await write('late.ndjson', ndjson(contract('c'), 7)),
        ]
        const faults = await faultsOfSources(database, sources)
        expect(faults).toEqual([
          expect.stringMatching(/\/bad\.ndjson\.gz:2: \/type: /),
          expect.stringMatching(/\/late\.ndjson:2: \/: the line is not a JSON object/),
          '2 faults, references not checked; nothing was imported',
        ])
      })
      expect(await names(database)).toEqual([])
    })

    test('a .gz that is cut off is refused, and nothing of it is there', async () => {
      await using database = await createTestDatabase()
      await inFolder(async (write) => {
        const whole = gzipSync(ndjson(...Array.from({ length: 1000 }, (_, index) => contract(`c ${index}`))))
        const cut = await write('cut.ndjson.gz', whole.subarray(0, whole.length / 2))
        await expect(importRecords(database.url, [cut])).rejects.toThrow(UnreadableFileError)
      })
      expect(await count(database, 'contracts')).toBe(0)
    })

    test('a file that is not there is refused by its name', async () => {
      await using database = await createTestDatabase()
      const missing = toFileSource('missing.ndjson', () => undefined)
      await expect(importRecords(database.url, [missing])).rejects.toThrow(/^missing\.ndjson cannot be read/)
    })
  })
})

const [LINES, FAULTY] = repeated([12_000, 9000], [100_000, 70_000])

test(`a fault on line ${FAULTY} of ${LINES}, after some have been sent, leaves the database as it was, and the report leads to the line`, async () => {
  await using database = await createTestDatabase()
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  await save(database, ...everything(), campaign, aClaim(campaign))
  const before = await dump(database)
  const asset = anAddress('replaced')
  function* records() {
    yield { ...campaign, campaignName: 'After', incentives: [anErc20Incentive(asset), anErc20Incentive(asset)] }
    for (let line = 2; line <= LINES; line++) {
      const txHash = `0x${line.toString(16).padStart(64, '0')}`
      yield aClaim(campaign, { claimant: anAddress('claimant'), txHash, amount: line === FAULTY ? '1.5' : '1' })
    }
  }
  const faults = await faultsOfSources(database, [{ name: 'many.ndjson', bytes: Readable.from(toNdjson(records())) }])
  expect(faults).toEqual([
    expect.stringMatching(new RegExp(`^many\\.ndjson:${FAULTY}: /amount: must be a decimal string .*, got "1\\.5"$`)),
    '1 fault, references not checked; nothing was imported',
  ])
  expect(await dump(database)).toEqual(before)
})

test('a dry run writes nothing and says the same', async () => {
  await using database = await createTestDatabase()
  const records = [...everything(), aCampaign({ incentives: [anErc20Incentive(anAddress('unknown'))] })]
  const before = await dump(database)
  const dry = await importRecords(database.url, [source(ndjson(...records))], { isDryRun: true })
  expect(await dump(database)).toEqual(before)
  expect(dry).toEqual(await save(database, ...records))
  await expect(importRecords(database.url, [source('{}')], { isDryRun: true })).rejects.toThrow(ImportFaultsError)
})

test('the summary says how many campaigns the default tokenWhitelist hides, and which tokens it lacks', async () => {
  await using database = await createTestDatabase()
  const [unknown, unlisted, listed] = [anAddress('unknown'), anAddress('unlisted'), anAddress('listed')]
  const rewarding = (...assets: string[]) => aCampaign({ incentives: assets.map((asset) => anErc20Incentive(asset)) })
  const summary = await save(
    database,
    aToken({ address: unlisted, whitelisted: false }),
    aToken({ address: listed }),
    rewarding(unlisted, unlisted),
    rewarding(listed, unlisted, unknown),
    rewarding(listed),
    aCampaign(),
  )
  expect({ hiddenCampaigns: summary.hiddenCampaigns, missingTokens: summary.missingTokens }).toEqual({
    hiddenCampaigns: 2,
    missingTokens: [
      { token: `8453:${unlisted}`, campaigns: 2 },
      { token: `8453:${unknown}`, campaigns: 1 },
    ],
  })
})

test('the summary names hidden campaigns also where the call changes the values of claims', async () => {
  await using database = await createTestDatabase()
  const [paid, unknown] = [aToken(), anAddress('unknown')]
  const campaign = aCampaign({ incentives: [anErc20Incentive(paid.address)] })
  await save(database, paid, campaign, aClaim(campaign))
  const price = { type: 'tokenPrice', chainId: 8453, address: paid.address, at: '2020-01-01T00:00:00Z', priceUsd: '2' }
  const hidden = aCampaign({ incentives: [anErc20Incentive(unknown)] })
  expect(await save(database, hidden, price as ImportRecord)).toMatchObject({
    hiddenCampaigns: 1,
    missingTokens: [{ token: `8453:${unknown}`, campaigns: 1 }],
  })
})
