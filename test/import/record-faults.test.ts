import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import type { ImportSource } from '../../src/import/sources.ts'
import { ImportFaultsError } from '../../src/ingest/validation-errors.ts'
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
} from '../setup/records.ts'

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

const templateId = '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01'

const core = '0xea11a7937809b8585e63b12cc86bf91a72a5b08a'

describe('a reference to what is neither stored nor in the call is a fault', () => {
  const incentive = anErc20Incentive(anAddress('asset'))
  const aProven = () => aCampaign({ incentives: [aTimeBasedIncentive(anAddress('asset'))] })
  const signatureOf = (campaignId: string, incentiveId: number) => ({
    type: 'claimSignature',
    campaignId,
    incentiveId,
    claimant: anAddress('user'),
    signature: '0x01',
    referrer: anAddress('referrer'),
  })

  test('a proof of a campaign that is not there, or pays otherwise, and a signature of one that pays by proofs', async () => {
    await using database = await createTestDatabase()
    const [fixed, proven, unknown] = [aCampaign({ incentives: [incentive] }), aProven(), aProven()]
    const user = anAddress('user')
    const content = ndjson(
      ...[fixed, proven, aClaimProof(proven, user), aClaimProof(unknown, user), aClaimProof(fixed, user)],
      signatureOf(proven.id, 0),
    )
    const faults = [
      `/campaignId: refers to campaign ${unknown.id}, which is neither stored nor in the call`,
      `/campaignId: refers to campaign ${fixed.id}, which pays nothing by a proof`,
      '/incentiveId: refers to incentive 0, which is claimed by a claimProof',
    ]
    const [not, pays, signed] = faults
    expect(await faultsOf(database, content)).toEqual([
      `records.ndjson:4: ${not}`,
      `records.ndjson:5: ${pays}`,
      `records.ndjson:6: ${signed}`,
      expect.stringMatching(/^3 faults/),
    ])
    await save(database, fixed, proven)
    const [other] = await faultsOf(database, ndjson(aClaimProof(fixed, user)))
    expect(other).toBe(`records.ndjson:1: ${pays}`)
    expect((await faultsOf(database, ndjson(signatureOf(proven.id, 0))))[0]).toBe(`records.ndjson:1: ${signed}`)
  })

  test("a claim's campaign", async () => {
    await using database = await createTestDatabase()
    const known = aCampaign({ incentives: [incentive] })
    const unknown = aCampaign({ incentives: [incentive] })
    const content = ndjson(aClaim(known), known, aClaim(unknown), signatureOf(unknown.id, 0))
    const message = `/campaignId: refers to campaign ${unknown.id}, which is neither stored nor in the call`
    expect(await faultsOf(database, content)).toEqual([
      `records.ndjson:3: ${message}`,
      `records.ndjson:4: ${message}`,
      '2 faults; nothing was imported',
    ])
    expect(await count(database, 'campaigns')).toBe(0)
    await save(database, unknown)
    await importRecords(database.url, [source(content)])
    expect(await count(database, 'claims')).toBe(2)
  })

  test("a claim's incentive, of a stored campaign and of one in the call", async () => {
    await using database = await createTestDatabase()
    const stored = aCampaign({ incentives: [incentive] })
    const given = aCampaign({ incentives: [incentive, incentive] })
    const empty = aCampaign()
    await save(database, stored)
    const before = await dump(database)
    expect(
      await faultsOf(
        database,
        ndjson(
          aClaim(stored, { incentiveIndex: 1 }),
          aClaim(given, { incentiveIndex: 1 }),
          aClaim(given, { incentiveIndex: 2 }),
          given,
        ),
        ndjson(aClaim(empty), empty, signatureOf(stored.id, 1)),
      ),
    ).toEqual([
      'records.ndjson:1: /incentiveIndex: refers to incentive 1, which the campaign does not have',
      'records.ndjson:3: /incentiveIndex: refers to incentive 2, which the campaign does not have',
      'more-1:1: /incentiveIndex: refers to incentive 0, which the campaign does not have',
      'more-1:3: /incentiveId: refers to incentive 1, which the campaign does not have',
      '4 faults; nothing was imported',
    ])
    expect(await dump(database)).toEqual(before)
  })

  test('an incentive that a campaign has gained in the call may be claimed', async () => {
    await using database = await createTestDatabase()
    const campaign = aCampaign({ incentives: [incentive] })
    await save(database, campaign)
    await save(database, aClaim(campaign, { incentiveIndex: 1 }), { ...campaign, incentives: [incentive, incentive] })
    expect(await count(database, 'claims')).toBe(1)
  })

  test("a campaign's action template and access list", async () => {
    await using database = await createTestDatabase()
    const allowList = {
      owner: anAddress('owner'),
      contractAddress: anAddress('list'),
      type: 'OffchainAccessList' as const,
      accessListId: 'nobody',
    }
    const content = ndjson(aCampaign({ actionTemplateId: templateId }), aCampaign({ allowList }))
    expect(await faultsOf(database, content)).toEqual([
      `records.ndjson:1: /actionTemplateId: refers to action template ${templateId}, which is neither stored nor in the call`,
      'records.ndjson:2: /allowList/accessListId: refers to access list nobody, which is neither stored nor in the call',
      '2 faults; nothing was imported',
    ])
    await save(database, anActionTemplate({ id: templateId }), anAccessList({ id: 'nobody' }))
    await importRecords(database.url, [source(content)])
    expect(await count(database, 'campaigns')).toBe(2)
  })

  test('stored claims and signatures of an incentive that a new version of the campaign withdraws', async () => {
    await using database = await createTestDatabase()
    const claimed = aCampaign({ incentives: [incentive, incentive, incentive] })
    const signed = aCampaign({ incentives: [incentive, incentive] })
    await save(database, claimed, signed, aClaim(claimed, { incentiveIndex: 1 }), signatureOf(signed.id, 1))
    const before = await dump(database)
    expect(
      await faultsOf(database, ndjson({ ...claimed, incentives: [incentive] }, { ...signed, incentives: [incentive] })),
    ).toEqual([
      expect.stringMatching(/^records\.ndjson:1: \/incentives: .*claims of incentive 1/),
      expect.stringMatching(/^records\.ndjson:2: \/incentives: .*signatures of incentive 1/),
      '2 faults; nothing was imported',
    ])
    expect(await dump(database)).toEqual(before)
    await save(database, { ...claimed, incentives: [incentive, incentive] })
    expect(await count(database, 'incentives')).toBe(4)
  })
})

describe('a record that is not what it has to be', () => {
  // One database for all of these: none of them writes anything.
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  const contract = { type: 'contract', chainId: 1, address: anAddress('contract'), name: 'Name' }
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  const claim = aClaim(campaign)
  const list = anAccessList()
  const allowList = { owner: anAddress('owner'), contractAddress: anAddress('list'), type: 'SimpleAllowList' }
  const beyond = String(2n ** 256n)

  const refused: [what: string, record: unknown, pointer: string, message: RegExp][] = [
    ['is an array', [1], '/', /: an import is NDJSON, one object a line; jq -c '\.\[\]' makes that of an array$/],
    ['is null', null, '/', /^the line is not a JSON object: an import is NDJSON, one object a line$/],
    ['has no type', { chainId: 1 }, '/type', /^is required, one of token, /],
    ['has an unknown type', { ...contract, type: 'contracts' }, '/type', /^must be one of token, .*, got "contracts"$/],
    ['has a type that is no text', { ...contract, type: 1 }, '/type', /got 1$/],
    ['lacks a key', { ...contract, name: undefined }, '/name', /^is required$/],
    ['has an unknown key', { ...contract, nam: 'x' }, '/nam', /^is an unknown key$/],
    [
      'has an unknown key further in',
      { ...campaign, allowList: { ...allowList, adresses: [] } },
      '/allowList/adresses',
      /^is an unknown key$/,
    ],
    [
      'has an incentive with an unknown key',
      { ...campaign, incentives: [anErc20Incentive(anAddress('asset'), { metadata: null })] },
      '/incentives/0/metadata',
      /^is an unknown key$/,
    ],
    [
      'has an incentive of an unknown type',
      { ...campaign, incentives: [...campaign.incentives, { type: 'ERC721Incentive' }] },
      '/incentives/1/type',
      /^must be one of AllowListIncentive, .*, got "ERC721Incentive"$/,
    ],
    [
      'has an incentive without a type',
      { ...campaign, incentives: [{ reward: '1' }] },
      '/incentives/0/type',
      /^is required/,
    ],
    [
      'has a step with an unknown key',
      { ...campaign, actionSteps: [{ ...aStep(anAddress('x')), note: '' }] },
      '/actionSteps/0/note',
      /^is an unknown key$/,
    ],
    [
      'has an address that is none',
      { ...contract, address: '0x12' },
      '/address',
      /^must be an address .*, got "0x12"$/,
    ],
    [
      'has an address with the prefix 0X',
      { ...contract, address: contract.address.replace('0x', '0X') },
      '/address',
      /^must be an address/,
    ],
    [
      'has a faulty address among good ones',
      { ...list, members: [anAddress('a'), '0x'] },
      '/members/1',
      /^must be an address/,
    ],
    ['has an amount of 2^256', { ...claim, amount: beyond }, '/amount', /below 2\^256/],
    ['has an amount of 79 digits', { ...claim, amount: `1${'0'.repeat(78)}` }, '/amount', /below 2\^256/],
    ['has a negative amount', { ...claim, amount: '-1' }, '/amount', /without sign/],
    ['has an amount with leading zeros', { ...claim, amount: '01' }, '/amount', /leading zeros/],
    ['has an amount that is a number', { ...claim, amount: 1 }, '/amount', /decimal string/],
    [
      'has a limit of 2^256',
      { ...campaign, incentives: [anErc20Incentive(anAddress('asset'), { limit: beyond })] },
      '/incentives/0/limit',
      /below 2\^256/,
    ],
    ['has an identifier of 2^256', { ...campaign, id: `8453:${core}:${beyond}` }, '/id', /2\^256/],
    [
      'is metadata of an identifier of 2^256',
      { type: 'campaignMetadata', id: `8453:${core}:${beyond}`, campaignName: 'A' },
      '/id',
      /2\^256/,
    ],
    ['has a chain ID of 2^53', { ...campaign, id: `9007199254740992:${core}:1` }, '/id', /^must be a campaign ID/],
    ['has a campaign ID without identifier', { ...campaign, id: `8453:${core}` }, '/id', /^must be a campaign ID/],
    ['has a fee that is too large', { ...campaign, protocolFee: beyond }, '/protocolFee', /below 2\^256/],
    [
      'has an instant on 30 February',
      { ...campaign, startTime: '2025-02-30T00:00:00Z' },
      '/startTime',
      /^must be an ISO 8601 instant .*, got "2025-02-30T00:00:00Z"$/,
    ],
    ['has 29 February in a common year', { ...campaign, endTime: '2025-02-29T00:00:00Z' }, '/endTime', /instant/],
    ['has an hour 24', { ...list, createdAt: '2025-01-01T24:00:00Z' }, '/createdAt', /instant/],
    ['has an instant without a zone', { ...list, createdAt: '2025-01-01T00:00:00' }, '/createdAt', /instant/],
    ['has a date for an instant', { ...list, createdAt: '2025-01-01' }, '/createdAt', /instant/],
    ['has a block time after 9999', { ...claim, blockTimestamp: '253402300800' }, '/blockTimestamp', /before the year/],
    ['allows a claimant 0 claims', { ...campaign, maxClaimsPerClaimant: 0 }, '/maxClaimsPerClaimant', /from 1 to/],
    ['allows half a claim', { ...campaign, maxClaimsPerClaimant: 1.5 }, '/maxClaimsPerClaimant', /an integer/],
    ['allows a claimant "many"', { ...campaign, maxClaimsPerClaimant: 'many' }, '/maxClaimsPerClaimant', /"unlimited"/],
    ['has a log index beyond 2^31', { ...claim, logIndex: 2 ** 31 }, '/logIndex', /an integer from 0 to 2147483647/],
    ['has a US dollar amount with an exponent', { ...claim, amountUsd: '1e3' }, '/amountUsd', /exponent/],
    [
      'names an access list for a list of another type',
      { ...campaign, allowList: { ...allowList, accessListId: 'x' } },
      '/allowList/accessListId',
      /OffchainAccessList/,
    ],
    ['has a template ID that is no UUID', { ...campaign, actionTemplateId: 'x' }, '/actionTemplateId', /a UUID/],
    [
      'has a name of 5,000 characters',
      { ...campaign, campaignName: 'x'.repeat(5000) },
      '/campaignName',
      /^must be text of at most 4096 characters, got "x/,
    ],
    [
      'has a key that is no chain ID',
      { ...campaign, createdAtBlockchainNumbers: { x: '1' } },
      '/createdAtBlockchainNumbers',
      /^must be an object whose keys are chain IDs, got "x"$/,
    ],
    ['has a NUL', { ...contract, name: 'a\0b' }, '/name', /NUL/],
    ['has a NUL further in', { ...campaign, distributionChannels: ['ok', '\0'] }, '/distributionChannels/1', /NUL/],
    ['has the first half of a surrogate pair', { ...contract, name: 'a\ud834' }, '/name', /surrogate/],
    ['has the second half of a surrogate pair', { ...contract, name: '\udd1ea' }, '/name', /surrogate/],
  ]

  test.each(refused)('one that %s is refused', async (_what, record, pointer, message) => {
    const [fault = '', ...rest] = await faultsOf(database, ndjson(contract, record))
    expect(fault.startsWith(`records.ndjson:2: ${pointer}: `), fault).toBe(true)
    expect(fault.slice(`records.ndjson:2: ${pointer}: `.length)).toMatch(message)
    expect(rest).toEqual(['1 fault, references not checked; nothing was imported'])
    expect(await count(database, 'contracts')).toBe(0)
  })

  test.each([
    ['broken JSON', '{"type": "contract"', 'the line is not a JSON object: an import is NDJSON, one object a line'],
    [
      'two records on a line',
      JSON.stringify(contract).repeat(2),
      'the line is not a JSON object: an import is NDJSON, one object a line',
    ],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), 'the line is not UTF-8'],
    [
      'bytes that are not UTF-8 within a text',
      Buffer.concat([Buffer.from('{"type":"contract","name":"'), Buffer.from([0xff]), Buffer.from('"}')]),
      'the line is not UTF-8',
    ],
    ['half a surrogate pair as bytes', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'the line is not UTF-8'],
  ])('a line of %s is refused', async (_what, line, message) => {
    const content = Buffer.concat([Buffer.from(ndjson(contract)), Buffer.from(line), Buffer.from('\n')])
    expect(await faultsOf(database, content)).toEqual([
      `records.ndjson:2: /: ${message}`,
      '1 fault, references not checked; nothing was imported',
    ])
    expect(await count(database, 'contracts')).toBe(0)
  })

  test('a price of the future is told with other faults', async () => {
    const price = {
      type: 'tokenPrice',
      chainId: 1,
      address: contract.address,
      priceUsd: '1',
      at: '2999-01-01T00:00:00Z',
    }
    expect(await faultsOf(database, ndjson({ ...contract, name: 5 }, price))).toEqual([
      expect.stringMatching(/^records\.ndjson:1: \/name: /),
      'records.ndjson:2: /at: is in the future',
      '2 faults, references not checked; nothing was imported',
    ])
  })

  test('each fault of a record is told', async () => {
    const faults = await faultsOf(database, ndjson({ ...contract, chainId: -1, address: 'x', name: 5 }))
    expect(faults.map((fault) => fault.split(': ')[1])).toEqual(['/chainId', '/address', '/name', undefined])
  })

  test('a key or a text cannot act on a terminal, or break the line', async () => {
    const faults = await faultsOf(
      database,
      ndjson({ ...contract, '\u001b[2J\n': 1 }, { ...contract, chainId: '\u009b2J' }),
    )
    expect(faults).toEqual([
      'records.ndjson:1: /\\u001b[2J\\u000a: is an unknown key',
      expect.stringMatching(/^records\.ndjson:2: \/chainId: .*, got "\\u009b2J"$/),
      '2 faults, references not checked; nothing was imported',
    ])
  })

  test('the first 20 faults are told, and the number of all', async () => {
    const broken = Array.from({ length: 25 }, () => ({ ...contract, chainId: -1 }))
    const faults = await faultsOf(database, ndjson(contract, ...broken), ndjson(...broken))
    expect(faults.slice(0, 20)).toEqual(
      Array.from({ length: 20 }, (_, index) =>
        expect.stringMatching(new RegExp(`^records\\.ndjson:${index + 2}: /chainId: must be a chain ID .*, got -1$`)),
      ),
    )
    expect(faults.slice(20)).toEqual(['… and 30 more', '50 faults, references not checked; nothing was imported'])
  })

  test('the first 20 faulty references are told, and the number of all', async () => {
    const claims = Array.from({ length: 47 }, () => aClaim(campaign))
    const faults = await faultsOf(database, ndjson(contract, ...claims))
    expect(faults).toHaveLength(22)
    expect(faults[0]).toMatch(/^records\.ndjson:2: \/campaignId: /)
    expect(faults[19]).toMatch(/^records\.ndjson:21: \/campaignId: /)
    expect(faults.slice(20)).toEqual(['… and 27 more', '47 faults; nothing was imported'])
  })
})
