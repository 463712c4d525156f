import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TrendingCampaign } from '../../../src/features/trending/trending-schemas.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ClaimRecord, ClaimSignatureRecord, ImportRecord, TokenRecord } from '../../../src/ingest/records.ts'
import {
  aCampaign,
  aClaim,
  anAccessList,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  aStep,
  aToken,
  inUpperCase,
} from '../../setup/records.ts'
import { trendingParameters } from '../../setup/requests/trending-parameters.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

const NOW = new Date('2026-01-01T00:00:00.000Z')

const HOUR = 3600

const DAY = 24 * HOUR

const CORE = anAddress('core')

const toSeconds = (instant: Date) => instant.getTime() / 1000

async function trending(api: BorrowedTestApp, query = ''): Promise<TrendingCampaign[]> {
  const response = await api.get(`/reward-kit/trending?${query}`)
  expect(response.statusCode, `${query}: ${response.body}`).toBe(200)
  const body = response.json()
  expect(Object.keys(body)).toEqual(['trendingCampaigns'])
  return body.trendingCampaigns
}

const idsOf = (campaigns: { id: string }[]) => campaigns.map(({ id }) => id)

/** The IDs of those that are trending, in their order. */
const found = async (api: BorrowedTestApp, query = '') => idsOf(await trending(api, query))

/** Pays no token and is never spent here. */
const place = { type: 'AllowListIncentive', allowListAddress: anAddress('list'), limit: '1000000' }

/** A campaign that can be claimed, with an owner of its own. */
function aClaimable(parts: Partial<CampaignRecord> = {}): CampaignRecord {
  const campaign = aCampaign({ incentives: [place], ...parts })
  return { ...campaign, owner: parts.owner ?? anAddress(`owner of ${campaign.id}`) }
}

/** A claim so many seconds before an instant; a negative number is after it. */
const aClaimAgo = (campaign: CampaignRecord, seconds: number, parts: Partial<ClaimRecord> = {}, now = NOW) =>
  aClaim(campaign, { blockTimestamp: String(toSeconds(now) - seconds), ...parts })

/** Each campaign with one claim of unknown value, a minute ago: among themselves the newest comes first. */
const claimed = (...campaigns: CampaignRecord[]): ImportRecord[] =>
  campaigns.flatMap((campaign) => [campaign, aClaimAgo(campaign, 60)])

const aSignature = (campaign: CampaignRecord, claimant: string, incentiveId = 0): ClaimSignatureRecord => ({
  type: 'claimSignature',
  campaignId: campaign.id,
  incentiveId,
  claimant,
  signature: `0xSigned${incentiveId}`,
  referrer: anAddress('referrer'),
})

/** An app that several tests put campaigns of their own into. */
let shared: BorrowedTestApp

beforeAll(async () => {
  shared = await borrowTestApp()
  shared.setNow(NOW)
})

afterAll(() => shared[Symbol.asyncDispose]())

/** The entry of a campaign whose owner has no other. */
async function entryOf(campaign: CampaignRecord, query = ''): Promise<TrendingCampaign> {
  const entries = await trending(shared, `tokenWhitelist=false&owner=${campaign.owner}&${query}`)
  expect(idsOf(entries)).toEqual([campaign.id.toLowerCase()])
  return entries[0] as TrendingCampaign
}

describe('filters', () => {
  test('find an owner without regard to case', async () => {
    const mine = aClaimable({ owner: inUpperCase(anAddress('somebody')) })
    const created = aClaimable({ creator: anAddress('somebody') })
    await shared.save(...claimed(mine, created))
    expect(await found(shared, `owner=${anAddress('somebody')}`)).toEqual([mine.id])
    expect(await found(shared, `owner=${inUpperCase(anAddress('somebody'))}`)).toEqual([mine.id])
  })

  test('find the creator of the record, and the owner where the record names none', async () => {
    const creator = anAddress('maker')
    const created = aClaimable({ creator: inUpperCase(creator) })
    const owned = aClaimable({ owner: creator })
    const nulled = aClaimable({ owner: creator, creator: null })
    const ofAnother = aClaimable({ owner: creator, creator: anAddress('another') })
    await shared.save(...claimed(created, owned, nulled, ofAnother))
    for (const value of [creator, inUpperCase(creator)]) {
      expect(await found(shared, `creator=${value}`)).toEqual(idsOf([nulled, owned, created]))
    }
  })

  test('find any of several budget accounts, trimmed and without regard to case', async () => {
    const [one, two, three] = [
      ...[aClaimable({ budget: anAddress('one') }), aClaimable({ budget: anAddress('two') })],
      aClaimable({ budget: inUpperCase(anAddress('three')) }),
    ] as [CampaignRecord, CampaignRecord, CampaignRecord]
    await shared.save(...claimed(one, two, three))
    expect(await found(shared, `budgetAccount=${anAddress('two')}`)).toEqual([two.id])
    const several = `${anAddress('three')}, ${inUpperCase(anAddress('one'))} ,${anAddress('one')}`
    expect(await found(shared, `budgetAccount=${encodeURIComponent(several)}`)).toEqual(idsOf([three, one]))
  })

  test('find an autocampaign by its exact ID', async () => {
    const mine = aClaimable({ autocampaignId: 'Auto, 1 & ü' })
    await shared.save(...claimed(mine, aClaimable({ autocampaignId: 'auto, 1 & ü' })))
    expect(await found(shared, `autocampaignId=${encodeURIComponent('Auto, 1 & ü')}`)).toEqual([mine.id])
    expect(await found(shared, 'autocampaignId=Auto')).toEqual([])
  })

  test('find the campaigns created on a chain', async () => {
    const mine = aClaimable({ id: `77:${CORE}:1`, actionSteps: [aStep(anAddress('target'), 78)] })
    const other = aClaimable({ id: `78:${CORE}:2`, actionSteps: [aStep(anAddress('target'), 77)] })
    await shared.save(...claimed(mine, other))
    expect(await found(shared, 'chainId=77')).toEqual([mine.id])
    expect(await found(shared, 'chainId=0')).toEqual([])
    for (const any of ['', 'null']) {
      expect(await found(shared, `chainId=${any}&owner=${other.owner}`)).toEqual([other.id])
    }
  })

  test('find a target contract on the chain of the contract, wherever the campaign was created', async () => {
    const target = anAddress('contract')
    const elsewhere = aClaimable({ id: `10:${CORE}:1`, actionSteps: [aStep(anAddress('x')), aStep(target, 8453)] })
    const otherChain = aClaimable({ id: `8453:${CORE}:22`, actionSteps: [aStep(target, 10)] })
    const otherContract = aClaimable({ id: `8453:${CORE}:33`, actionSteps: [aStep(anAddress('x'), 8453)] })
    await shared.save(...claimed(elsewhere, otherChain, otherContract))
    expect(await found(shared, `targetContract=${target}&chainId=8453`)).toEqual([elsewhere.id])
    expect(await found(shared, `chainId=10&targetContract=${inUpperCase(target)}`)).toEqual([otherChain.id])
    expect(await found(shared, `chainId=1&targetContract=${target}`)).toEqual([])
  })

  test('find a token as a reward asset and as the token the action deals in', async () => {
    const token = aToken()
    const paying = aClaimable({ incentives: [anErc20Incentive(inUpperCase(token.address))] })
    const dealing = aClaimable({ actionToken: { chainId: 8453, address: inUpperCase(token.address) } })
    const onOtherChain = aClaimable({ actionToken: { chainId: 10, address: token.address } })
    const asTarget = aClaimable({ actionSteps: [aStep(token.address)] })
    const asVenue = aClaimable({
      incentives: [{ type: 'PointsIncentive', venue: token.address, selector: '0x', reward: '1', limit: '9' }],
    })
    await shared.save(token, ...claimed(paying, dealing, onOtherChain, asTarget, asVenue))
    for (const address of [token.address, inUpperCase(token.address)]) {
      expect(await found(shared, `tokens=8453:${address}`)).toEqual(idsOf([dealing, paying]))
    }
    expect(await found(shared, `tokens=8453:${token.address},%2010:${token.address}`)).toEqual(
      idsOf([onOtherChain, dealing, paying]),
    )
  })

  test('find a collection as the NFT collection and as the target of a step', async () => {
    const collection = anAddress('collection')
    const byCollection = aClaimable({ nftCollection: { chainId: 10, address: inUpperCase(collection) } })
    const byTarget = aClaimable({ actionSteps: [aStep(collection, 10)] })
    const onOtherChain = aClaimable({ nftCollection: { chainId: 1, address: collection } })
    const asToken = aClaimable({ actionToken: { chainId: 10, address: collection } })
    await shared.save(...claimed(byCollection, byTarget, onOtherChain, asToken))
    for (const address of [collection, inUpperCase(collection)]) {
      expect(await found(shared, `tokens=10:${address}:collection`)).toEqual(idsOf([byTarget, byCollection]))
    }
  })

  test('find any of several distribution channels without regard to case', async () => {
    const web = aClaimable({ distributionChannels: ['Web Site', 'web site', 'Other'] })
    const street = aClaimable({ distributionChannels: ['STRASSE'] })
    await shared.save(...claimed(web, street, aClaimable({ distributionChannels: ['web'] })))
    expect(await found(shared, 'distributionChannel=WEB%20SITE')).toEqual([web.id])
    expect(await found(shared, 'distributionChannel=strasse,%20web%20site%20,other')).toEqual(idsOf([street, web]))
  })

  test('by default let only campaigns pass all of whose reward tokens are known and whitelisted', async () => {
    const owner = anAddress('owner of whitelisted ones')
    const [good, bad, onOtherChain] = [aToken(), aToken({ whitelisted: false }), aToken({ chainId: 10 })]
    const paying = (...assets: string[]) =>
      aClaimable({ owner, incentives: assets.map((asset) => anErc20Incentive(asset)) })
    const points = { type: 'PointsIncentive', venue: anAddress('venue'), selector: '0x', reward: '1', limit: '9' }
    const passing = [aClaimable({ owner }), aClaimable({ owner, incentives: [points] }), paying(good.address)]
    const hidden = [
      ...[paying(bad.address), paying(anAddress('unknown')), paying(onOtherChain.address)],
      paying(good.address, bad.address),
    ]
    await shared.save(good, bad, onOtherChain, ...claimed(...passing, ...hidden))
    const ofPassing = idsOf(passing.toReversed())
    for (const query of ['', 'tokenWhitelist=true', 'tokenWhitelist=', 'tokenWhitelist=null']) {
      expect(await found(shared, `owner=${owner}&${query}`), query).toEqual(ofPassing)
    }
    expect(await found(shared, `owner=${owner}&tokenWhitelist=false`)).toEqual([
      ...idsOf(hidden.toReversed()),
      ...ofPassing,
    ])
  })

  describe('by action type', () => {
    const owner = anAddress('owner of typed ones')
    const types = ['swap', 'MINT', 'Bridge Out', 'ΟΔΟΣ'] as const
    const templates = types.map((actionType) => anActionTemplate({ actionType }))
    const [swap, mint, bridge, street] = templates.map(({ id }) => aClaimable({ owner, actionTemplateId: id })) as [
      ...[CampaignRecord, CampaignRecord, CampaignRecord, CampaignRecord],
    ]
    const custom = aClaimable({ owner, actionTemplateId: templates[0]?.id as string, customAction: true })
    const without = aClaimable({ owner, templateId: templates[0]?.id as string })
    beforeAll(() => shared.save(...templates, ...claimed(swap, mint, bridge, street, custom, without)))

    test.each<[string, CampaignRecord[]]>([
      ['', [without, custom, street, bridge, mint, swap]],
      ['includeActionTypes=swap', [custom, swap]],
      ['includeActionTypes=SWAP', [custom, swap]],
      ['includeActionTypes=mint', [mint]],
      ['includeActionTypes=Mint,%20bridge%20OUT%20,mint', [bridge, mint]],
      [`includeActionTypes=${encodeURIComponent('ΟΔΟΣ')}`, [street]],
      ['includeActionTypes=bridge', []],
      ['includeActionTypes=other', []],
      ['excludeActionTypes=swap', [without, street, bridge, mint]],
      ['excludeActionTypes=Swap,mint', [without, street, bridge]],
      ['excludeActionTypes=other', [without, custom, street, bridge, mint, swap]],
      ['includeActionTypes=swap,mint&excludeActionTypes=swap', [mint]],
      ['includeActionTypes=swap&excludeActionTypes=SWAP', []],
    ])('find with %s', async (query, expected) => {
      expect(await found(shared, `owner=${owner}&${query}`)).toEqual(idsOf(expected))
    })
  })

  test('follow an action template that gets another action type', async () => {
    const template = anActionTemplate({ actionType: 'before' })
    const campaign = aClaimable({ actionTemplateId: template.id })
    await shared.save(template, ...claimed(campaign))
    const both = async () => [
      await found(shared, `owner=${campaign.owner}&includeActionTypes=before`),
      await found(shared, `owner=${campaign.owner}&includeActionTypes=after`),
    ]
    expect(await both()).toEqual([idsOf([campaign]), []])
    await shared.save({ ...template, actionType: 'After' })
    expect(await both()).toEqual([[], idsOf([campaign])])
  })

  test('combine with AND', async () => {
    const [user, token] = [anAddress('combining user'), aToken()]
    const [template, otherTemplate] = [
      anActionTemplate({ actionType: 'vote' }),
      anActionTemplate({ actionType: 'mint' }),
    ]
    const full: Partial<CampaignRecord> = {
      owner: anAddress('me'),
      creator: anAddress('my maker'),
      budget: anAddress('mine'),
      autocampaignId: 'my auto',
      actionSteps: [aStep(anAddress('my target'), 10)],
      incentives: [anErc20Incentive(token.address)],
      distributionChannels: ['my web'],
      actionTemplateId: template.id,
    }
    const denying = {
      owner: anAddress('o'),
      contractAddress: anAddress('c'),
      type: 'SimpleDenyList' as const,
      addresses: [user],
    }
    const match = aClaimable(full)
    const misses = [
      { owner: anAddress('you') },
      { creator: anAddress('your maker') },
      { budget: anAddress('yours') },
      { autocampaignId: 'your auto' },
      { actionSteps: [aStep(anAddress('my target'), 8453)] },
      { incentives: [place] },
      { distributionChannels: ['your web'] },
      { actionTemplateId: null },
      { actionTemplateId: otherTemplate.id },
      { allowList: denying },
      { endTime: '2025-12-31T23:59:59.999Z' },
      { incentives: [anErc20Incentive(token.address), anErc20Incentive(anAddress('unknown'))] },
    ].map((parts) => aClaimable({ ...full, ...parts }))
    const tooOld = aClaimable(full)
    await shared.save(token, template, otherTemplate, ...claimed(match, ...misses), tooOld, aClaimAgo(tooOld, HOUR))
    const query = [
      `owner=${anAddress('me')}`,
      `creator=${anAddress('my maker')}`,
      `budgetAccount=${anAddress('mine')}`,
      'autocampaignId=my%20auto',
      `targetContract=${anAddress('my target')}`,
      'chainId=10',
      `tokens=8453:${token.address}`,
      'distributionChannel=my%20web',
      'includeActionTypes=vote,mint',
      'excludeActionTypes=mint',
      `user=${user}`,
      'tokenWhitelist=true',
      'includeTokenMetadata=true',
      'period=1h',
      'pageSize=100',
    ]
    expect(query).toHaveLength(trendingParameters.length)
    expect(await found(shared, query.join('&'))).toEqual([match.id])
    expect(await found(shared, `owner=${anAddress('me')}&distributionChannel=your%20web`)).toEqual(
      idsOf(misses.filter(({ distributionChannels }) => distributionChannels?.includes('your web'))),
    )
  })
})

describe('includeTokenMetadata', () => {
  const template = anActionTemplate()
  const known = aToken({ chainId: 10, decimals: 8, whitelisted: false })
  const dealing = (token: TokenRecord, actionTemplateId: string | null = template.id) =>
    aClaimable({ actionTemplateId, actionToken: { chainId: token.chainId, address: token.address } })
  /** The metadata that a campaign gets when asked so; the key is absent where it is. */
  const metadataOf = async (campaign: CampaignRecord, query = 'includeTokenMetadata=true') => {
    const entry = await entryOf(campaign, query)
    return 'actionTokenMetadata' in entry ? entry.actionTokenMetadata : 'absent'
  }
  const ofToken = ({ address, chainId, decimals }: TokenRecord) => ({
    ...{ tokenSymbol: 'TEST', tokenContract: address, chainId, decimals },
    tokenImage: 'https://images.example/test.png',
  })

  const nothing = { priceUsd: null, marketCap: null, priceChange24Hr: null, volume24Hr: null, holders: null }
  const zeros = { marketCap: 0, priceChange24Hr: 0, volume24Hr: 0, holders: 0 }
  const prices: [text: string, priceUsd: number][] = [
    ['0.1234567890123', 0.123456789012],
    ['0.1234567890125', 0.123456789013],
    ['0.00000000000000123456789012499', 1.23456789012e-15],
    ['98765432109876.5', 98765432109900],
    ['3120.55', 3120.55],
    ['999999999999.5', 1_000_000_000_000],
  ]
  const cases: { title: string; token: TokenRecord; actionType?: string; expected: object | 'absent' }[] = [
    { title: 'adds the token that a swap deals in', token: known, expected: ofToken(known) },
    {
      title: 'adds it also where the type is written otherwise',
      token: known,
      actionType: 'SWAP',
      expected: ofToken(known),
    },
    { title: 'adds nothing to another action type', token: known, actionType: 'mint', expected: 'absent' },
    {
      title: 'adds nothing to an action type that begins alike',
      token: known,
      actionType: 'swaps',
      expected: 'absent',
    },
    ...[aToken({ ...nothing })].map((token) => ({
      title: 'leaves out what is unknown of the token',
      token,
      expected: ofToken(token),
    })),
    ...[aToken({ ...zeros, priceUsd: '0' })].map((token) => ({
      title: 'knows 0 from unknown',
      token,
      expected: { ...ofToken(token), ...zeros, priceUsd: 0 },
    })),
    ...prices.map(([text, priceUsd]) => {
      const token = aToken({ priceUsd: text })
      const title = `rounds the price ${text} to 12 significant digits, half up`
      return { title, token, expected: { ...ofToken(token), priceUsd } }
    }),
  ]
  const prepared = cases.map(({ title, token, actionType, expected }) => {
    const own = actionType === undefined ? template : anActionTemplate({ actionType })
    const campaign = dealing(token, own.id)
    return { title, campaign, records: [token, own, ...claimed(campaign)], expected }
  })
  const swap = dealing(known)
  const withoutTemplate = dealing(known, null)
  const ofUnknown = dealing(aToken())
  const ofNone = aClaimable({ actionTemplateId: template.id })
  const onOtherChain = dealing({ ...known, chainId: 8453 })
  const others = [swap, withoutTemplate, ofUnknown, ofNone, onOtherChain]
  beforeAll(() => shared.save(...prepared.flatMap(({ records }) => records), ...claimed(...others)))

  for (const { title, campaign, expected } of prepared) {
    test(title, async () => expect(await metadataOf(campaign)).toEqual(expected))
  }

  test('adds nothing without a template, nor for an unknown token', async () => {
    for (const campaign of [withoutTemplate, ofUnknown, ofNone, onOtherChain]) {
      expect(await metadataOf(campaign)).toBe('absent')
    }
  })

  test.each(['', 'includeTokenMetadata=false', 'includeTokenMetadata=', 'includeTokenMetadata=null'])(
    'adds nothing unless it is true: "%s"',
    async (query) => expect(await metadataOf(swap, query)).toBe('absent'),
  )
})

describe('for a user', () => {
  const owner = anAddress('owner of listed ones')
  const [listed, member, stranger] = [anAddress('listed'), anAddress('member'), anAddress('stranger')]
  const withList = (type: 'OpenAllowList' | 'SimpleAllowList' | 'SimpleDenyList' | 'OffchainAccessList', parts = {}) =>
    aClaimable({
      owner,
      campaignName: type,
      allowList: { owner, contractAddress: anAddress('c'), type, addresses: [inUpperCase(listed)], ...parts },
    })
  const none = aClaimable({ owner })
  const open = withList('OpenAllowList')
  const allowing = withList('SimpleAllowList')
  const allowingNobody = withList('SimpleAllowList', { addresses: null })
  const denying = withList('SimpleDenyList')
  const denyingNobody = withList('SimpleDenyList', { addresses: [] })
  const offChain = withList('OffchainAccessList', { accessListId: 'trending-friends' })
  const offChainEmpty = withList('OffchainAccessList', { accessListId: 'trending-nobody' })
  const offChainUnnamed = withList('OffchainAccessList')
  const all = [none, open, allowing, allowingNobody, denying, denyingNobody, offChain, offChainEmpty, offChainUnnamed]
  const friends = anAccessList({ id: 'trending-friends', members: [inUpperCase(member)] })
  beforeAll(() => shared.save(friends, anAccessList({ id: 'trending-nobody' }), ...claimed(...all)))

  test.each([
    ['an address on the lists', listed, [denyingNobody, allowing, open, none]],
    ['a member of the access list', member, [offChain, denyingNobody, denying, open, none]],
    ['a stranger', stranger, [denyingNobody, denying, open, none]],
  ])('who is %s there are those that admit them', async (_who, user, expected) => {
    for (const value of [user, inUpperCase(user)]) {
      const entries = await trending(shared, `owner=${owner}&user=${value}`)
      expect(entries.map(({ id, accessStatus, status }) => ({ id, accessStatus, status }))).toEqual(
        expected.map(({ id }) => ({ id, accessStatus: 'allowed', status: 'active' })),
      )
    }
  })

  test('who is not named there are all, without accessStatus', async () => {
    const entries = await trending(shared, `owner=${owner}`)
    expect(idsOf(entries)).toEqual(idsOf(all.toReversed()))
    for (const entry of entries) expect(entry).not.toHaveProperty('accessStatus')
  })

  test('who joins or leaves an access list the answer follows', async () => {
    const guest = anAddress('guest')
    const campaign = withList('OffchainAccessList', { accessListId: 'trending-guests' })
    const guests = anAccessList({ id: 'trending-guests', members: [member] })
    await shared.save(guests, ...claimed({ ...campaign, owner: anAddress('owner of guests') }))
    const ofGuest = `owner=${anAddress('owner of guests')}&user=${guest}`
    expect(await found(shared, ofGuest)).toEqual([])
    await shared.save({ ...guests, members: [member, guest] })
    expect(await found(shared, ofGuest)).toEqual([campaign.id])
    await shared.save({ ...guests, members: [] })
    expect(await found(shared, ofGuest)).toEqual([])
  })

  describe('with claims and signatures', () => {
    const user = anAddress('claiming user')
    const twoPlaces = { incentives: [place, place, place] }
    const untouched = aClaimable(twoPlaces)
    const signed = aClaimable(twoPlaces)
    const signedForOther = aClaimable(twoPlaces)
    const done = aClaimable(twoPlaces)
    const doneLongAgo = aClaimable(twoPlaces)
    const doneLater = aClaimable(twoPlaces)
    const byUser = (campaign: CampaignRecord, ago: number, claimant = user) =>
      aClaimAgo(campaign, ago, { claimant, incentiveIndex: 1 })
    beforeAll(() =>
      shared.save(
        ...claimed(untouched, signed, signedForOther, done, doneLongAgo, doneLater),
        ...[2, 1].map((incentiveId) => aSignature(signed, inUpperCase(user), incentiveId)),
        aSignature(signed, stranger, 0),
        aSignature(signedForOther, stranger, 1),
        ...[aSignature(done, user, 0), byUser(done, 60, inUpperCase(user))],
        byUser(doneLongAgo, 400 * DAY),
        byUser(doneLater, -DAY),
      ),
    )
    const statusOf = async (campaign: CampaignRecord, query = `user=${user}`) => {
      const { status, signature } = await entryOf(campaign, query)
      return { status, signature }
    }

    test('the status is active where nothing is recorded for them', async () => {
      expect(await statusOf(untouched)).toEqual({ status: 'active' })
      expect(await statusOf(signedForOther)).toEqual({ status: 'active' })
    })

    test('the status is claimable where a signature is, and the one of the lowest incentive is there', async () => {
      const signature = { claimant: user, incentiveId: 1, signature: '0xSigned1', referrer: anAddress('referrer') }
      for (const value of [user, inUpperCase(user)]) {
        expect(await statusOf(signed, `user=${value}`)).toEqual({ status: 'claimable', signature })
      }
      expect(await statusOf(signed, `user=${stranger}`)).toEqual({
        status: 'claimable',
        signature: { ...signature, claimant: stranger, incentiveId: 0, signature: '0xSigned0' },
      })
    })

    test('the status is claimed where a claim is, whenever it was, and no signature is there', async () => {
      for (const campaign of [done, doneLongAgo, doneLater]) {
        const entry = await entryOf(campaign, `user=${user}`)
        expect(entry.status).toBe('claimed')
        expect(entry).not.toHaveProperty('signature')
      }
      expect(await statusOf(done, `user=${stranger}`)).toEqual({ status: 'active' })
    })

    test('the status is active without a user, and no signature is there', async () => {
      for (const campaign of [untouched, signed, signedForOther, done, doneLongAgo, doneLater]) {
        const entry = await entryOf(campaign)
        expect(entry.status).toBe('active')
        expect(entry).not.toHaveProperty('signature')
      }
    })
  })
})

describe('a parameter', () => {
  const someone = anAddress('someone')
  const hundredAndOne = Array.from({ length: 101 }, (_, index) => `n${index}`)

  test.each([
    ...['chainId=', 'chainId=null', 'chainId=9007199254740991', 'tokenWhitelist=', 'includeTokenMetadata=null'],
    ...['pageSize=', 'pageSize=null', 'pageSize=0', 'pageSize=100'],
    ...['period=1h', 'period=24h', `autocampaignId=${'x'.repeat(128)}`, `includeActionTypes=${'x'.repeat(128)}`],
    ...[`excludeActionTypes=${hundredAndOne.slice(1).join(',')},N1`, `tokens=0:${someone}:collection`, ''],
  ])('is accepted at its edge: %s', async (query) => {
    expect(await trending(shared, query)).toBeInstanceOf(Array)
  })
})
