import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ListClaimsResponse } from '../../../src/features/claims/claim-schemas.ts'
import { parseCsv } from '../../setup/data/csv.ts'
import { aCampaign, aClaim, aHash, anAddress, anErc20Incentive, aToken, inUpperCase } from '../../setup/records.ts'
import { refusalOf } from '../../setup/refusals.ts'
import { expectedClaims } from '../../setup/second-opinion/second-opinion-claims.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

let api: BorrowedTestApp
beforeAll(async () => {
  api = await borrowTestApp()
})
afterAll(() => api[Symbol.asyncDispose]())

const HEADER =
  'at,chainId,campaignId,campaignName,claimant,incentiveIndex,incentiveType,asset,symbol,amount,amountInTokens,amountUsd,txHash,logIndex'

const read = async (query: Record<string, string>, headers = {}) =>
  api.get(`/claims?${new URLSearchParams(query)}`, headers)

test('txHash finds the claims of these transactions on any chain, with all other filters, in pages', async () => {
  const campaigns = ['8453', '10', '777777'].map((chain, nth) =>
    aCampaign({ id: `${chain}:${anAddress('core')}:${nth + 1}`, incentives: [anErc20Incentive(anAddress('asset'))] }),
  )
  const [first = aHash(0), second = aHash(0)] = [aHash('a transaction'), aHash('another one')]
  const claimants = [anAddress('one of them'), anAddress('the other one')]
  const claims = campaigns.flatMap((campaign, nth) =>
    [first, first, first, second].map((txHash, logIndex) =>
      aClaim(campaign, {
        ...{ txHash, logIndex, claimant: claimants[logIndex % 2] ?? '' },
        blockTimestamp: String(1_760_000_000 + (nth === 1 ? 60 : 0)),
      }),
    ),
  )
  const others = campaigns.map((campaign) => aClaim(campaign, { claimant: claimants[0] ?? '' }))
  await api.save(...campaigns, ...claims, ...others)
  const all = { first: `${inUpperCase(first)},${aHash('unknown')}`, both: `${first},${second}` }
  const queries: Record<string, string>[] = [
    { txHash: all.first },
    { txHash: all.both },
    { txHash: all.both, claimant: claimants[1] ?? '' },
    { txHash: all.both, campaignId: campaigns[1]?.id ?? '' },
    { txHash: all.both, campaignId: campaigns.map(({ id }) => id).join(), claimant: claimants[0] ?? '' },
    { txHash: all.both, chainId: '10,8453' },
    { txHash: second, since: '2025-10-09T08:53:30Z' },
    { txHash: second, until: '2025-10-09T08:53:30Z' },
    { txHash: aHash('unknown') },
  ]
  for (const query of queries) {
    const hashes = query.txHash?.toLowerCase().split(',')
    const expected = expectedClaims(
      [...campaigns, ...claims.filter(({ txHash }) => hashes?.includes(txHash)), ...others.filter(() => false)],
      query,
    )
    const found: ListClaimsResponse['claims'] = []
    let [cursor, total]: [string | null, number | undefined] = ['', undefined]
    while (cursor !== null) {
      const page: ListClaimsResponse = (await read({ ...query, pageSize: '3', ...(cursor && { cursor }) })).json()
      found.push(...page.claims)
      cursor = page.nextCursor
      total = page.totalClaims
    }
    expect({ claims: found, ...(total !== undefined && { totalClaims: total }) }, JSON.stringify(query)).toEqual(
      expected,
    )
  }
})

test('a transaction that is not known yet is found once it is', async () => {
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  const txHash = aHash('not yet')
  await api.save(campaign)
  expect((await read({ txHash })).json()).toEqual({ claims: [], nextCursor: null })
  await api.save(aClaim(campaign, { txHash }))
  expect((await read({ txHash })).json().claims).toHaveLength(1)
})

test('at most 50 transactions, each of them a hash', async () => {
  const many = Array.from({ length: 51 }, (_, nth) => aHash(nth))
  expect(await refusalOf(`/claims?txHash=${many.join()}`)).toContain('txHash')
  expect((await read({ txHash: many.slice(0, 50).join() })).statusCode).toBe(200)
  expect(await refusalOf('/claims?txHash=0x12')).toContain('txHash must be a transaction hash')
})

test('a statement has the claims of the page, with amounts in whole tokens, of what is known', async () => {
  const asset = anAddress('dollars')
  const unknown = anAddress('an unknown token')
  const token = aToken({ address: asset, decimals: 6, symbol: '=USD' })
  const venue = anAddress('venue')
  const campaign = aCampaign({
    campaignName: '+1, "twice"\na day',
    incentives: [
      anErc20Incentive(asset),
      anErc20Incentive(unknown),
      { type: 'PointsIncentive', venue, selector: '0x40c10f19', reward: '1', limit: '9' },
      { type: 'AllowListIncentive', allowListAddress: venue, limit: '9' },
    ],
  })
  const claimant = anAddress('who keeps books')
  const amounts = ['1230000', '5', '7', '1']
  const claims = amounts.map((amount, incentiveIndex) =>
    aClaim(campaign, {
      ...{ claimant, amount, incentiveIndex, logIndex: incentiveIndex, txHash: aHash('books') },
      ...{ blockTimestamp: '1760000000', ...(incentiveIndex === 0 && { amountUsd: '1.25' }) },
    }),
  )
  await api.save(token, campaign, ...claims)
  const { statusCode, headers, body } = await read({ claimant, format: 'csv' })
  expect(statusCode, body).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="claims-${claimant}.csv"`,
    'x-total-count': '4',
  })
  expect(headers.link).toBeUndefined()
  expect(String(headers.vary).split(', ')).toContain('accept')
  expect(body.split('\r\n')[0]).toBe(HEADER)
  expect(body.endsWith('\r\n')).toBe(true)
  const [, ...rows] = parseCsv(body)
  const facts = ['2025-10-09T08:53:20.000Z', '8453', campaign.id, `'${campaign.campaignName}`, claimant]
  const hash = aHash('books')
  expect(rows).toEqual([
    [...facts, '0', 'ERC20Incentive', asset, "'=USD", '1230000', '1.23', '1.25', hash, '0'],
    [...facts, '1', 'ERC20Incentive', unknown, '', '5', '', '', hash, '1'],
    [...facts, '2', 'PointsIncentive', '', '', '7', '7', '', hash, '2'],
    [...facts, '3', 'AllowListIncentive', '', '', '1', '', '', hash, '3'],
  ])
})

test('a cell with a line break of any kind is quoted, so that a row stays one', async () => {
  const asset = anAddress('of a symbol in two lines')
  const claimant = anAddress('who reads lines')
  const names = ['in\ntwo', 'in\rtwo', 'in\r\ntwo', '\r=1', '\t=1', 'one']
  const campaigns = names.map((campaignName) => aCampaign({ campaignName, incentives: [anErc20Incentive(asset)] }))
  await api.save(
    aToken({ address: asset, symbol: 'A\rB' }),
    ...campaigns,
    ...campaigns.map((of) => aClaim(of, { claimant })),
  )
  const named = names.map((name) => (/^[\r\t]/.test(name) ? `'${name}` : name))
  for (const path of [`/claims?claimant=${claimant}&`, `/users/${claimant}/rewards?`]) {
    const [header = [], ...rows] = parseCsv((await api.get(`${path}format=csv`)).body)
    const texts = rows.map((row) => [row[header.indexOf('campaignName')], row[header.indexOf('symbol')]])
    expect(texts.sort(), path).toEqual(named.map((name) => [name, 'A\rB']).sort())
  }
})

test('the parameter decides, then what Accept prefers; each format has its page sizes, and cursors are for both', async () => {
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  const claims = Array.from({ length: 130 }, () => aClaim(campaign))
  await api.save(campaign, ...claims)
  const campaignId = campaign.id
  const typeOf = async (query: Record<string, string>, accept?: string) =>
    (await read({ campaignId, ...query }, accept === undefined ? {} : { accept })).headers['content-type']
  const [csv, json] = ['text/csv; charset=utf-8; header=present', 'application/json; charset=utf-8']
  expect(await typeOf({}, 'text/csv')).toBe(csv)
  expect(await typeOf({ format: 'json' }, 'text/csv')).toBe(json)
  expect(await typeOf({ format: 'csv' }, 'application/json')).toBe(csv)
  expect(await typeOf({}, '*/*')).toBe(json)
  expect(await typeOf({})).toBe(json)
  expect(await refusalOf('/claims?format=')).toContain('format must be one of json, csv')
  const sizes = 'pageSize must be an integer from 0 to 100, or to 10000 with format=csv'
  for (const query of ['pageSize=101', 'pageSize=20000', 'format=csv&pageSize=10001', 'format=json&pageSize=10000']) {
    expect(await refusalOf(`/claims?${query}`)).toBe(`${sizes}, got ${query.split('=').at(-1)}`)
  }
  // All faults of a request are in the one sentence, as they are where `Accept` decides the format.
  const [user, entry] = [anAddress('who keeps books'), 'an entry of chainId must be a chain ID']
  for (const path of ['/claims', `/users/${user}/rewards`]) {
    const both = await refusalOf(`${path}?pageSize=101&chainId=x`)
    expect(both).toContain(entry)
    expect(both).toContain(`${sizes}, got 101`)
    const refused = await api.get(`${path}?pageSize=101&chainId=x`, { accept: 'text/csv' })
    expect(refused.json().error).toContain(entry)
    expect(refused.json().error).not.toContain('pageSize')
  }
  expect(await refusalOf('/users/0x12/rewards?pageSize=101')).toContain(`${sizes}, got 101`)
  expect((await read({ campaignId })).json().claims).toHaveLength(10)

  const whole = await read({ campaignId, format: 'csv' })
  expect(whole.headers['content-disposition']).toBe(
    `attachment; filename="claims-${campaignId.replaceAll(':', '-')}.csv"`,
  )
  const rows = parseCsv(whole.body).slice(1)
  expect(rows).toHaveLength(130)
  const part = await read({ campaignId, format: 'csv', pageSize: '50' })
  expect(part.headers.link).toMatch(/^<\?campaignId=.*&format=csv&cursor=.*&pageSize=50>; rel="next"$/)
  const next = await api.get(`/claims${/<(.*)>/.exec(String(part.headers.link))?.[1]}`)
  expect([...parseCsv(part.body).slice(1), ...parseCsv(next.body).slice(1)]).toEqual(rows.slice(0, 100))
  const { nextCursor } = (await read({ campaignId, pageSize: '50' })).json()
  expect((await read({ campaignId, format: 'csv', pageSize: '50', cursor: nextCursor })).body).toBe(next.body)
  expect((await read({ campaignId, format: 'csv', pageSize: '0' })).body).toBe(`${HEADER}\r\n`)
})

test('a statement is current, and not sent again to who has it', async () => {
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  await api.save(campaign, aClaim(campaign))
  const query = { campaignId: campaign.id, format: 'csv' }
  const { headers, body } = await read(query)
  expect(parseCsv(body)).toHaveLength(2)
  expect((await read(query, { 'if-none-match': String(headers.etag) })).statusCode).toBe(304)
  await api.save(aClaim(campaign))
  expect(parseCsv((await read(query)).body)).toHaveLength(3)
})

test('a statement of long names and symbols has fewer rows, and a link to the others', async () => {
  const asset = anAddress('of a long symbol')
  const [symbol, claimant] = ['€'.repeat(4096), anAddress('who is paid in it')]
  const campaigns = Array.from({ length: 100 }, () =>
    aCampaign({ incentives: Array.from({ length: 25 }, () => anErc20Incentive(asset)) }),
  )
  const claims = campaigns.flatMap((campaign) =>
    campaign.incentives.map((_, incentiveIndex) => aClaim(campaign, { claimant, incentiveIndex })),
  )
  await api.save(aToken({ address: asset, symbol }), ...campaigns, ...claims)
  for (const path of [`/claims?claimant=${claimant}&`, `/users/${claimant}/rewards?`]) {
    const sizes: number[] = []
    const rows = new Set<string>()
    let next: string | undefined = 'format=csv'
    while (next !== undefined) {
      const { body, headers } = await api.get(
        `${path.split('?')[0]}?${sizes.length === 0 ? path.split('?')[1] : ''}${next}`,
      )
      const page = parseCsv(body).slice(1)
      for (const row of page) rows.add(row.join())
      sizes.push(page.length)
      expect(Buffer.byteLength(body)).toBeLessThan(30_000_000)
      next = /<\?(.*)>; rel="next"/.exec(String(headers.link))?.[1]
    }
    expect(sizes.length, path).toBeGreaterThan(1)
    expect(sizes.reduce((sum, size) => sum + size)).toBe(claims.length)
    expect(rows.size).toBe(claims.length)
  }
})
