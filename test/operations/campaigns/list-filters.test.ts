import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CampaignListItem, ListCampaignsResponse } from '../../../src/features/campaigns/campaign-schemas.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ClaimRecord } from '../../../src/ingest/records.ts'
import {
  aCampaign,
  aClaim,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  anIncentiveOfEachVariant,
  aStep,
  aToken,
  inUpperCase,
  mintingStep,
} from '../../setup/records.ts'
import { isToken, payoutOf } from '../../setup/second-opinion/second-opinion-payouts.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

const NOW = new Date('2026-01-01T00:00:00.000Z')

const CORE = '0xea11a7937809b8585e63b12cc86bf91a72a5b08a'

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

const MAX = (2n ** 256n - 1n).toString()

async function list(api: BorrowedTestApp, query = ''): Promise<ListCampaignsResponse> {
  const response = await api.get(`/campaigns?${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

/** The IDs of the first hundred that match, in their order; the total has to say the same. */
async function found(api: BorrowedTestApp, query = '') {
  const { campaigns, totalCampaigns } = await list(api, `pageSize=100&${query}`)
  expect(totalCampaigns).toBe(campaigns.length)
  return idsOf(campaigns)
}

const idsOf = (campaigns: { id: string }[]) => campaigns.map(({ id }) => id)

/** The one item there is, whatever its tokens. */
async function theOnly(api: BorrowedTestApp): Promise<CampaignListItem> {
  const { campaigns } = await list(api, 'tokenWhitelist=false')
  expect(campaigns).toHaveLength(1)
  return campaigns[0] as CampaignListItem
}

describe('filters', () => {
  test('let everything pass when there are none', async () => {
    await using api = await borrowTestApp()
    const [first, second] = [aCampaign(), aCampaign()]
    await api.save(first, second)
    expect(await found(api)).toEqual([second.id, first.id])
  })

  test('answer an empty list and the total 0 when nothing matches', async () => {
    await using api = await borrowTestApp()
    expect(await list(api)).toEqual({ campaigns: [], totalCampaigns: 0 })
    await api.save(aCampaign())
    expect(await list(api, `owner=${anAddress('nobody')}`)).toEqual({ campaigns: [], totalCampaigns: 0 })
  })

  test('find an owner without regard to case', async () => {
    await using api = await borrowTestApp()
    const mine = aCampaign({ owner: inUpperCase(anAddress('somebody')) })
    await api.save(mine, aCampaign({ creator: anAddress('somebody') }))
    expect(await found(api, `owner=${anAddress('somebody')}`)).toEqual([mine.id])
    expect(await found(api, `owner=${inUpperCase(anAddress('somebody'))}`)).toEqual([mine.id])
  })

  test('find any of several budget accounts, trimmed and without regard to case', async () => {
    await using api = await borrowTestApp()
    const [one, two, three] = ['one', 'two', 'three'].map((word) => aCampaign({ budget: anAddress(word) }))
    await api.save(one as CampaignRecord, two as CampaignRecord, three as CampaignRecord)
    expect(await found(api, `budgetAccount=${anAddress('one')}`)).toEqual([one?.id])
    const several = `${anAddress('three')}, ${inUpperCase(anAddress('one'))} ,${anAddress('one')}`
    expect(await found(api, `budgetAccount=${encodeURIComponent(several)}`)).toEqual([three?.id, one?.id])
  })

  test('find an autocampaign by its exact ID', async () => {
    await using api = await borrowTestApp()
    const mine = aCampaign({ autocampaignId: 'Auto, 1 & ü' })
    await api.save(mine, aCampaign({ autocampaignId: 'auto, 1 & ü' }), aCampaign())
    expect(await found(api, `autocampaignId=${encodeURIComponent('Auto, 1 & ü')}`)).toEqual([mine.id])
    expect(await found(api, 'autocampaignId=Auto')).toEqual([])
  })

  test('find the campaigns created on a chain', async () => {
    await using api = await borrowTestApp()
    const mine = aCampaign({ id: `10:${CORE}:1`, actionSteps: [aStep(anAddress('target'), 8453)] })
    const other = aCampaign({ id: `8453:${CORE}:2`, actionSteps: [aStep(anAddress('target'), 10)] })
    await api.save(mine, other)
    expect(await found(api, 'chainId=10')).toEqual([mine.id])
    expect(await found(api, 'chainId=010')).toEqual([mine.id])
    expect(await found(api, 'chainId=0')).toEqual([])
    expect(await found(api, 'chainId=9007199254740991')).toEqual([])
    for (const any of ['', 'null']) expect(await found(api, `chainId=${any}`)).toEqual([other.id, mine.id])
  })

  test('find a target contract on the chain of the contract, wherever the campaign was created', async () => {
    await using api = await borrowTestApp()
    const target = anAddress('target')
    const elsewhere = aCampaign({ id: `10:${CORE}:1`, actionSteps: [aStep(anAddress('x')), aStep(target, 8453)] })
    const otherChain = aCampaign({ id: `8453:${CORE}:2`, actionSteps: [aStep(target, 10)] })
    const otherContract = aCampaign({ id: `8453:${CORE}:3`, actionSteps: [aStep(anAddress('x'), 8453)] })
    await api.save(elsewhere, otherChain, otherContract)
    expect(await found(api, `targetContract=${target}&chainId=8453`)).toEqual([elsewhere.id])
    expect(await found(api, `chainId=10&targetContract=${inUpperCase(target)}`)).toEqual([otherChain.id])
    expect(await found(api, `chainId=1&targetContract=${target}`)).toEqual([])
  })

  test('find no campaign by the zero address as its target contract, which stands for any contract', async () => {
    await using api = await borrowTestApp()
    const anyContract = aCampaign({ id: `8453:${CORE}:1`, actionSteps: [aStep(ZERO_ADDRESS), aStep(anAddress('x'))] })
    await api.save(anyContract)
    expect(await found(api, `chainId=8453&targetContract=${ZERO_ADDRESS}`)).toEqual([])
    expect(await found(api, `tokens=8453:${ZERO_ADDRESS}:collection`)).toEqual([])
    expect(await found(api, `chainId=8453&targetContract=${anAddress('x')}`)).toEqual([anyContract.id])
    const { actionSteps } = (await api.get(`/campaigns/${anyContract.id}`)).json()
    expect(actionSteps).toMatchObject([{ targetContract: ZERO_ADDRESS }, { targetContract: anAddress('x') }])
  })

  test('take neither the criteria nor the claimant of an action for a target contract', async () => {
    await using api = await borrowTestApp()
    const incentives = anIncentiveOfEachVariant(anAddress)
    await api.save(aCampaign({ incentives, actionSteps: [mintingStep] }), aCampaign({ incentives }))
    expect(await found(api, `tokenWhitelist=false&chainId=8453&targetContract=${anAddress('criteria')}`)).toEqual([])
  })

  test('find a token as a reward asset and as the token the action deals in', async () => {
    await using api = await borrowTestApp()
    const token = aToken()
    const paying = aCampaign({ incentives: [anErc20Incentive(inUpperCase(token.address))] })
    const dealing = aCampaign({ actionToken: { chainId: 8453, address: inUpperCase(token.address) } })
    const onOtherChain = aCampaign({ id: `10:${CORE}:7`, incentives: [anErc20Incentive(token.address)] })
    const dealingOnOtherChain = aCampaign({
      id: `10:${CORE}:8`,
      actionToken: { chainId: 8453, address: token.address },
    })
    const asCollection = aCampaign({ nftCollection: { chainId: 8453, address: token.address } })
    const asTarget = aCampaign({ actionSteps: [aStep(token.address)] })
    const asVenue = aCampaign({
      incentives: [{ type: 'PointsIncentive', venue: token.address, selector: '0x', reward: '1', limit: '1' }],
    })
    await api.save(token, paying, dealing, onOtherChain, dealingOnOtherChain, asCollection, asTarget, asVenue)
    const expected = [dealingOnOtherChain.id, dealing.id, paying.id]
    expect(await found(api, `tokenWhitelist=false&tokens=8453:${token.address}`)).toEqual(expected)
    expect(await found(api, `tokenWhitelist=false&tokens=8453:${inUpperCase(token.address)}`)).toEqual(expected)
  })

  test('find the asset of every variant that pays a token, and never its peg', async () => {
    await using api = await borrowTestApp()
    const paying = anIncentiveOfEachVariant(anAddress)
      .filter(isToken)
      .map((incentive) => aCampaign({ incentives: [incentive] }))
    await api.save(...paying)
    expect(paying.length).toBeGreaterThanOrEqual(9)
    const all = idsOf(paying.toReversed())
    expect(await found(api, `tokenWhitelist=false&tokens=8453:${anAddress('asset')}`)).toEqual(all)
    expect(await found(api, `tokenWhitelist=false&tokens=8453:${anAddress('peg')}`)).toEqual([])
  })

  test('find a collection as the NFT collection and as the target of a step', async () => {
    await using api = await borrowTestApp()
    const collection = anAddress('collection')
    const byCollection = aCampaign({ nftCollection: { chainId: 10, address: inUpperCase(collection) } })
    const byTarget = aCampaign({ actionSteps: [aStep(anAddress('x'), 10), aStep(collection, 10)] })
    const onOtherChain = aCampaign({ nftCollection: { chainId: 1, address: collection } })
    const asToken = aCampaign({ actionToken: { chainId: 10, address: collection } })
    await api.save(byCollection, byTarget, onOtherChain, asToken)
    const expected = [byTarget.id, byCollection.id]
    expect(await found(api, `tokens=10:${collection}:collection`)).toEqual(expected)
    expect(await found(api, `tokens=10:${inUpperCase(collection)}:collection`)).toEqual(expected)
    expect(await found(api, `tokens=10:${collection}:collection,10:${collection}`)).toEqual([asToken.id, ...expected])
  })

  test('find any of several tokens, each campaign once', async () => {
    await using api = await borrowTestApp()
    const [a, b] = [aToken(), aToken({ chainId: 10 })]
    const both = aCampaign({
      incentives: [anErc20Incentive(a.address)],
      actionToken: { chainId: 10, address: b.address },
    })
    const one = aCampaign({ actionToken: { chainId: 10, address: b.address } })
    await api.save(a, b, both, one, aCampaign())
    expect(await found(api, `tokens=8453:${a.address}, 10:${b.address}`.replaceAll(' ', '%20'))).toEqual([
      one.id,
      both.id,
    ])
  })

  test('find any of several distribution channels without regard to case', async () => {
    await using api = await borrowTestApp()
    const web = aCampaign({ distributionChannels: ['Web Site', 'web site', 'Other'] })
    const street = aCampaign({ distributionChannels: ['STRASSE'] })
    await api.save(web, street, aCampaign({ distributionChannels: ['web'] }), aCampaign())
    expect(await found(api, 'distributionChannel=WEB%20SITE')).toEqual([web.id])
    expect(await found(api, 'distributionChannel=strasse,%20web%20site%20,other')).toEqual([street.id, web.id])
  })

  test('find letters that the ICU of the database may not know, in any case', async () => {
    await using api = await borrowTestApp()
    const template = anActionTemplate({ actionType: 'ᲗᲐᲛᲐᲨᲘ' })
    const mine = aCampaign({ distributionChannels: ['ᲗᲐᲛᲐᲨᲘ', 'თამაში'], actionTemplateId: template.id })
    await api.save(template, mine, aCampaign({ distributionChannels: ['other'] }))
    for (const name of ['distributionChannel', 'actionType']) {
      expect(await found(api, `${name}=${encodeURIComponent('ᲗᲐᲛᲐᲨᲘ')}`), name).toEqual([mine.id])
      expect(await found(api, `${name}=${encodeURIComponent('თამაში')}`), name).toEqual([mine.id])
    }
    const { facets } = (await api.get('/campaigns?pageSize=0&tokenWhitelist=false&facets=distributionChannel')).json()
    expect(facets.distributionChannel).toContainEqual({ value: 'თამაში', count: 1 })
  })

  test.each(['ÄÖÜ', 'İSTANBUL', 'ΟΔΟΣ', 'ẞ', 'ДЖ', 'ᲗᲐᲛᲐᲨᲘ'])(
    'find the channel %s as it is written',
    async (channel) => {
      await using api = await borrowTestApp()
      const mine = aCampaign({ distributionChannels: [channel] })
      await api.save(mine, aCampaign({ distributionChannels: ['other'] }))
      expect(await found(api, `distributionChannel=${encodeURIComponent(channel)}`)).toEqual([mine.id])
    },
  )

  test('by default let only campaigns pass all of whose reward tokens are known and whitelisted', async () => {
    await using api = await borrowTestApp()
    const [good, bad, onOtherChain] = [aToken(), aToken({ whitelisted: false }), aToken({ chainId: 10 })]
    const { whitelisted: _, ...silent } = aToken()
    const paying = (...assets: string[]) => aCampaign({ incentives: assets.map((asset) => anErc20Incentive(asset)) })
    const passing = [
      aCampaign(),
      aCampaign({
        incentives: [
          { type: 'PointsIncentive', venue: anAddress('venue'), selector: '0x', reward: '1', limit: '1' },
          { type: 'AllowListIncentive', allowListAddress: anAddress('list'), limit: '1' },
        ],
      }),
      paying(good.address),
      paying(good.address, good.address),
    ]
    const hidden = [
      paying(bad.address),
      paying(silent.address),
      paying(anAddress('unknown')),
      paying(good.address, bad.address),
      paying(good.address, anAddress('unknown')),
      paying(onOtherChain.address),
    ]
    await api.save(good, bad, silent, onOtherChain, ...passing, ...hidden)
    const ofPassing = idsOf(passing.toReversed())
    for (const query of ['', 'tokenWhitelist=true', 'tokenWhitelist=', 'tokenWhitelist=null']) {
      expect(await found(api, query), query).toEqual(ofPassing)
    }
    expect(await found(api, 'tokenWhitelist=false')).toEqual([...idsOf(hidden.toReversed()), ...ofPassing])
  })

  test('follow a token that is whitelisted later, and one that no longer is', async () => {
    await using api = await borrowTestApp()
    const token = aToken({ whitelisted: false })
    const campaign = aCampaign({ incentives: [anErc20Incentive(token.address)] })
    await api.save(token, campaign)
    expect(await found(api)).toEqual([])
    await api.save({ ...token, whitelisted: true })
    expect(await found(api)).toEqual([campaign.id])
    await api.save({ ...token, whitelisted: false })
    expect(await found(api)).toEqual([])
  })

  test('find the campaigns that use an action template as it is', async () => {
    await using api = await borrowTestApp()
    const template = anActionTemplate()
    const asItIs = aCampaign({ actionTemplateId: template.id })
    const notCustom = aCampaign({ actionTemplateId: template.id, customAction: false })
    const custom = aCampaign({ actionTemplateId: template.id, customAction: true })
    const without = aCampaign({ templateId: template.id })
    await api.save(template, asItIs, notCustom, custom, without)
    expect(await found(api, 'actionTemplateOnly=true')).toEqual([notCustom.id, asItIs.id])
    const all = [without.id, custom.id, notCustom.id, asItIs.id]
    expect(await found(api, 'actionTemplateOnly=false')).toEqual(all)
    expect(await found(api)).toEqual(all)
  })

  test('combine with AND', async () => {
    await using api = await borrowTestApp()
    api.setNow(NOW)
    const template = anActionTemplate()
    const token = aToken()
    const full: Partial<CampaignRecord> = {
      owner: anAddress('me'),
      budget: anAddress('mine'),
      autocampaignId: 'auto',
      actionSteps: [aStep(anAddress('target'), 10)],
      incentives: [anErc20Incentive(token.address)],
      distributionChannels: ['web'],
      actionTemplateId: template.id,
    }
    const match = aCampaign(full)
    const misses = [
      { owner: anAddress('you') },
      { budget: anAddress('yours') },
      { autocampaignId: 'other' },
      { actionSteps: [aStep(anAddress('target'), 8453)] },
      { incentives: [] },
      { distributionChannels: ['app'] },
      { actionTemplateId: null },
      { endTime: '2025-12-31T23:59:59.999Z' },
      { incentives: [anErc20Incentive(token.address), anErc20Incentive(anAddress('unknown'))] },
    ].map((parts) => aCampaign({ ...full, ...parts }))
    await api.save(template, token, match, ...misses)
    const query = [
      `owner=${anAddress('me')}`,
      `budgetAccount=${anAddress('mine')}`,
      'autocampaignId=auto',
      `targetContract=${anAddress('target')}`,
      'chainId=10',
      `tokens=8453:${token.address}`,
      'distributionChannel=web',
      'actionTemplateOnly=true',
      'showActiveOnly=true',
      'sortBy=active',
      'tokenWhitelist=true',
      'page=1',
      'pageSize=100',
    ]
    expect(query).toHaveLength(13)
    const { campaigns, totalCampaigns } = await list(api, query.join('&'))
    expect({ ids: idsOf(campaigns), totalCampaigns }).toEqual({ ids: [match.id], totalCampaigns: 1 })
  })
})

describe('a campaign is active', () => {
  const times: [string, Partial<CampaignRecord>, boolean][] = [
    ['without times', {}, true],
    ['from its very start', { startTime: '2026-01-01T00:00:00.000Z' }, true],
    ['not a millisecond before its start', { startTime: '2026-01-01T00:00:00.001Z' }, false],
    ['until a millisecond before its end', { endTime: '2026-01-01T00:00:00.001Z' }, true],
    ['not at its very end', { endTime: '2026-01-01T00:00:00.000Z' }, false],
    ['between its start and its end', { startTime: '2025-01-01T00:00:00Z', endTime: '2027-01-01T00:00:00Z' }, true],
    ['with null as its times', { startTime: null, endTime: null }, true],
  ]
  const participants: [string, Partial<CampaignRecord>, string[], boolean][] = [
    ['whoever has claimed, when maxParticipants is "0"', { maxParticipants: '0' }, ['a', 'b'], true],
    ['while fewer than maxParticipants have claimed', { maxParticipants: '3' }, ['a', 'b'], true],
    ['while the same few claim again and again', { maxParticipants: '2' }, ['a', 'a', 'A'], true],
    ['not once as many distinct claimants have claimed', { maxParticipants: '2' }, ['a', 'a', 'b'], false],
    ['not once more than that have claimed', { maxParticipants: '1' }, ['a', 'b'], false],
  ]
  const spending: [string, CampaignRecord['incentives'], { index?: number; amount: string }[], boolean][] = []
  const claims = (...amounts: string[]) => amounts.map((amount) => ({ amount }))
  const asset = anAddress('asset')
  const allowList = (limit: string) => ({ type: 'AllowListIncentive', allowListAddress: anAddress('list'), limit })
  const points = { type: 'PointsIncentive', venue: anAddress('venue'), selector: '0x', reward: '5', limit: '2' }
  const auction = {
    ...{ type: 'CGDAIncentive', asset, initialReward: '5', rewardDecay: '1', rewardBoost: '1' },
    totalBudget: '100',
  }
  spending.push(
    ['AllowListIncentive: while there are fewer claims than its limit', [allowList('2')], claims('9'), true],
    ['AllowListIncentive: not once there are as many', [allowList('2')], claims('0', '0'), false],
    ['PointsIncentive: while there are fewer claims than its limit', [points], claims('9'), true],
    ['PointsIncentive: not once there are as many', [points], claims('5', '5'), false],
    ['ERC20Incentive: while claims remain', [anErc20Incentive(asset, { limit: '1' })], claims('100', '100'), true],
    ['ERC20Incentive: not when its limit is "0"', [anErc20Incentive(asset, { limit: '0' })], [], false],
    ['CGDAIncentive: while less than its budget is claimed', [auction], claims('98', '1'), true],
    ['CGDAIncentive: not once its budget is claimed', [auction], claims('99', '1'), false],
  )
  for (const complete of anIncentiveOfEachVariant(anAddress)) {
    const { remainingBalance: _, claimedAmount: __, totalAmountClaimed: ___, totalClaims: ____, ...variant } = complete
    const { type } = variant
    if (!('claimedAmount' in complete)) continue
    spending.push(
      [`${type}: while its remaining balance is not "0"`, [{ ...variant, remainingBalance: '1' }], [], true],
      [`${type}: not when its remaining balance is "0"`, [{ ...variant, remainingBalance: '0' }], [], false],
    )
    if (payoutOf(complete).spends === 'claims that remain') continue
    const limited = { ...variant, limit: '100' }
    spending.push(
      [`${type}: while less than its limit is claimed`, [limited], claims('98', '1'), true],
      [`${type}: not once its limit is claimed`, [limited], claims('99', '1'), false],
      [`${type}: not once more than its limit is claimed`, [limited], claims(MAX), false],
      [`${type}: as the recorded amount says`, [{ ...limited, totalAmountClaimed: '100' }], [], false],
      [`${type}: as the recorded amount says first`, [{ ...limited, totalAmountClaimed: '99' }], claims('100'), true],
      [`${type}: as the claims say for ""`, [{ ...limited, totalAmountClaimed: '' }], claims('100'), false],
      [`${type}: whatever the other figures`, [{ ...limited, claimedAmount: '100', totalClaims: '100' }], [], true],
      [
        `${type}: not once its limit is claimed, whatever its balance`,
        [{ ...limited, totalAmountClaimed: '100', remainingBalance: '7' }],
        [],
        false,
      ],
    )
  }
  spending.push(
    ['while one of its incentives is not spent', [allowList('1'), allowList('2')], claims('0'), true],
    [
      'not once all its incentives are spent',
      [allowList('1'), allowList('2')],
      [{ amount: '0' }, { index: 1, amount: '0' }, { index: 1, amount: '0' }],
      false,
    ],
    ['as each incentive counts its own claims', [allowList('1'), allowList('1')], claims('0', '0'), true],
    ['when it has no incentives', [], [], true],
  )

  const cases: { title: string; campaign: CampaignRecord; claims: ClaimRecord[]; isActive: boolean }[] = [
    ...times.map(([title, parts, isActive]) => ({ title, campaign: aCampaign(parts), claims: [], isActive })),
    ...participants.map(([title, parts, claimants, isActive]) => {
      const campaign = aCampaign({ ...parts, incentives: [allowList('99'), allowList('99')] })
      const all = claimants.map((word, index) => {
        const claimant = anAddress(word.toLowerCase())
        return aClaim(campaign, {
          incentiveIndex: index % 2,
          claimant: word === 'A' ? inUpperCase(claimant) : claimant,
        })
      })
      return { title, campaign, claims: all, isActive }
    }),
    ...spending.map(([title, incentives, made, isActive]) => {
      const campaign = aCampaign({ incentives })
      const all = made.map(({ index = 0, amount }) => aClaim(campaign, { incentiveIndex: index, amount }))
      return { title, campaign, claims: all, isActive }
    }),
  ]

  let api: BorrowedTestApp
  let active: Set<string>
  let activity: Map<string, boolean>
  beforeAll(async () => {
    api = await borrowTestApp()
    api.setNow(NOW)
    await api.save(...cases.flatMap(({ campaign, claims: made }) => [campaign, ...made]))
    active = new Set(await found(api, 'tokenWhitelist=false&showActiveOnly=true'))
    const pages = await Promise.all([1, 2].map((page) => list(api, `tokenWhitelist=false&pageSize=100&page=${page}`)))
    activity = new Map(pages.flatMap(({ campaigns }) => campaigns.map(({ id, isActive }) => [id, isActive])))
  })
  afterAll(() => api[Symbol.asyncDispose]())

  test('or not in each of the cases below', () => {
    expect(cases.length).toBeGreaterThan(60)
    expect(activity.size).toBe(cases.length)
  })

  for (const { title, campaign, isActive } of cases) {
    test(title, () => {
      expect(activity.get(campaign.id)).toBe(isActive)
      expect(active.has(campaign.id)).toBe(isActive)
    })
  }

  test('until it ends, with nothing written between two answers', async () => {
    await using api = await borrowTestApp()
    const starting = aCampaign({ startTime: '2026-01-01T00:00:00.000Z' })
    const ending = aCampaign({ endTime: '2026-01-01T00:00:00.000Z' })
    await api.save(starting, ending)
    const activity = async () => (await list(api)).campaigns.map(({ id, isActive }) => [id, isActive])

    api.setNow(new Date('2025-12-31T23:59:59.999Z'))
    expect(await activity()).toEqual([
      [ending.id, true],
      [starting.id, false],
    ])
    expect(await found(api, 'showActiveOnly=true')).toEqual([ending.id])
    expect(await found(api, 'sortBy=active')).toEqual([ending.id, starting.id])

    api.setNow(NOW)
    expect(await activity()).toEqual([
      [ending.id, false],
      [starting.id, true],
    ])
    expect(await found(api, 'showActiveOnly=true')).toEqual([starting.id])
    expect(await found(api, 'sortBy=active')).toEqual([starting.id, ending.id])
  })

  test('again when it is replaced by one with more to give, its claims kept', async () => {
    await using api = await borrowTestApp()
    const campaign = aCampaign({ incentives: [allowList('1')] })
    await api.save(campaign, aClaim(campaign))
    expect((await theOnly(api)).isActive).toBe(false)
    await api.save({ ...campaign, incentives: [allowList('2')] })
    expect((await theOnly(api)).isActive).toBe(true)
    await api.save({ ...campaign, incentives: [allowList('2')], maxParticipants: '1' })
    expect((await theOnly(api)).isActive).toBe(false)
  })
})
