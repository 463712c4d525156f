import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { campaignFields, recordSchemasOf, withColumns } from '../../src/database/campaign-fields.ts'
import { importRecords } from '../../src/import/importer.ts'
import type { ImportSource } from '../../src/import/sources.ts'
import { valuesBySchema } from '../setup/data/fields-by-schema.ts'
import { MAX_UINT256, variants } from '../setup/data/incentive-variants.ts'
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
} from '../setup/records.ts'

/** NDJSON as a file would hold it; what the records are is not checked here. */
const ndjson = (...records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

const source = (content: string | Buffer, name = 'records.ndjson'): ImportSource => ({
  name,
  bytes: Readable.from([Buffer.from(content)]),
})

const save = (database: TestDatabase, ...records: unknown[]) =>
  importRecords(database.url, [source(ndjson(...records))])

/** What a query finds in a column where a record has this value. */
const asStored = (value: unknown, sqlType: string) =>
  sqlType.startsWith('timestamp') ? new Date(String(value)) : value

const count = async (database: TestDatabase, table: string) =>
  Number((await database.query(`select count(*) from ${table}`))[0]?.count)

const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`

const templateId = '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01'

const core = '0xea11a7937809b8585e63b12cc86bf91a72a5b08a'

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
    const record = {
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
    }
    // Fields that are not above, by their schemas.
    const others = withColumns(campaignFields).filter(({ name }) => !(name in record))
    const values = valuesBySchema(recordSchemasOf(campaignFields), anAddress)
    await save(database, anActionTemplate({ id: templateId }), anAccessList({ id: 'holders' }), {
      ...Object.fromEntries(others.map(({ name }) => [name, values[name]])),
      ...record,
    })
    const [campaign] = await database.query('select * from campaigns')
    expect(campaign).toEqual({
      ...Object.fromEntries(others.map(({ name, sqlName, sqlType }) => [sqlName, asStored(values[name], sqlType)])),
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
        has_recorded_addresses: true,
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
