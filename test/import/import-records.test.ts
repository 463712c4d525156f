import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { type ImportSource, toFileSource, toNdjson, UnreadableFileError } from '../../src/import/sources.ts'
import { recordTypes } from '../../src/ingest/records.ts'
import { ImportFaultsError } from '../../src/ingest/validation-errors.ts'
import { expectMapsToAgree } from '../setup/campaign-maps.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import {
  aCampaign,
  aClaim,
  aHash,
  anAccessList,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  aStep,
  aToken,
} from '../setup/records.ts'
import { OF_ITS_OWN } from '../setup/stored-content.ts'
import { startTestApp } from '../setup/test-app.ts'

type Row = Record<string, unknown>

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
  await expectMapsToAgree(database)
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
const core = '0xea11a7937809b8585e63b12cc86bf91a72a5b08a'
const MAX_UINT256 = String(2n ** 256n - 1n)

/** An incentive of each variant with all that its record can hold. */
const variants = {
  AllowListIncentive: { allowListAddress: anAddress('allow list'), limit: '50' },
  CGDAIncentive: {
    asset: anAddress('asset'),
    initialReward: '500',
    rewardDecay: '10',
    rewardBoost: '20',
    totalBudget: MAX_UINT256,
  },
  ERC20Incentive: { asset: anAddress('asset'), strategy: 1, reward: '100', limit: '9', remainingBalance: '900' },
  PointsIncentive: { venue: anAddress('venue'), selector: '0x40c10f19', reward: '1', limit: '1' },
  ERC20VariableIncentive: { asset: anAddress('asset'), reward: '1', limit: '2', totalClaims: '7' },
  ERC20VariableCriteriaIncentive: criteriaIncentive({}, {}),
  ERC20VariableCriteriaIncentiveV2: criteriaIncentive({}, { valueType: 1 }),
  ERC20PeggedIncentive: { asset: anAddress('asset'), peg: anAddress('peg'), reward: '1', limit: '2' },
  ERC20PeggedVariableCriteriaIncentive: criteriaIncentive({ peg: anAddress('peg') }, {}),
  ERC20PeggedVariableCriteriaIncentiveV2: criteriaIncentive({ peg: anAddress('peg') }, { valueType: 0 }),
}

function criteriaIncentive(parts: Row, criteriaParts: Row) {
  return {
    asset: anAddress('asset'),
    reward: '70000000000000000',
    limit: '5000',
    maxReward: '10',
    claimedAmount: '3',
    totalAmountClaimed: '4',
    totalClaims: '1',
    remainingBalance: '4996',
    rebatePercentage: 7.5,
    criteria: {
      criteriaType: 0,
      signature: '0xe00361d2',
      fieldIndex: 7,
      targetContract: anAddress('router'),
      ...criteriaParts,
    },
    ...parts,
  }
}

describe('every type of record', () => {
  test('a token is stored under chain and address, and replaced', async () => {
    await using database = await createTestDatabase()
    const address = anAddress('usdc')
    await save(database, {
      type: 'token',
      chainId: 8453,
      address: upper(address),
      decimals: 6,
      name: 'USD Coin',
      symbol: 'USDC',
      imageUri: 'https://images.example/usdc.png',
      whitelisted: true,
      priceUsd: '1.000100000000000000000000000001',
      marketCap: 3.9e9,
      priceChange24Hr: -0.01,
      volume24Hr: 812000000.5,
      holders: 4200000,
    })
    const stored = () =>
      database.query(
        `select chain_id, address, decimals, name, symbol, image_uri, is_whitelisted, price_usd, market_cap,
          price_change_24_hr, volume_24_hr, holders from tokens`,
      )
    expect(await stored()).toEqual([
      {
        chain_id: '8453',
        address,
        decimals: 6,
        name: 'USD Coin',
        symbol: 'USDC',
        image_uri: 'https://images.example/usdc.png',
        is_whitelisted: true,
        price_usd: '1.000100000000000000000000000001',
        market_cap: 3.9e9,
        price_change_24_hr: -0.01,
        volume_24_hr: 812000000.5,
        holders: 4200000,
      },
    ])
    const again = { type: 'token', chainId: 8453, address, decimals: 8, name: 'New', symbol: 'NEW', imageUri: '' }
    await save(database, again)
    expect(await stored()).toEqual([
      {
        chain_id: '8453',
        address,
        decimals: 8,
        name: 'New',
        symbol: 'NEW',
        image_uri: '',
        is_whitelisted: false,
        // A record without a price says nothing of it.
        price_usd: '1.000100000000000000000000000001',
        market_cap: null,
        price_change_24_hr: null,
        volume_24_hr: null,
        holders: null,
      },
    ])
    await save(database, { ...again, chainId: 10 })
    expect(await count(database, 'tokens')).toBe(2)
  })

  test('a contract is stored under chain and address, and replaced', async () => {
    await using database = await createTestDatabase()
    const address = anAddress('governor')
    await save(database, { type: 'contract', chainId: 480, address: upper(address), name: 'Governor' })
    expect(await database.query('select * from contracts')).toEqual([{ chain_id: '480', address, name: 'Governor' }])
    await save(database, { type: 'contract', chainId: 480, address, name: 'Räte-\\t\t"Governor"\n\\N' })
    expect(await database.query('select * from contracts')).toEqual([
      { chain_id: '480', address, name: 'Räte-\\t\t"Governor"\n\\N' },
    ])
  })

  test('an action template is stored under its ID, and replaced', async () => {
    await using database = await createTestDatabase()
    const template = { type: 'actionTemplate', id: templateId, projectId: 'zora', actionType: 'mint' }
    await save(database, {
      ...template,
      projectImage: 'https://images.example/zora.png',
      description: 'Mint',
      category: 'nft',
    })
    const stored = { id: templateId, project_id: 'zora', action_type: 'mint' }
    expect(await database.query('select * from action_templates')).toEqual([
      { ...stored, project_image: 'https://images.example/zora.png', description: 'Mint', category: 'nft' },
    ])
    await save(database, { ...template, id: templateId.toUpperCase(), projectImage: '', description: null })
    expect(await database.query('select * from action_templates')).toEqual([
      { ...stored, project_image: '', description: null, category: null },
    ])
  })

  test('an access list is stored under its ID, and replaced with its members', async () => {
    await using database = await createTestDatabase()
    const list = { type: 'accessList', id: 'Holders', userId: 'User-1', name: 'Holders', icon: 'icon.png' }
    const [first = '', second = '', third = ''] = [anAddress(1), anAddress(2), anAddress(3)].sort()
    await save(database, { ...list, createdAt: '2024-10-01T09:00:00.5Z', members: [second, upper(first)] })
    const members = async () =>
      (await database.query('select * from access_list_members order by address')).map((row) => Object.values(row))
    const stored = { id: 'Holders', user_id: 'User-1', name: 'Holders', name_words: "'holders'" }
    expect(await database.query('select * from access_lists')).toEqual([
      { ...stored, icon: 'icon.png', created_at: new Date('2024-10-01T09:00:00.500Z'), member_count: 2 },
    ])
    expect(await members()).toEqual([
      ['Holders', first],
      ['Holders', second],
    ])
    await save(database, { ...list, icon: undefined, createdAt: '2025-01-01T00:00:00Z', members: [third] })
    expect(await database.query('select * from access_lists')).toEqual([
      { ...stored, icon: '', created_at: new Date('2025-01-01T00:00:00.000Z'), member_count: 1 },
    ])
    expect(await members()).toEqual([['Holders', third]])
    await save(database, { ...list, createdAt: '2025-01-01T00:00:00Z' })
    expect(await members()).toEqual([])
  })

  test('a campaign is stored with all that its record holds', async () => {
    await using database = await createTestDatabase()
    const step = { ...aStep(upper(anAddress('target')), 480), claimant: upper(anAddress('claimer')) }
    const addresses = [anAddress('b'), upper(anAddress('a'))]
    const claimant = { signature: '0x31', signatureName: 'D()', signatureType: 'event', fieldIndex: 0 }
    const actionClaimant = { ...claimant, targetContractName: 'W', chainId: 8453 }
    await save(database, anActionTemplate({ id: templateId }), anAccessList({ id: 'holders' }), {
      type: 'campaign',
      id: `8453:${upper(core)}:${MAX_UINT256}`,
      action: upper(anAddress('action')),
      budget: upper(anAddress('budget')),
      owner: upper(anAddress('owner')),
      validator: upper(anAddress('validator')),
      blockTimestamp: '1755000000',
      txHash: `0x${'AB'.repeat(32)}`,
      protocolFee: MAX_UINT256,
      maxParticipants: '100',
      maxClaimsPerClaimant: 3,
      incentives: [{ type: 'PointsIncentive', ...variants.PointsIncentive, venue: upper(anAddress('venue')) }],
      allowList: {
        owner: upper(anAddress('list owner')),
        contractAddress: anAddress('list'),
        type: 'OffchainAccessList',
        addresses,
        accessListId: 'holders',
      },
      actionSteps: [step],
      campaignIndex: '17',
      actionClaimant: { ...actionClaimant, targetContract: upper(anAddress('w')) },
      createdAtBlockchainNumbers: { '480': '27622349', '8453': '34100000' },
      creator: upper(anAddress('creator')),
      campaignName: 'Vote',
      templateId: 'template',
      actionTemplateId: templateId,
      customAction: false,
      nftImageUri: 'ipfs://nft',
      nftName: 'NFT',
      nftMetadataId: 'meta',
      projectImageUri: 'https://images.example/project.png',
      projectUrl: 'https://project.example',
      tokenImageUri: 'https://images.example/token.png',
      startTime: '2025-01-01T00:00:00Z',
      endTime: '2026-02-28T23:59:59.999Z',
      verificationLevel: 'orb',
      distributionChannels: ['Worldcoin', 'public'],
      autocampaignId: 'Auto-1',
      actionToken: { chainId: 10, address: upper(anAddress('op')) },
      nftCollection: { chainId: 7777777, address: upper(anAddress('nft')) },
    })
    const [campaign] = await database.query('select * from campaigns')
    expect(campaign).toEqual({
      key: expect.any(String),
      id: `8453:${core}:${MAX_UINT256}`,
      chain_id: '8453',
      core_address: core,
      identifier: MAX_UINT256,
      campaign_index: '17',
      action: anAddress('action'),
      budget: anAddress('budget'),
      owner: anAddress('owner'),
      creator: anAddress('creator'),
      validator: anAddress('validator'),
      block_timestamp: '1755000000',
      tx_hash: `0x${'ab'.repeat(32)}`,
      protocol_fee: MAX_UINT256,
      max_participants: '100',
      max_claims_per_claimant: '3',
      action_claimant: { ...actionClaimant, targetContract: anAddress('w') },
      created_at_blockchain_numbers: { '480': '27622349', '8453': '34100000' },
      campaign_name: 'Vote',
      template_id: 'template',
      action_template_id: templateId,
      custom_action: false,
      uses_template_as_is: true,
      nft_image_uri: 'ipfs://nft',
      nft_name: 'NFT',
      nft_metadata_id: 'meta',
      project_image_uri: 'https://images.example/project.png',
      project_url: 'https://project.example',
      token_image_uri: 'https://images.example/token.png',
      start_at: new Date('2025-01-01T00:00:00.000Z'),
      end_at: new Date('2026-02-28T23:59:59.999Z'),
      verification_level: 'orb',
      distribution_channels: ['Worldcoin', 'public'],
      autocampaign_id: 'Auto-1',
      action_token_chain_id: '10',
      action_token_address: anAddress('op'),
      has_whitelisted_rewards: true,
      is_exhausted: false,
    })
    expect(await database.query('select position, type, chain_id, asset, definition from incentives')).toEqual([
      {
        position: 0,
        type: 'PointsIncentive',
        chain_id: '8453',
        asset: null,
        definition: { type: 'PointsIncentive', ...variants.PointsIncentive },
      },
    ])
    expect(await database.query('select position, definition from action_steps')).toEqual([
      {
        position: 0,
        definition: { ...step, targetContract: anAddress('target'), claimant: anAddress('claimer') },
      },
    ])
    expect(await database.query('select * from allow_lists')).toEqual([
      {
        campaign_key: campaign?.key,
        owner: anAddress('list owner'),
        contract_address: anAddress('list'),
        type: 'OffchainAccessList',
        access_list_id: 'holders',
        allowed_list_ids: [],
        denied_list_ids: [],
        address_count: 2,
      },
    ])
    expect(await database.query('select kind, chain_id, value from campaign_facets order by kind, value')).toEqual([
      { kind: 'channel', chain_id: '0', value: 'public' },
      { kind: 'channel', chain_id: '0', value: 'worldcoin' },
      { kind: 'collection', chain_id: '7777777', value: anAddress('nft') },
      { kind: 'target', chain_id: '480', value: anAddress('target') },
      { kind: 'token', chain_id: '10', value: anAddress('op') },
    ])
  })

  test.each(Object.entries(variants))('a campaign with an incentive of type %s is stored', async (type, fields) => {
    await using database = await createTestDatabase()
    await save(database, { ...aCampaign(), incentives: [{ type, ...fields }] })
    expect(await database.query('select type, definition from incentives')).toEqual([
      { type, definition: { type, ...fields } },
    ])
  })

  test('what a campaign record leaves out has its defaults', async () => {
    await using database = await createTestDatabase()
    await save(database, aCampaign({ id: `10:${core}:7` }))
    expect(
      await database.query(`select campaign_index, creator, campaign_name, uses_template_as_is, start_at, end_at,
        distribution_channels, autocampaign_id from campaigns`),
    ).toEqual([
      {
        campaign_index: '7',
        creator: anAddress('owner'),
        campaign_name: null,
        uses_template_as_is: false,
        start_at: null,
        end_at: null,
        distribution_channels: [],
        autocampaign_id: null,
      },
    ])
    expect(await count(database, 'allow_lists')).toBe(0)
    expect(await count(database, 'action_steps')).toBe(0)
  })

  test('what the validator allows a claimant is a number, unlimited or unknown, and replaced with the campaign', async () => {
    await using database = await createTestDatabase()
    const stored = () => database.query('select max_claims_per_claimant from campaigns')
    const campaign = aCampaign()
    for (const [given, expected] of [
      [1, '1'],
      ['unlimited', 'Infinity'],
      [Number.MAX_SAFE_INTEGER, '9007199254740991'],
      [null, null],
      ['unlimited', 'Infinity'],
      [undefined, null],
    ] as const) {
      await save(database, { ...campaign, maxClaimsPerClaimant: given })
      expect(await stored()).toEqual([{ max_claims_per_claimant: expected }])
    }
  })

  test('a customised action does not use its template as it is', async () => {
    await using database = await createTestDatabase()
    await save(database, anActionTemplate({ id: templateId }), {
      ...aCampaign(),
      actionTemplateId: templateId,
      customAction: true,
    })
    expect(await database.query('select uses_template_as_is from campaigns')).toEqual([{ uses_template_as_is: false }])
  })

  test('a campaign is replaced whole with its incentives and steps; its claims and its key stay', async () => {
    await using database = await createTestDatabase()
    const asset = anAddress('asset')
    const campaign = aCampaign({
      campaignName: 'Before',
      distributionChannels: ['public'],
      incentives: [anErc20Incentive(asset), anErc20Incentive(asset, { reward: '7' })],
      actionSteps: [aStep(anAddress('one')), aStep(anAddress('two'))],
      allowList: {
        owner: anAddress('owner'),
        contractAddress: anAddress('list'),
        type: 'SimpleAllowList',
        addresses: [anAddress('member')],
      },
    })
    await save(database, campaign, aClaim(campaign, { amount: '5' }))
    const [before] = await database.query('select key from campaigns')
    await save(
      database,
      aCampaign({
        id: campaign.id.toUpperCase().replace('0X', '0x'),
        incentives: [{ type: 'PointsIncentive', ...variants.PointsIncentive }],
        actionSteps: [aStep(anAddress('three'))],
      }),
    )
    expect(await database.query('select key, id, campaign_name from campaigns')).toEqual([
      { key: before?.key, id: campaign.id, campaign_name: null },
    ])
    expect(await database.query('select position, type, asset, claim_count, claimed_amount from incentives')).toEqual([
      { position: 0, type: 'PointsIncentive', asset: null, claim_count: '1', claimed_amount: '5' },
    ])
    expect(
      await database.query(`select position, definition ->> 'targetContract' as target from action_steps`),
    ).toEqual([{ position: 0, target: anAddress('three') }])
    expect(await count(database, 'allow_lists')).toBe(0)
    expect(await count(database, 'allow_list_addresses')).toBe(0)
    expect(await database.query('select kind, value from campaign_facets')).toEqual([
      { kind: 'target', value: anAddress('three') },
    ])
    expect(await database.query('select campaign_key, amount from claims')).toEqual([
      { campaign_key: before?.key, amount: '5' },
    ])
  })

  test('a claim is stored under chain, transaction and log index, and replaced', async () => {
    await using database = await createTestDatabase()
    const incentives = [anErc20Incentive(anAddress('asset')), anErc20Incentive(anAddress('asset'))]
    const [first, second] = [aCampaign({ incentives }), aCampaign({ incentives })]
    const claim = aClaim(first, {
      claimant: upper(anAddress('claimant')),
      amount: MAX_UINT256,
      amountUsd: '0.50005',
      txHash: `0x${'CD'.repeat(32)}`,
      logIndex: 2_147_483_647,
      blockTimestamp: '1731400000',
    })
    await save(database, first, second, claim)
    const stored = () =>
      database.query(`select campaigns.id, claims.chain_id, encode(claims.tx_hash, 'hex') as tx_hash, log_index,
        incentive_position, claimant, amount, amount_usd, claims.block_timestamp
        from claims join campaigns on key = campaign_key`)
    const expected = {
      id: first.id,
      chain_id: '8453',
      tx_hash: 'cd'.repeat(32),
      log_index: 2_147_483_647,
      incentive_position: 0,
      claimant: anAddress('claimant'),
      amount: MAX_UINT256,
      amount_usd: '0.50005',
      block_timestamp: '1731400000',
    }
    expect(await stored()).toEqual([expected])
    await save(database, {
      ...claim,
      campaignId: second.id,
      incentiveIndex: 1,
      amount: '0',
      amountUsd: null,
      txHash: claim.txHash.toLowerCase(),
    })
    expect(await stored()).toEqual([
      { ...expected, id: second.id, incentive_position: 1, amount: '0', amount_usd: '0' },
    ])
    await save(database, { ...claim, logIndex: 0 })
    expect(await count(database, 'claims')).toBe(2)
  })

  test('the same transaction on another chain is another claim', async () => {
    await using database = await createTestDatabase()
    const incentives = [anErc20Incentive(anAddress('asset'))]
    const base = aCampaign({ incentives })
    const optimism = aCampaign({ id: `10:${core}:1`, incentives })
    const place = { txHash: aHash('one transaction'), logIndex: 3 }
    await save(database, base, optimism, aClaim(base, place), aClaim(optimism, place))
    expect(await count(database, 'claims')).toBe(2)
  })

  test('a claim signature is stored under campaign, claimant and incentive, and replaced', async () => {
    await using database = await createTestDatabase()
    const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('a')), anErc20Incentive(anAddress('a'))] })
    const signature = {
      type: 'claimSignature',
      campaignId: campaign.id,
      incentiveId: 1,
      claimant: upper(anAddress('claimant')),
      signature: '0xabAB',
      referrer: upper(anAddress('referrer')),
    }
    await save(database, campaign, signature)
    const stored = () =>
      database.query('select claimant, incentive_position, signature, referrer from claim_signatures order by 2')
    const expected = {
      claimant: anAddress('claimant'),
      incentive_position: 1,
      signature: '0xabAB',
      referrer: anAddress('referrer'),
    }
    expect(await stored()).toEqual([expected])
    await save(database, { ...signature, claimant: anAddress('claimant'), signature: '0x01' })
    expect(await stored()).toEqual([{ ...expected, signature: '0x01' }])
    await save(database, { ...signature, incentiveId: 0, signature: '0x02' })
    expect(await stored()).toEqual([
      { ...expected, incentive_position: 0, signature: '0x02' },
      { ...expected, signature: '0x01' },
    ])
  })

  test('a profile is stored under its address, and replaced', async () => {
    await using database = await createTestDatabase()
    const profile = {
      type: 'profile',
      userAddress: upper(anAddress('user')),
      ethEarned: MAX_UINT256,
      score: 8120.25,
      streak: {
        value: 4,
        lastExpirationTime: '2025-05-01T00:00:00.000Z',
        nextExpirationTime: '2025-05-08T00:00:00.000Z',
        lastCompletionTime: '2025-05-02T08:30:00.000Z',
      },
    }
    await save(database, profile)
    const stored = {
      user_address: anAddress('user'),
      eth_earned: MAX_UINT256,
      score: 8120.25,
      streak_value: 4,
      streak_last_expiration_at: new Date('2025-05-01T00:00:00.000Z'),
      streak_next_expiration_at: new Date('2025-05-08T00:00:00.000Z'),
      streak_last_completion_at: new Date('2025-05-02T08:30:00.000Z'),
    }
    const profiles = () => database.query(`select ${Object.keys(stored).join(', ')} from profiles`)
    expect(await profiles()).toEqual([stored])
    await save(database, { ...profile, userAddress: anAddress('user'), ethEarned: '0', score: -1 })
    expect(await profiles()).toEqual([{ ...stored, eth_earned: '0', score: -1 }])
  })

  test('an empty text of an incentive stays, where it is not a figure', async () => {
    await using database = await createTestDatabase()
    const incentive = { type: 'PointsIncentive', ...variants.PointsIncentive, selector: '' }
    await save(database, { ...aCampaign(), incentives: [incentive] })
    expect(await database.query('select definition from incentives')).toEqual([{ definition: incentive }])
  })
})

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
    expect(summary.records).toEqual({ ...Object.fromEntries(recordTypes.map((type) => [type, 1])), token: 2 })
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
    await using api = await startTestApp()
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
      '1 fault; nothing was imported',
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
    expect(Object.values(records)).toEqual(recordTypes.map(() => 0))
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
          expect.stringMatching(/^bad\.ndjson\.gz:2: \/type: /),
          expect.stringMatching(/^late\.ndjson:2: \/: the line is not a JSON object/),
          '2 faults; nothing was imported',
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

describe('a reference to what is neither stored nor in the call is a fault', () => {
  const incentive = anErc20Incentive(anAddress('asset'))
  const signatureOf = (campaignId: string, incentiveId: number) => ({
    type: 'claimSignature',
    campaignId,
    incentiveId,
    claimant: anAddress('user'),
    signature: '0x01',
    referrer: anAddress('referrer'),
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
    ['is no object', [1], '/', /^the line is not a JSON object: an import is NDJSON, one object a line$/],
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
      '/incentives/1',
      /unknown type "ERC721Incentive"/,
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
    ['has a chain ID of 2^53', { ...campaign, id: `9007199254740992:${core}:1` }, '/id', /2\^53/],
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
    ['has a NUL', { ...contract, name: 'a\0b' }, '/name', /NUL/],
    ['has a NUL further in', { ...campaign, distributionChannels: ['ok', '\0'] }, '/distributionChannels/1', /NUL/],
    ['has the first half of a surrogate pair', { ...contract, name: 'a\ud834' }, '/name', /surrogate/],
    ['has the second half of a surrogate pair', { ...contract, name: '\udd1ea' }, '/name', /surrogate/],
  ]

  test.each(refused)('one that %s is refused', async (_what, record, pointer, message) => {
    const [fault = '', ...rest] = await faultsOf(database, ndjson(contract, record))
    expect(fault.startsWith(`records.ndjson:2: ${pointer}: `), fault).toBe(true)
    expect(fault.slice(`records.ndjson:2: ${pointer}: `.length)).toMatch(message)
    expect(rest).toEqual(['1 fault; nothing was imported'])
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
      '1 fault; nothing was imported',
    ])
    expect(await count(database, 'contracts')).toBe(0)
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
      '2 faults; nothing was imported',
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
    expect(faults.slice(20)).toEqual(['… and 30 more', '50 faults; nothing was imported'])
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

test('a fault on line 70,000 of 100,000 leaves the database as it was, and the report leads to the line', async () => {
  await using database = await createTestDatabase()
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  await save(database, ...everything(), campaign, aClaim(campaign))
  const before = await dump(database)
  const asset = anAddress('replaced')
  function* records() {
    yield { ...campaign, campaignName: 'After', incentives: [anErc20Incentive(asset), anErc20Incentive(asset)] }
    for (let line = 2; line <= 100_000; line++) {
      const txHash = `0x${line.toString(16).padStart(64, '0')}`
      yield aClaim(campaign, { claimant: anAddress('claimant'), txHash, amount: line === 70_000 ? '1.5' : '1' })
    }
  }
  const faults = await faultsOfSources(database, [{ name: 'many.ndjson', bytes: Readable.from(toNdjson(records())) }])
  expect(faults).toEqual([
    expect.stringMatching(/^many\.ndjson:70000: \/amount: must be a decimal string .*, got "1\.5"$/),
    '1 fault; nothing was imported',
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

describe('the campaigns of the real protocol read back field by field', () => {
  const importProtocolCampaigns = (database: TestDatabase) =>
    importRecords(database.url, [
      toFileSource(join(import.meta.dirname, '../../sample-data/protocol-campaigns.ndjson'), () => undefined),
    ])
  const purchase = '0x9d2fc5ffe5939efd1d573f975bc5eefd364779ae'
  const dropOwner = '0x84dc02a3b41ff6fb0b9288234b2b8051b641bf00'
  const action = '0x842622db27d483ccc49ac9f58920eadb90af5e73'
  const validator = '0xff1daa985e5fd471cfc6218ef702ae4dcbeb3d35'

  test('a fixed ERC-20 reward whose total is left open', async () => {
    await using api = await startTestApp()
    await importProtocolCampaigns(api.database)
    const response = await api.get('/campaigns/8453:0x378632819F39C74c4F56B1429E760739c5fb51b7:12')
    expect(response.json()).toEqual({
      id: '8453:0x378632819f39c74c4f56b1429e760739c5fb51b7:12',
      action,
      campaignIndex: '12',
      budget: '0xa904ef32d569e2ada8f4de6244bf68f36fa219f6',
      incentiveCount: '1',
      owner: dropOwner,
      validator,
      blockTimestamp: '1731373464',
      txHash: '0x2dfc8f4f24b1a3a7ee73ea13b8a20a63fe7457d1c96b95178d3ea4126b6bf5ad',
      chainId: 8453,
      protocolFee: '1000',
      maxParticipants: '10',
      incentives: [
        {
          type: 'ERC20Incentive',
          asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
          strategy: 0,
          reward: '500000',
          limit: '9',
          totalClaims: '1',
          claimedAmount: '500000',
          totalAmountClaimed: '500000',
          metadata: {
            id: '8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
            chainId: 8453,
            address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
            decimals: 6,
            name: 'USD Coin',
            symbol: 'USDC',
            imageUri: 'https://images.example/usdc.png',
          },
        },
      ],
      isActive: true,
      availableBudgetUsd: '4.50045',
      campaignName: 'Mint a drop on Base',
      templateId: null,
      actionTemplateId: templateId,
      projectImageUri: null,
      tokenImageUri: null,
      nftImageUri: null,
      nftName: null,
      nftMetadataId: null,
      startTime: '2024-11-12T00:00:00.000Z',
      endTime: null,
      createdAt: '2024-11-12T01:04:24.000Z',
      createdAtBlockchainNumbers: { '8453': '22222222' },
      allowList: {
        owner: dropOwner,
        contractAddress: '0xeecfd74f70ee663e42955b8e13d699f075736d07',
        type: 'OpenAllowList',
        addresses: [],
      },
      actionSteps: [
        {
          chainId: 8453,
          claimant: dropOwner,
          signature: '0xb362243af1e2070d7d5bf8d713f2e0fab64203f1b71462afbe20572909788c5e',
          signatureName: 'Purchased(address,address,uint256,uint256,uint256)',
          signatureType: 'event',
          actionType: 0,
          targetContract: purchase,
          parameters: { filterType: 0, fieldType: 0, fieldIndex: 2, filterData: '0x03' },
        },
      ],
    })
  })

  test('a variable criteria reward without an allow list', async () => {
    await using api = await startTestApp()
    await importProtocolCampaigns(api.database)
    const response = await api.get('/campaigns/42161:0x4faf2485c49f3c3984e68eb9fc80adaa32bd3dd2:7')
    const owner = '0xb629c117fab3baa951a220f2175a02a4bdbcf734'
    const router = '0xdef171fe48cf0115b1d80b88dc8eab59176fee57'
    const topic = '0xe00361d207b252a464323eb23d45d42583e391f2031acdd2e9fa36efddd43cb0'
    expect(response.json()).toEqual({
      id: '42161:0x4faf2485c49f3c3984e68eb9fc80adaa32bd3dd2:7',
      action,
      campaignIndex: '7',
      budget: '0xa904ef32d569e2ada8f4de6244bf68f36fa219f6',
      incentiveCount: '2',
      owner,
      validator,
      blockTimestamp: '1743000000',
      txHash: '0x0b4a6de84ce4067864681adf7a4e314fea2ac098d29b146d4019a9dc2fd78a29',
      chainId: 42161,
      protocolFee: '1000',
      maxParticipants: '10000',
      incentives: [
        {
          type: 'ERC20VariableCriteriaIncentiveV2',
          asset: '0x912ce59144191c1204e64559fe8253a0e49e6548',
          reward: '70000000000000000',
          limit: '5000000000000000000000',
          maxReward: '10000000000000000000',
          rebatePercentage: 7,
          criteria: { criteriaType: 0, signature: topic, fieldIndex: 7, targetContract: router, valueType: 1 },
          claimedAmount: '17000000000000000000',
          totalAmountClaimed: '17000000000000000000',
          totalClaims: '2',
          metadata: {
            id: '42161:0x912ce59144191c1204e64559fe8253a0e49e6548',
            chainId: 42161,
            address: '0x912ce59144191c1204e64559fe8253a0e49e6548',
            decimals: 18,
            name: 'Arbitrum',
            symbol: 'ARB',
            imageUri: 'https://images.example/arb.png',
          },
        },
        { type: 'AllowListIncentive', allowListAddress: '0xb5a8a95878a72557e53d920e239a97cf70ee4da8', limit: '50' },
      ],
      isActive: true,
      // (5000 − 17) × 0.51
      availableBudgetUsd: '2541.33',
      campaignName: 'Swap to ARB',
      templateId: null,
      actionTemplateId: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c03',
      projectImageUri: null,
      tokenImageUri: null,
      nftImageUri: null,
      nftName: null,
      nftMetadataId: null,
      startTime: null,
      endTime: null,
      createdAt: '2025-03-26T14:40:00.000Z',
      createdAtBlockchainNumbers: { '42161': '259734460' },
      allowList: { owner, contractAddress: `0x${'0'.repeat(40)}`, type: 'OpenAllowList', addresses: [] },
      actionSteps: [
        {
          chainId: 42161,
          signature: topic,
          signatureName: 'SwappedV3(bytes16,address,uint256,address,address,address,address,uint256,uint256,uint256)',
          signatureType: 'event',
          actionType: 0,
          targetContract: router,
          parameters: { filterType: 2, fieldType: 0, fieldIndex: 7, filterData: '0x00' },
        },
      ],
    })
  })

  test('the list has all but the one whose token is not whitelisted, newest first', async () => {
    await using api = await startTestApp()
    const summary = await importProtocolCampaigns(api.database)
    expect(summary).toEqual({
      records: {
        token: 7,
        tokenPrice: 0,
        contract: 6,
        actionTemplate: 3,
        accessList: 1,
        campaign: 7,
        campaignMetadata: 0,
        claim: 5,
        claimSignature: 1,
        profile: 1,
      },
      hiddenCampaigns: 1,
      missingTokens: [{ token: '8453:0xb0ffa8000886e57f86dd5264b9582b2ad87b2b91', campaigns: 1 }],
    })
    const { campaigns, totalCampaigns }: { campaigns: Row[]; totalCampaigns: number } = (
      await api.get('/campaigns')
    ).json()
    expect(totalCampaigns).toBe(6)
    expect(campaigns.map(({ id }) => id)).toEqual([
      `8453:${core}:1657`,
      '42161:0x4faf2485c49f3c3984e68eb9fc80adaa32bd3dd2:7',
      `8453:${core}:20`,
      `10:${core}:3`,
      '8453:0x378632819f39c74c4f56b1429e760739c5fb51b7:12',
      '11155111:0x378632819f39c74c4f56b1429e760739c5fb51b7:33',
    ])
    const degen = '0x4ed4e862860bed51a9570b96d89af5e1b0efefed'
    const mint = {
      chainId: 7777777,
      signature: '0x00000000000000000000000000000000000000000000000000000000a836f32f',
      signatureName:
        'mint(address mintTo,uint256 quantity,address collection,uint256 tokenId,address mintReferral,string comment)',
      signatureType: 'function',
      actionType: 0,
      targetContract: '0x777777722d078c97c6ad07d9f36801e653e356ae',
    }
    expect(campaigns[2]).toEqual({
      id: `8453:${core}:20`,
      action,
      campaignIndex: '20',
      budget: '0x1a3e67ace4bf9969f4ce48a65cd8653a24b10983',
      incentiveCount: '2',
      owner: dropOwner,
      validator,
      blockTimestamp: '1741000000',
      txHash: '0x0000000000000000000000000000000000000000000000000000000000002020',
      chainId: 8453,
      protocolFee: '1000',
      maxParticipants: '100',
      incentives: [
        {
          type: 'ERC20PeggedIncentive',
          asset: degen,
          peg: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
          reward: '1000000',
          limit: '1000000000000000000000',
          claimedAmount: '237360000000000000000',
          totalAmountClaimed: '237360000000000000000',
          totalClaims: '1',
          metadata: {
            id: `8453:${degen}`,
            chainId: 8453,
            address: degen,
            decimals: 18,
            name: 'Degen',
            symbol: 'DEGEN',
            imageUri: 'https://images.example/degen.png',
          },
        },
        {
          type: 'PointsIncentive',
          venue: '0x6916153295803dbf4eb4f5024067714e7cdc0b83',
          selector: '0x40c10f19',
          reward: '100',
          limit: '1000',
        },
      ],
      isActive: true,
      // (1000 − 237.36) × 0.004213 = 3.21300232
      availableBudgetUsd: '3.213002',
      campaignName: 'Collect on Zora',
      actionTemplateId: templateId,
      projectImageUri: null,
      tokenImageUri: null,
      nftImageUri: 'ipfs://bafybeigdyrzt/1.png',
      nftName: 'Timed sale',
      startTime: null,
      endTime: null,
      allowList: {
        owner: dropOwner,
        contractAddress: '0x26d4e00813e1a4f93c3dc91b6161ccbf24e57e07',
        type: 'SimpleDenyList',
        addresses: ['0x71cb1dc5ae0389f1828a5dfefb8476bd3bea2af2'],
      },
      actionSteps: [
        {
          ...mint,
          parameters: {
            filterType: 0,
            fieldType: 1,
            fieldIndex: 2,
            filterData: '0x3263023c87502f1676f00df902b1237f93da26a9',
          },
        },
        { ...mint, parameters: { filterType: 6, fieldType: 0, fieldIndex: 1, filterData: '0x01' } },
      ],
    })
  })
})
