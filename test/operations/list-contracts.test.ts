import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ListContractsResponse } from '../../src/features/contracts/contract-schemas.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, aToken, inUpperCase } from '../setup/records.ts'
import {
  A,
  aCampaignOn,
  addressesOf,
  at,
  B,
  C,
  claims,
  D,
  entry,
  explore,
  figures,
  found,
  NOW,
  OWNER,
  page,
  RANGES,
  sorts,
} from '../setup/requests/contracts.ts'
import { type BorrowedTestApp, borrowTestApp } from '../setup/test-app.ts'

/** An app for tests that look at contracts on a chain of their own. */
let shared: BorrowedTestApp

let chains = 100

const aChain = () => {
  chains += 1
  return chains
}

beforeAll(async () => {
  shared = await borrowTestApp()
  shared.setNow(NOW)
})

afterAll(() => shared[Symbol.asyncDispose]())

describe('the answer', () => {
  test('is a bare array of contracts with their names and what campaigns have brought them', async () => {
    await using api = await borrowTestApp()
    api.setNow(NOW)
    const [many, one] = [aCampaignOn([inUpperCase(A), B]), aCampaignOn([A])]
    await api.save(
      { type: 'contract', chainId: 8453, address: inUpperCase(A), name: 'Uniswap: SwapRouter02' },
      { type: 'contract', chainId: 10, address: B, name: 'Of another chain' },
      { type: 'contract', chainId: 8453, address: C, name: 'Of no campaign' },
      ...[many, one],
      ...claims(many, 2, { amountUsd: '1.5' }),
      ...claims(one, 1, { amountUsd: '0.25' }),
    )
    const response = await api.get('/explore/contracts')
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.headers['x-total-count']).toBe('2')
    expect(response.json()).toStrictEqual([
      {
        chainId: 8453,
        address: A,
        name: 'Uniswap: SwapRouter02',
        stats: { campaignCount: 2, totalClaims: 3, totalAmountClaimedUsd: 3.25 },
      },
      {
        chainId: 8453,
        address: B,
        name: '',
        stats: { campaignCount: 1, totalClaims: 2, totalAmountClaimedUsd: 3 },
      },
    ])
  })

  test('says the number of all contracts in a header that browsers may read, whatever the page', async () => {
    await using api = await borrowTestApp()
    const origin = { origin: 'https://shop.example' }
    const expectTotal = async (total: string, query: string, entries: number) => {
      const response = await api.get(`/explore/contracts?${query}`, origin)
      expect({ query, entries: response.json().length }).toEqual({ query, entries })
      expect({ query, total: response.headers['x-total-count'] }).toEqual({ query, total })
      const exposed = String(response.headers['access-control-expose-headers']).split(/,\s*/)
      expect(exposed).toContain('x-total-count')
    }
    for (const query of ['', 'timeRange=24h', `creator=${OWNER}`, 'pageSize=0', 'page=2', 'chainIds=8453']) {
      await expectTotal('0', query, 0)
    }
    await api.save(aCampaignOn([A, B, C]), aCampaignOn([D], { owner: anAddress('somebody else') }))
    for (const [query, total, entries] of [
      ['', '4', 4],
      ['pageSize=3', '4', 3],
      ['pageSize=3&page=2', '4', 1],
      ['pageSize=0', '4', 0],
      ['page=2', '4', 0],
      ['page=9007199254740991&pageSize=100', '4', 0],
      ['page=2&timeRange=6h&sortBy=total-spend', '4', 0],
      [`creator=${OWNER}`, '3', 3],
      [`creator=${OWNER}&pageSize=0`, '3', 0],
      [`creator=${OWNER}&pageSize=2&page=2&timeRange=7d`, '3', 1],
      [`creator=${OWNER}&page=9007199254740991&pageSize=100`, '3', 0],
      [`creator=${anAddress('nobody')}`, '0', 0],
      ['chainIds=10', '0', 0],
      ['chainIds=8453&pageSize=0', '4', 0],
      ['chainIds=8453&pageSize=1&page=5', '4', 0],
    ] as const) {
      await expectTotal(total, query, entries)
    }

    const { headers } = await api.get('/explore/contracts?pageSize=1')
    const known = { ...origin, 'if-none-match': String(headers.etag) }
    const unchanged = await api.get('/explore/contracts?pageSize=1', known)
    const head = await api.inject({ method: 'HEAD', url: '/explore/contracts?pageSize=1', headers: origin })
    expect({ status: unchanged.statusCode, body: unchanged.body }).toEqual({ status: 304, body: '' })
    expect({ status: head.statusCode, body: head.body }).toEqual({ status: 200, body: '' })
    for (const response of [unchanged, head]) {
      expect(response.headers['x-total-count']).toBe('4')
      expect(response.headers['access-control-expose-headers']).toContain('x-total-count')
    }
  })

  test('follows the names of contracts', async () => {
    await using api = await borrowTestApp()
    const names = async () => (await explore(api)).map(({ name }) => name)
    const record = { type: 'contract' as const, chainId: 8453, address: A }
    await api.save(aCampaignOn([A]))
    expect(await names()).toEqual([''])
    await api.save({ ...record, name: 'Router' })
    expect(await names()).toEqual(['Router'])
    await api.save({ ...record, name: '' })
    expect(await names()).toEqual([''])
  })

  test('tells one address on two chains apart, by the chain of the step', async () => {
    const [here, there] = [aChain(), aChain()]
    const [one, both] = [
      aCampaignOn([A], {}, here),
      aCampaign({
        incentives: [anErc20Incentive(anAddress('asset'))],
        actionSteps: [aStep(A, here), aStep(inUpperCase(A), there)],
      }),
    ]
    await shared.save(
      { type: 'contract', chainId: there, address: A, name: 'There' },
      ...[one, both],
      ...[...claims(one, 1), ...claims(both, 1)],
    )
    expect(await explore(shared, `chainIds=${here},${there}`)).toStrictEqual([
      entry(A, [2, 2, 2], { chainId: here }),
      entry(A, [1, 1, 1], { chainId: there, name: 'There' }),
    ])
  })

  test('counts a campaign once on a contract of several of its steps, and in full on each of several contracts', async () => {
    const chainId = aChain()
    const campaign = aCampaignOn([A, B, inUpperCase(A), A], {}, chainId)
    await shared.save(campaign, ...claims(campaign, 3, { amountUsd: '0.1' }))
    expect(await explore(shared, `chainIds=${chainId}`)).toStrictEqual([
      entry(A, [1, 3, 0.3], { chainId }),
      entry(B, [1, 3, 0.3], { chainId }),
    ])
    expect(await explore(shared, `chainIds=${chainId}&creator=${OWNER}`)).toStrictEqual([
      entry(A, [1, 3, 0.3], { chainId }),
      entry(B, [1, 3, 0.3], { chainId }),
    ])
  })

  test('has only contracts that are the target of an action step', async () => {
    await using api = await borrowTestApp()
    const elsewhere = { chainId: 8453, address: B }
    const parts = {
      actionToken: elsewhere,
      nftCollection: elsewhere,
      actionClaimant: {
        ...{ signature: '0xb362243a', signatureName: 'Purchased(address)', signatureType: 'event' as const },
        ...{ fieldIndex: 0, targetContract: B, targetContractName: 'Shop', chainId: 8453 },
      },
    }
    await api.save(
      aCampaignOn([], parts),
      aCampaignOn([], { ...parts, actionSteps: null }),
      aCampaignOn([A], parts),
      aToken({ address: B }),
    )
    expect(await explore(api)).toStrictEqual([entry(A, [1, 0, 0])])
  })

  test('leaves out the zero address, which stands for any contract', async () => {
    await using api = await borrowTestApp()
    const anyContract = aCampaignOn([`0x${'0'.repeat(40)}`])
    await api.save(aCampaignOn([A]), anyContract, ...claims(anyContract, 1))
    expect(await explore(api)).toStrictEqual([entry(A, [1, 0, 0])])
  })

  test('counts campaigns that are not active or pay tokens that are not whitelisted', async () => {
    const chainId = aChain()
    const asset = anAddress('hidden token')
    const campaigns = [
      aCampaignOn([A], { endTime: '2025-01-01T00:00:00Z' }, chainId),
      aCampaignOn([A], { startTime: '2027-01-01T00:00:00Z' }, chainId),
      aCampaignOn([A], { maxParticipants: '1' }, chainId),
      aCampaignOn([A], { incentives: [anErc20Incentive(asset, { limit: '0' })] }, chainId),
    ]
    await shared.save(
      aToken({ address: asset, whitelisted: false }),
      ...campaigns,
      ...campaigns.flatMap((campaign) => claims(campaign, 1)),
    )
    expect(await figures(shared, chainId)).toEqual([4, 4, 4])
    expect(await figures(shared, chainId, `creator=${OWNER}`)).toEqual([4, 4, 4])
  })
})

describe('the order', () => {
  // Every combination of two values for each figure, four times: on two chains, at two addresses.
  const places = [2, 10].flatMap((chainId) => ['0x1', '0xf'].map((start) => ({ chainId, start })))
  const contracts = places.flatMap(({ chainId, start }) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => ({
      place: `${chainId}:${start}${'0'.repeat(38)}${bits}`,
      chainId,
      address: `${start}${'0'.repeat(38)}${bits}`,
      completions: 1 + (bits & 1),
      spend: 3 + (bits & 2),
      newest: 1_750_000_000 + (bits & 4),
    })),
  )
  type Contract = (typeof contracts)[number]
  const compare = (keys: ('completions' | 'spend' | 'newest')[]) => (a: Contract, b: Contract) => {
    const difference = keys.map((key) => b[key] - a[key]).find((value) => value !== 0)
    return difference ?? (a.chainId - b.chainId || (a.address < b.address ? -1 : 1))
  }
  const ordered = {
    'most-completions': contracts.toSorted(compare(['completions', 'spend', 'newest'])),
    'total-spend': contracts.toSorted(compare(['spend', 'completions', 'newest'])),
    'recently-deployed': contracts.toSorted(compare(['newest', 'completions', 'spend'])),
  }
  const placesOf = (found: ListContractsResponse) => found.map(({ chainId, address }) => `${chainId}:${address}`)

  let api: BorrowedTestApp
  beforeAll(async () => {
    api = await borrowTestApp()
    api.setNow(NOW)
    const records = contracts.toReversed().flatMap((contract, index) => {
      const campaign = aCampaignOn([contract.address], { blockTimestamp: String(contract.newest) }, contract.chainId)
      const claimed = Array.from({ length: contract.completions }, (_, position) =>
        aClaim(campaign, { amountUsd: position === 0 ? String(contract.spend) : '0', blockTimestamp: at(-60) }),
      )
      // Old claims that would order all the other way round.
      const old = claims(campaign, 2 * index, { amountUsd: String(index), blockTimestamp: at(-604_800) })
      return [campaign, ...claimed, ...old]
    })
    await api.save(...records)
  })
  afterAll(() => api[Symbol.asyncDispose]())

  test.each(Object.entries(ordered))(
    'under %s is by this figure in the time range, then by the other two, then by chain and address',
    async (sortBy, expected) => {
      const all = expected.map(({ place }) => place)
      for (const timeRange of Object.keys(RANGES)) {
        for (const creator of ['', `&creator=${OWNER}`]) {
          const query = `sortBy=${sortBy}&timeRange=${timeRange}${creator}`
          expect(placesOf(await explore(api, query))).toEqual(all)
          const onPages = []
          for (let number = 1; number <= 7; number++) {
            const { contracts: entries, total } = await page(api, `${query}&pageSize=5&page=${number}`)
            expect(total).toBe('32')
            onPages.push(...placesOf(entries))
          }
          expect(onPages).toEqual(all)
        }
      }
    },
  )

  test('is by completions unless another is asked for', async () => {
    const all = ordered['most-completions'].map(({ place }) => place)
    expect(placesOf(await explore(api, 'timeRange=6h'))).toEqual(all)
    const ofAllTime = await explore(api)
    expect(ofAllTime).toEqual(await explore(api, 'sortBy=most-completions'))
    const counts = ofAllTime.map(({ stats }) => stats.totalClaims)
    expect(counts).toEqual(counts.toSorted((a, b) => b - a))
    expect(new Set(counts).size).toBe(32)
  })

  test.each(sorts)(
    'of contracts with equal figures ascends by chain and address, through all pages: %s',
    async (sortBy) => {
      await using equal = await borrowTestApp()
      const all = [9, 10, 8453].flatMap((chainId) => [A, B, C, D].map((address) => ({ chainId, address })))
      await equal.save(
        aCampaign({ actionSteps: all.toReversed().map(({ chainId, address }) => aStep(address, chainId)) }),
      )
      const expected = all.map(({ chainId, address }) => `${chainId}:${address}`)
      for (const query of ['', '&timeRange=7d', `&creator=${OWNER}`]) {
        const onPages = []
        for (let number = 1; number <= 4; number++) {
          const { contracts: entries, total } = await page(equal, `sortBy=${sortBy}&pageSize=5&page=${number}${query}`)
          expect(total).toBe('12')
          onPages.push(...placesOf(entries))
        }
        expect(onPages).toEqual(expected)
      }
    },
  )
})

describe('chainIds', () => {
  test('are the chains of the contracts: any of a list', async () => {
    await using api = await borrowTestApp()
    await api.save(
      aCampaign({ id: `1:${A}:1`, actionSteps: [aStep(A, 8453), aStep(B, 10)] }),
      aCampaign({ actionSteps: [aStep(C, 9_007_199_254_740_991), aStep(D, 0)] }),
    )
    const cases: [query: string, expected: string[]][] = [
      ['chainIds=8453', [A]],
      ['chainIds=10', [B]],
      ['chainIds=8453,10', [B, A]],
      ['chainIds=%2010%20,%098453,10', [B, A]],
      ['chainIds=08453', [A]],
      ['chainIds=1', []],
      ['chainIds=0', [D]],
      ['chainIds=9007199254740991', [C]],
      [`chainIds=${Array.from({ length: 100 }, (_, index) => 8400 + index)}`, [A]],
      [`chainIds=${Array.from({ length: 100 }, (_, index) => 8400 + index)},8401,8402`, [A]],
    ]
    for (const [query, expected] of cases) {
      const actual = (await explore(api, query)).toSorted((a, b) => a.chainId - b.chainId)
      expect({ query, found: addressesOf(actual) }).toEqual({ query, found: expected })
    }
    expect(await found(api, `chainIds=8453,0&creator=${anAddress('owner')}&timeRange=7d`)).toEqual([D, A])
  })
})

describe('creator', () => {
  const [me, you] = [anAddress('me'), anAddress('you')]

  test('leaves of all three figures those of the own campaigns, and contracts of nobody else', async () => {
    await using api = await borrowTestApp()
    api.setNow(NOW)
    const mine = aCampaignOn([A, B], { creator: me })
    const alsoMine = aCampaignOn([A], { owner: me })
    const yours = aCampaignOn([A, C], { creator: you, owner: me })
    await api.save(
      ...[mine, alsoMine, yours],
      ...claims(mine, 1, { blockTimestamp: at(-60) }),
      ...claims(alsoMine, 2, { blockTimestamp: at(-30_000), amountUsd: '0.5' }),
      ...claims(yours, 4, { blockTimestamp: at(-60), amountUsd: '10' }),
    )
    expect(await explore(api)).toStrictEqual([entry(A, [3, 7, 42]), entry(C, [1, 4, 40]), entry(B, [1, 1, 1])])
    for (const creator of [me, inUpperCase(me)]) {
      expect(await explore(api, `creator=${creator}`)).toStrictEqual([entry(A, [2, 3, 2]), entry(B, [1, 1, 1])])
      const recent = await explore(api, `creator=${creator}&timeRange=6h`)
      expect(recent).toStrictEqual([entry(A, [2, 1, 1]), entry(B, [1, 1, 1])])
      const day = await explore(api, `creator=${creator}&timeRange=24h&sortBy=total-spend`)
      expect(day).toStrictEqual([entry(A, [2, 3, 2]), entry(B, [1, 1, 1])])
    }
    expect(await explore(api, `creator=${you}`)).toStrictEqual([entry(A, [1, 4, 40]), entry(C, [1, 4, 40])])
    expect(await explore(api, `creator=${OWNER}`)).toEqual([])
  })

  test('orders by the newest of the own campaigns', async () => {
    await using api = await borrowTestApp()
    await api.save(
      aCampaignOn([A], { creator: me, blockTimestamp: '10' }),
      aCampaignOn([B], { creator: me, blockTimestamp: '20' }),
      aCampaignOn([A], { creator: you, blockTimestamp: '30' }),
    )
    expect(await found(api, 'sortBy=recently-deployed')).toEqual([A, B])
    expect(await found(api, `sortBy=recently-deployed&creator=${me}`)).toEqual([B, A])
  })

  test('is the owner where the record names none, and follows the record', async () => {
    await using api = await borrowTestApp()
    const campaign = aCampaignOn([A], { owner: inUpperCase(you), creator: null })
    const roleName = async () => [await found(api, `creator=${me}`), await found(api, `creator=${you}`)]
    await api.save(campaign)
    expect(await roleName()).toEqual([[], [A]])
    await api.save({ ...campaign, creator: inUpperCase(me) })
    expect(await roleName()).toEqual([[A], []])
    await api.save({ ...campaign, creator: null, owner: me })
    expect(await roleName()).toEqual([[A], []])
  })
})

describe('a page', () => {
  test('has the size and place asked for, with the exact total', async () => {
    await using api = await borrowTestApp()
    const contracts = Array.from({ length: 105 }, (_, index) => anAddress(`paged ${index}`))
    await api.save(...contracts.map((contract) => aCampaignOn([contract])))
    const all = contracts.toReversed()
    const pages: [query: string, from: number, to: number][] = [
      ['', 0, 10],
      ['page=0', 0, 10],
      ['page=1', 0, 10],
      ['page=2', 10, 20],
      ['page=', 0, 10],
      ['page=null&pageSize=null', 0, 10],
      ['pageSize=', 0, 10],
      ['pageSize=1', 0, 1],
      ['pageSize=100', 0, 100],
      ['pageSize=100&page=2', 100, 105],
      ['page=011', 100, 105],
      ['page=12', 0, 0],
      ['pageSize=0', 0, 0],
      ['pageSize=0&page=7', 0, 0],
      ['page=9007199254740991', 0, 0],
      ['page=9007199254740991&pageSize=100', 0, 0],
    ]
    for (const filter of ['', `&creator=${OWNER}`, '&timeRange=6h', '&chainIds=8453&sortBy=total-spend']) {
      for (const [query, from, to] of pages) {
        const { contracts: entries, total } = await page(api, query + filter)
        const expected = { query, filter, found: all.slice(from, to), total: '105' }
        expect({ query, filter, found: addressesOf(entries), total }).toEqual(expected)
      }
    }
  })
})
