import { encodeAbiParameters, toFunctionSelector } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { importRecords } from '../../../src/import/importer.ts'
import { toRecordSource } from '../../../src/import/sources.ts'
import { ChainMovedError } from '../../../src/indexer/store/chain-rows.ts'
import { openChainStore } from '../../../src/indexer/store/chain-store.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { contentOf } from '../../setup/data/stored-content.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { aCampaign, anAccessList, anAddress, toRemoval } from '../../setup/records.ts'
import { repeated } from '../../setup/repetitions.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'
import { openIndexed, settingsOf } from '../indexed.ts'
import { Playing, playedRecording } from '../recording/played-recording.ts'
import { recordedCampaigns, recordedClaims, recordedTokens } from '../recording/recorded-facts.ts'
import { recording } from '../recording/recording.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

const END = recording.blocks.at(-1)?.number ?? 0
const endOfRecording = new Date(1000 * (recording.blocks.at(-1)?.timestamp ?? 0))

const isCampaign = (record: ImportRecord) => record.type === 'campaign'
const isClaim = (record: ImportRecord) => record.type === 'claim'
const waiting = () => ({ onWait: () => undefined, signal: AbortSignal.timeout(30_000) })

/** What the public operations say of everything. */
async function responsesOfUrls(api: BorrowedTestApp) {
  api.setNow(endOfRecording)
  const urls = [
    '/campaigns?pageSize=100&tokenWhitelist=false',
    '/campaigns?pageSize=100&tokenWhitelist=false&sortBy=active',
    ...recordedCampaigns.map(({ record }) => `/campaigns/${record.id}`),
    '/reward-kit/trending?period=24h&tokenWhitelist=false',
    '/explore/contracts?pageSize=100',
  ]
  return Promise.all(urls.map(async (url) => (await api.get(url)).json()))
}

/** What is stored of campaigns and claims, and all that is derived from them. */
async function factsOf(database: TestDatabase) {
  // A token is one, whatever becomes of the campaign that has named it.
  const { followed_chains, followed_blocks, followed_campaigns, allow_lists, tokens, ...facts } =
    await contentOf(database)
  return facts
}

/** The same without what only a chain says: the states of its auctions, of which no record has a key. */
async function recordedFactsOf(database: TestDatabase) {
  await database.query('update incentives set auction = null')
  return factsOf(database)
}

/** The same facts, brought by an operator. */
const importedFacts: ImportRecord[] = [
  ...recordedTokens,
  ...recordedCampaigns.map(
    ({ record: { incentives, ...campaign } }) =>
      ({ ...campaign, incentives: incentives.map(({ auction: _, ...incentive }) => incentive) }) as ImportRecord,
  ),
  ...recordedClaims.map(({ blockNumber, ...claim }) => ({
    type: 'claim' as const,
    ...claim,
    blockTimestamp: String(recording.blocks.find(({ number }) => number === blockNumber)?.timestamp),
  })),
]

/** What somebody who starts now finds. */
async function freshFactsOf(url: string) {
  await using database = await createTestDatabase()
  await using index = await openIndexed(database.url, url)
  await index.settle()
  return await factsOf(database)
}

const headOf = async (database: TestDatabase) =>
  database.query('select as_of_block::integer, as_of_block_hash, is_back_filling from followed_chains')

test('when the recording has been followed, answers are as if its facts had been imported', async () => {
  await using indexed = await borrowTestApp()
  await using imported = await borrowTestApp()
  await using node = await startScriptedNode(playedRecording(END - 20))
  await using index = await openIndexed(indexed.database.url, node.url)
  await index.settle()
  await imported.save(...importedFacts)
  expect(await responsesOfUrls(indexed)).toEqual(await responsesOfUrls(imported))
  expect(await indexed.database.query('select auction from incentives where auction is not null')).toEqual(
    recordedCampaigns.flatMap(({ record }) =>
      record.incentives.flatMap(({ auction }) => (auction ? [{ auction }] : [])),
    ),
  )
  expect(await recordedFactsOf(indexed.database)).toEqual(await factsOf(imported.database))
})

test('followed block by block, and by one process after the other, the facts are those of a fresh look', async () => {
  const chain = new Playing(10)
  await using node = await startScriptedNode(chain)
  await using database = await createTestDatabase()
  const step = repeated(2, 1)
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await using index = await openIndexed(database.url, node.url)
    // More than the chain takes to be final; usually two of the recorded blocks at a time.
    for (let blocks = 0; blocks < 18; blocks += step) {
      chain.mine(step)
      await index.settle()
      expect(await headOf(database)).toEqual([
        { as_of_block: chain.head.number, as_of_block_hash: chain.head.hash, is_back_filling: false },
      ])
    }
  }
  expect(await factsOf(database)).toEqual(await freshFactsOf(node.url))
  expect(await database.query('select count(*)::integer from claims')).toEqual([{ count: recordedClaims.length }])
  // What is final is not remembered block by block.
  expect(await database.query('select count(*)::integer from followed_blocks')).toEqual([{ count: 11 }])
})

test('a block of claims does not alter which campaigns are found, and one without logs changes nothing', async () => {
  const chain = new Playing(100)
  await using node = await startScriptedNode(chain)
  await using database = await createTestDatabase()
  await using index = await openIndexed(database.url, node.url)
  const newest = async () => {
    const [row] = await database.query(
      'select revision::integer, affects_lists from data_versions order by revision desc limit 1',
    )
    return row
  }
  await index.settle()
  let claimed = 0
  for (let blocks = 0; blocks < 12; blocks += 1) {
    const before = await newest()
    chain.mine(0)
    await index.settle()
    expect(await newest()).toEqual(before)
    chain.mine(1)
    const advance = (await index.settle()).find((step) => step.type === 'new-blocks')
    const isClaimed = advance?.claims.length === 1 && advance.campaigns.length === 1
    if (!isClaimed) continue
    claimed += 1
    expect(await newest()).toEqual({ revision: Number(before?.revision) + 1, affects_lists: false })
  }
  expect(claimed).toBeGreaterThan(1)
})

describe('a reorganisation', () => {
  test.each(repeated([1, 9], [1, 3, 9]))(
    'of depth %i: the facts are those of a fresh look, and no claim counts twice',
    async (depth) => {
      const chain = new Playing(20)
      await using node = await startScriptedNode(chain)
      await using database = await createTestDatabase()
      await using index = await openIndexed(database.url, node.url)
      for (const blocks of [12, 11]) {
        chain.mine(blocks)
        await index.settle()
        chain.withdraw(depth)
        for (const again of [1, 2, 4]) chain.mine(again)
        await index.settle()
        expect(await factsOf(database)).toEqual(await freshFactsOf(node.url))
      }
    },
  )

  test('deeper than anything that is stored leaves the answers as they are until all has been read again', async () => {
    const chain = new Playing(2)
    await using node = await startScriptedNode(chain)
    await using database = await createTestDatabase()
    await using index = await openIndexed(database.url, node.url)
    chain.mine(5)
    for (let blocks = 0; blocks < 6; blocks += 1) {
      chain.mine(2)
      await index.settle()
    }
    const before = await factsOf(database)
    const [stored] = await headOf(database)
    chain.withdraw(7)
    chain.mine(1)
    const state = await index.store.readState()
    await index.store.apply({ type: 'restart' })
    expect(await factsOf(database)).toEqual(before)
    expect(await headOf(database)).toEqual([{ ...stored, is_back_filling: true }])
    expect(await index.store.readState()).toMatchObject({ asOf: null, window: [] })
    await index.settle()
    expect(state.asOf?.hash).not.toBe(chain.head.hash)
    expect(await factsOf(database)).toEqual(await freshFactsOf(node.url))
    expect(await headOf(database)).toMatchObject([{ as_of_block: chain.head.number, is_back_filling: false }])
  })

  test('to an older copy of the node takes nothing away for good: the same blocks come again with all they have', async () => {
    const chain = new Playing(2)
    await using node = await startScriptedNode(chain)
    await using database = await createTestDatabase()
    await using index = await openIndexed(database.url, node.url)
    for (let blocks = 0; blocks < 13; blocks += 1) {
      chain.mine(2)
      await index.settle()
    }
    const before = await factsOf(database)
    const newer = chain.blocks.splice(4)
    expect((await index.settle()).map(({ type }) => type)).toContain('restart')
    expect(await factsOf(database)).not.toEqual(before)
    for (const block of newer) {
      chain.blocks.push(block)
      await index.settle()
    }
    expect(await factsOf(database)).toEqual(await freshFactsOf(node.url))
  })
})

describe('who owns what', () => {
  test('campaigns and claims of a followed chain are not imported, and the fault names campaignMetadata', async () => {
    await using api = await borrowTestApp()
    await using node = await startScriptedNode(playedRecording(END - 20))
    await using index = await openIndexed(api.database.url, node.url)
    const [campaign, claim] = [importedFacts.find(isCampaign), importedFacts.find(isClaim)]
    if (campaign === undefined || claim === undefined) throw new Error('nothing was recorded')
    await expect(api.save(campaign)).rejects.toThrow(
      /:1: \/id: is of chain 8453, which is followed .* campaignMetadata/,
    )
    await index.settle()
    await expect(api.save(claim)).rejects.toThrow(/:1: \/campaignId: is of chain 8453.* campaignMetadata/)
    await api.save(aCampaign({ id: `10:${anAddress('core')}:1` }))
  })

  test('a chain of which campaigns were imported is not followed', async () => {
    await using api = await borrowTestApp()
    await api.save(...importedFacts)
    await expect(openIndexed(api.database.url, 'http://127.0.0.1:1')).rejects.toThrow(
      /chain 8453 .* 10 imported campaigns and 18 imported claims .*SAMPLE_DATA=false/,
    )
    expect(await api.database.query('select * from followed_chains')).toEqual([])
  })

  test('a chain is not followed from a later block on', async () => {
    await using database = await createTestDatabase()
    await using node = await startScriptedNode(playedRecording(END - 20))
    await using _index = await openIndexed(database.url, node.url)
    const others = { ...settingsOf(node.url), startBlock: recording.startBlock + 1 }
    await expect(openChainStore(database.url, others, waiting())).rejects.toThrow(
      `chain 8453 has been followed from block ${recording.startBlock} on: to begin later it needs a database`,
    )
  })

  test('metadata is laid over a campaign before and after it comes, and outlives what its chain says of it', async () => {
    await using api = await borrowTestApp()
    const chain = new Playing(100)
    await using node = await startScriptedNode(chain)
    await using index = await openIndexed(api.database.url, node.url)
    const [first, second] = recordedCampaigns.map(({ record }) => record.id)
    if (first === undefined || second === undefined) throw new Error('nothing was recorded')
    await api.save({ type: 'campaignMetadata', id: first, campaignName: 'The first' })
    chain.mine(10)
    await index.settle()
    await api.save({ type: 'campaignMetadata', id: second, campaignName: 'The second', creator: anAddress('creator') })
    chain.mine(100)
    await index.settle()
    const named = await api.database.query(
      'select id, campaign_name, creator from campaigns order by identifier limit 2',
    )
    expect(named).toMatchObject([
      { id: first, campaign_name: 'The first' },
      { id: second, campaign_name: 'The second', creator: anAddress('creator') },
    ])
    chain.withdraw(50)
    await index.settle()
    expect(await api.database.query('select * from campaigns')).toEqual([])
    chain.mine(10)
    await index.settle()
    expect(await api.database.query('select campaign_name from campaigns order by identifier limit 2')).toEqual([
      { campaign_name: 'The first' },
      { campaign_name: 'The second' },
    ])
  })

  test('a token that an operator knows is as the operator says, until its record is removed', async () => {
    await using api = await borrowTestApp()
    const chain = new Playing(10)
    chain.mine(30)
    await using node = await startScriptedNode(chain)
    const [known, ...others] = recordedTokens
    if (known === undefined) throw new Error('nothing was recorded')
    await api.save({ ...known, name: 'As I call it', decimals: 3, whitelisted: true, priceUsd: '2' })
    await using index = await openIndexed(api.database.url, node.url)
    await index.settle()
    const tokens = await api.database.query('select address, name, is_whitelisted from tokens')
    expect(tokens).toHaveLength(recordedTokens.length)
    expect(tokens).toContainEqual({ address: known.address, name: 'As I call it', is_whitelisted: true })
    for (const { address, name } of others) expect(tokens).toContainEqual({ address, name, is_whitelisted: false })
    await importRecords(api.database.url, [toRecordSource('removal', [toRemoval(known)])])
    expect(await api.database.query('select from tokens where address = $1', [known.address])).toHaveLength(0)
    chain.mine(20)
    await index.settle()
    expect(
      await api.database.query('select name, is_whitelisted from tokens where address = $1', [known.address]),
    ).toEqual([{ name: known.name, is_whitelisted: false }])
  })

  test('who is on an allowed and on no denied list is admitted to a campaign with an off-chain list', async () => {
    await using api = await borrowTestApp()
    await using node = await startScriptedNode(playedRecording(END - 20))
    await using index = await openIndexed(api.database.url, node.url)
    await index.settle()
    const [campaign] = await api.database.query('select key, campaigns.id from campaigns where identifier = 9')
    const access = async (user: string) => {
      const [row] = await api.database.query('select status from campaign_access($1, $2)', [campaign?.key, user])
      return row?.status
    }
    const [both, allowed, denied, other] = ['both', 'allowed', 'denied', 'other'].map(anAddress)
    if (both === undefined || allowed === undefined || denied === undefined || other === undefined) throw new Error()
    expect(await access(allowed)).toBe('not-allowed')
    await api.save(
      anAccessList({ id: 'list-1', members: [both, allowed] }),
      anAccessList({ id: 'list-2', members: [both, denied] }),
      anAccessList({ id: 'list-3', members: [other, denied] }),
    )
    expect(await Promise.all([allowed, both, denied, other].map(access))).toEqual([
      'allowed',
      ...['not-allowed', 'not-allowed', 'not-allowed'],
    ])
    // An operator who names the list that admits does not admit who is denied.
    await api.save({ type: 'campaignMetadata', id: String(campaign?.id), accessListId: 'list-3' })
    expect(await Promise.all([allowed, both, denied, other].map(access))).toEqual([
      ...['not-allowed', 'not-allowed', 'not-allowed'],
      'allowed',
    ])
  })
})

test('an unknown component is kept and named, and the campaign is there without it', async () => {
  await using database = await createTestDatabase()
  const chain = playedRecording(END - 20)
  const { callAt } = chain
  const list = recordedCampaigns[9]?.record.allowList?.contractAddress
  chain.callAt = (block, to, data) => (to === list ? null : callAt(block, to, data))
  await using node = await startScriptedNode(chain)
  await using index = await openIndexed(database.url, node.url)
  await index.settle()
  expect(await database.query('select * from unknown_components')).toEqual([
    {
      chain_id: '8453',
      campaign_id: recordedCampaigns[9]?.record.id,
      kind: 'allowList',
      contract: list,
      position: -1,
      block_number: null,
    },
  ])
  expect(await database.query('select count(*)::integer from campaigns')).toEqual([{ count: 10 }])
})

test('whom a list of no known kind admits nobody knows: it admits nobody', async () => {
  await using api = await borrowTestApp()
  api.setNow(endOfRecording)
  const chain = playedRecording(END - 20)
  const { callAt } = chain
  const list = recordedCampaigns[0]?.record.allowList?.contractAddress
  chain.callAt = (block, to, data) => (to === list ? null : callAt(block, to, data))
  await using node = await startScriptedNode(chain)
  await using index = await openIndexed(api.database.url, node.url)
  await index.settle()
  const ofFirst = `/reward-kit/trending?period=24h&tokenWhitelist=false&chainId=8453`
  const idsOf = async (url: string) => (await api.get(url)).json().trendingCampaigns.map(({ id }: { id: string }) => id)
  const id = recordedCampaigns[0]?.record.id
  expect(await idsOf(ofFirst)).toContain(id)
  expect(await idsOf(`${ofFirst}&user=${anAddress('anybody')}`)).not.toContain(id)
})

test.each([
  {
    what: 'names an access list that no text can hold',
    contract: recordedCampaigns[9]?.record.allowList?.contractAddress,
    asks: 'getAllowListIds()',
    response: encodeAbiParameters([{ type: 'string[]' }], [['a\0b', 'list-1', '']]),
  },
  {
    what: 'does not say how much can be claimed of an incentive that was claimed from',
    contract: recordedCampaigns[0]?.incentives[0]?.contract,
    asks: 'limit()',
    response: null,
  },
])('a chain is followed although a contract $what', async ({ contract, asks, response }) => {
  await using database = await createTestDatabase()
  const chain = playedRecording(END - 20)
  const { callAt } = chain
  const asked = `${contract}${toFunctionSelector(asks)}`
  chain.callAt = (block, to, data) => (to + data === asked ? response : callAt(block, to, data))
  await using node = await startScriptedNode(chain)
  await using index = await openIndexed(database.url, node.url)
  await index.settle()
  expect(await headOf(database)).toMatchObject([{ as_of_block: END }])
  const [counts] = await database.query(
    `select (select count(*) from incentives)::integer as incentives, (select count(*) from claims)::integer as claims,
      (select allowed_list_ids from allow_lists where type = 'OffchainAccessList') as lists`,
  )
  expect(counts).toEqual({ incentives: 16, claims: 18, lists: ['list-1'] })
})

test('a signature outlives the campaign that its chain withdraws, and is there when that comes again', async () => {
  await using api = await borrowTestApp()
  const chain = new Playing(100)
  await using node = await startScriptedNode(chain)
  await using index = await openIndexed(api.database.url, node.url)
  await index.settle()
  chain.mine(2)
  await index.settle()
  const campaignId = recordedCampaigns[0]?.record.id ?? ''
  const signed = { campaignId, incentiveId: 0, claimant: anAddress('claimant'), signature: '0x12' }
  await api.save({ type: 'claimSignature', ...signed, referrer: anAddress('referrer') })
  const signatures = () => api.database.query('select claimant, signature from claim_signatures')
  expect(await signatures()).toEqual([{ claimant: anAddress('claimant'), signature: '0x12' }])
  chain.withdraw(1)
  chain.mine(0)
  await index.settle()
  expect(await signatures()).toEqual([])
  chain.mine(2)
  await index.settle()
  expect(await signatures()).toEqual([{ claimant: anAddress('claimant'), signature: '0x12' }])
  expect(await api.database.query('select * from detached_claim_signatures')).toEqual([])
})

test('a campaign of no known form is named as long as the block that brings it is there', async () => {
  await using database = await createTestDatabase()
  const chain = new Playing(100)
  const [core] = settingsOf('').cores
  chain.callAt = (_block, to) => (to === core ? null : '0x')
  await using node = await startScriptedNode(chain)
  await using index = await openIndexed(database.url, node.url)
  await index.settle()
  chain.mine(2)
  await index.settle()
  const named = () => database.query('select campaign_id, kind from unknown_components')
  expect(await named()).toEqual([{ campaign_id: recordedCampaigns[0]?.record.id, kind: 'campaign' }])
  chain.withdraw(1)
  chain.mine(0)
  await index.settle()
  expect(await named()).toEqual([])
})

describe('several processes', () => {
  test('one follows a chain, and the next goes on when it has gone', async () => {
    await using database = await createTestDatabase()
    const chain = new Playing(10)
    await using node = await startScriptedNode(chain)
    const first = await openIndexed(database.url, node.url)
    let hasWaited = false
    const second = openChainStore(database.url, settingsOf(node.url), {
      ...waiting(),
      onWait: () => {
        hasWaited = true
      },
    })
    chain.mine(5)
    await first.settle()
    await expect.poll(() => hasWaited).toBe(true)
    await first.store.close()
    const next = await second
    expect((await next.readState()).asOf?.hash).toBe(chain.head.hash)
    await next.close()
  })

  test('what was worked out on an older state is not written', async () => {
    await using database = await createTestDatabase()
    const chain = new Playing(10)
    await using node = await startScriptedNode(chain)
    await using index = await openIndexed(database.url, node.url)
    chain.mine(5)
    await database.query('update followed_chains set step = step + 1')
    await expect(index.settle()).rejects.toThrow(ChainMovedError)
    expect(await database.query('select count(*)::integer from campaigns')).toEqual([{ count: 0 }])
  })
})
