import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { respondHttp } from 'reward-campaigns-mcp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aPayload } from '../setup/data/payloads.ts'
import {
  aCampaign,
  aClaim,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  anIncentiveOfEachVariant,
  aStep,
  aToken,
} from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

const NOW = new Date('2026-06-01T12:00:00.000Z')
const user = anAddress('agent user')

const usdc = aToken({ address: anAddress('usdc'), symbol: 'USDC', decimals: 6, priceUsd: '1' })
const template = anActionTemplate({ projectId: 'uniswap', actionType: 'swap' })
const swap = aCampaign({
  campaignName: 'Swap on Base',
  actionTemplateId: template.id,
  incentives: [anErc20Incentive(usdc.address, { reward: '2500000', limit: '9' })],
  actionSteps: [aStep(anAddress('router'))],
  endTime: '2026-07-01T00:00:00.000Z',
})
const mint = aCampaign({
  campaignName: 'Mint on Base',
  allowList: {
    owner: anAddress('owner'),
    contractAddress: anAddress('list'),
    type: 'SimpleAllowList',
    addresses: [anAddress('member')],
  },
  incentives: [
    {
      type: 'CGDAIncentive',
      asset: usdc.address,
      initialReward: '1000000',
      rewardDecay: '10000',
      rewardBoost: '5000',
      totalBudget: '90000000',
    },
  ],
})
const claim = aClaim(swap, {
  claimant: user,
  amount: '2500000',
  amountUsd: '2.5',
  blockTimestamp: String(NOW.getTime() / 1000 - 600),
})
/** As long as texts may be, in many bytes. */
const many = Array.from({ length: 45 }, (_, index) =>
  aCampaign({
    campaignName: `Crowd ${index} ${'€'.repeat(400)}`,
    owner: anAddress('crowd owner'),
    incentives: Array.from({ length: 30 }, (_, nth) =>
      anErc20Incentive(usdc.address, { reward: '9'.repeat(70), limit: String(nth + 1) }),
    ),
  }),
)
const each = aCampaign({ campaignName: 'Every variant', incentives: anIncentiveOfEachVariant(anAddress) })

const collector = anAddress('collector')
const hoursAgo = (hours: number) => String(NOW.getTime() / 1000 - hours * 3600)
const coins = Array.from({ length: 12 }, (_, nth) =>
  aToken({ address: anAddress(`coin ${nth}`), symbol: `COIN${nth}` }),
)
const medley = aCampaign({
  campaignName: 'Medley',
  incentives: coins.map(({ address }) => anErc20Incentive(address)),
})
const collected = coins.map((_, incentiveIndex) =>
  aClaim(medley, { claimant: collector, incentiveIndex, blockTimestamp: hoursAgo(72) }),
)
const uncertain = aCampaign({
  campaignName: 'What a claim pays is open',
  incentives: [
    anErc20Incentive(usdc.address, { strategy: 1, reward: '25000000' }),
    {
      type: 'CGDAIncentive',
      ...{
        asset: usdc.address,
        initialReward: '1000000',
        rewardDecay: '10000',
        rewardBoost: '5000',
        totalBudget: '90000000',
      },
    },
    { type: 'ERC20VariableIncentive', asset: usdc.address, reward: '0', limit: '90000000' },
  ],
})
const entry = aClaim(uncertain, { incentiveIndex: 0, amount: '0', blockTimestamp: hoursAgo(5) })

interface NextCall {
  tool: string
  arguments: Record<string, unknown>
}

let api: TestApp
let baseUrl: string
let client: Client
beforeAll(async () => {
  api = await startTestApp()
  api.setNow(NOW)
  await api.save(usdc, template, swap, mint, claim, each, ...many, {
    type: 'claimSignature',
    campaignId: swap.id,
    incentiveId: 0,
    claimant: anAddress('winner'),
    signature: '0xab',
    referrer: anAddress('referrer'),
  })
  await api.save(...coins, medley, ...collected, uncertain, entry)
  baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 })
  client = await connect('auto')
})
afterAll(async () => {
  await client.close()
  await api[Symbol.asyncDispose]()
  expect(api.defects).toEqual([])
})

async function connect(mode: 'auto' | 'legacy') {
  const connected = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await connected.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`)))
  // The client compares each result with the schema that it has of the tool.
  await connected.listTools()
  return connected
}

/** What a tool gives, which is never larger than agents are promised, and its sentence. */
async function call(tool: string, given: Record<string, unknown>) {
  const { structuredContent, content, isError } = await client.callTool({ name: tool, arguments: given })
  const [text] = content
  const sentence = text?.type === 'text' ? text.text : ''
  expect(isError, sentence).not.toBe(true)
  expect(Buffer.byteLength(JSON.stringify(structuredContent))).toBeLessThanOrEqual(20_000)
  expect(content).toHaveLength(1)
  expect(sentence.length).toBeLessThan(300)
  return structuredContent as Record<string, unknown> & { next: NextCall[] }
}

async function errorOf(tool: string, given: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name: tool, arguments: given })
  expect(isError).toBe(true)
  return content
}

/** All entries of a list, by the calls that go on. */
async function walk(tool: string, given: Record<string, unknown>, list: string) {
  const entries: { id: string }[] = []
  const calls: NextCall[] = [{ tool, arguments: given }]
  for (let next = calls.shift(); next !== undefined; next = calls.shift()) {
    const result = await call(next.tool, next.arguments)
    entries.push(...(result[list] as { id: string }[]))
    // Lists also lead to another tool, for the incentives that they leave out.
    calls.push(...result.next.filter((next) => next.tool === tool))
  }
  return entries
}

test.each(['auto', 'legacy'] as const)('a client of protocol mode %s is told of the tools', async (mode) => {
  const connected = await connect(mode)
  const { tools } = await connected.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'find_campaigns',
    'get_campaigns',
    'trending',
    'eligibility',
    'rewards_of',
    'outlook',
    'status',
  ])
  for (const { annotations, inputSchema, outputSchema, description } of tools) {
    expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
    expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object'])
    expect(description).not.toBe('')
  }
  expect(connected.getInstructions()).toContain('find_campaigns')
  expect((await connected.callTool({ name: 'status', arguments: {} })).structuredContent).toMatchObject({ chains: [] })
  await connected.close()
})

describe('finding, explaining and comparing', () => {
  test('campaigns are found by words, with amounts exact and in whole tokens', async () => {
    expect(await call('find_campaigns', { search: 'swap', chainId: 8453 })).toEqual({
      totalCampaigns: 1,
      campaigns: [
        {
          id: swap.id,
          name: 'Swap on Base',
          isActive: true,
          startTime: null,
          endTime: '2026-07-01T00:00:00.000Z',
          availableBudgetUsd: '22.5',
          incentiveCount: 1,
          incentives: [
            {
              type: 'ERC20Incentive',
              pays: '2.5 USDC for each claim',
              asset: `8453:${usdc.address}`,
              reward: { baseUnits: '2500000', tokens: '2.5 USDC' },
              claimsLeft: '9',
              left: { baseUnits: '22500000', tokens: '22.5 USDC' },
              claimed: { baseUnits: '2500000', tokens: '2.5 USDC' },
              claims: '1',
            },
          ],
        },
      ],
      next: [],
    })
  })

  test('campaigns are compared side by side: what to do, who may claim, what is paid', async () => {
    const result = await call('get_campaigns', { campaignId: [mint.id, swap.id.toUpperCase(), `${swap.id}9`] })
    expect(result.unknownCampaigns).toEqual([`${swap.id}9`])
    expect(result.campaigns).toMatchObject([
      {
        id: mint.id,
        mayClaim: '1 accounts on its list',
        incentives: [
          {
            pays: 'an auction: 1 USDC at first, 0.01 USDC less after each claim, 0.005 USDC more for each hour without one',
          },
        ],
      },
      { id: swap.id, mayClaim: 'every account', actionSteps: [{ chainId: 8453, targetContract: anAddress('router') }] },
    ])
  })

  test('each variant is put into words', async () => {
    const { campaigns } = await call('get_campaigns', { campaignId: each.id })
    const [{ incentives } = { incentives: [] }] = campaigns as { incentives: { type: string; pays: string }[] }[]
    expect(incentives.map(({ type, pays }) => `${type}: ${pays}`)).toMatchSnapshot()
  })

  test('trending campaigns are ranked with what was claimed', async () => {
    const result = await call('trending', { period: '1h', user })
    expect(result).toEqual({
      campaigns: [
        {
          rank: 1,
          id: swap.id,
          name: 'Swap on Base',
          usd24h: 2.5,
          usd1h: 2.5,
          claims: 1,
          endTime: '2026-07-01T00:00:00.000Z',
          action: 'uniswap: swap',
          budget: { baseUnits: '25000000', tokens: '25 USDC' },
          distributed: { baseUnits: '2500000', tokens: '2.5 USDC' },
          status: 'claimed',
          accessStatus: 'allowed',
          incentiveCount: 1,
          incentives: [{ type: 'ERC20Incentive', pays: '2.5 USDC for each claim', rewardUsd: 2.5 }],
        },
      ],
      next: [],
    })
  })

  test('a raffle, an auction and a share are not told to be worth the same for each claim', async () => {
    const { campaigns } = await call('trending', { period: '24h' })
    const found = (campaigns as { id: string; incentives: unknown[] }[]).find(({ id }) => id === uncertain.id)
    expect(found?.incentives).toEqual([
      { type: 'ERC20Incentive', pays: '25 USDC to one claimant, drawn among all' },
      {
        type: 'CGDAIncentive',
        pays: 'an auction: 1 USDC at first, 0.01 USDC less after each claim, 0.005 USDC more for each hour without one',
      },
      { type: 'ERC20VariableIncentive', pays: 'the signed amount' },
    ])
  })

  test('an account learns what it can claim, and what it has claimed', async () => {
    const { campaigns } = await call('eligibility', { user, campaignId: [swap.id, mint.id] })
    expect(campaigns).toMatchObject([
      { id: swap.id, verdict: 'blocked', incentives: [{ index: 0, reasons: [{ code: 'already-claimed' }, {}] }] },
      { id: mint.id, verdict: 'blocked', incentives: [{ reasons: [{ code: 'not-on-allow-list' }, {}] }] },
    ])
    const winner = await call('eligibility', { user: anAddress('winner'), campaignId: swap.id })
    expect(winner.campaigns).toMatchObject([{ verdict: 'claimable' }])
    expect(await call('rewards_of', { user })).toMatchObject({
      rewards: [{ campaignId: swap.id, verdict: 'blocked', claimed: { baseUnits: '2500000', tokens: '2.5 USDC' } }],
      totals: [{ chainId: 8453, asset: usdc.address, claims: 1, claimed: { tokens: '2.5 USDC' }, claimedUsd: '2.5' }],
      next: [],
    })
  })
})

test('an account learns how much it can claim, worth what, until when, and why not; nothing is sent for it', async () => {
  const claimant = anAddress('who waits')
  const incentives = [
    anErc20Incentive(usdc.address, { reward: '2500000' }),
    anErc20Incentive(usdc.address, { strategy: 1, reward: '25000000' }),
    { type: 'ERC20VariableIncentive' as const, asset: usdc.address, reward: '0', limit: '1000000' },
    { type: 'PointsIncentive' as const, venue: anAddress('venue'), selector: '0x40c10f19', reward: '30', limit: '40' },
  ]
  const plenty = aCampaign({ incentives, endTime: '2026-07-01T00:00:00.000Z' })
  const signatures = incentives.map((_, incentiveId) => ({
    ...{ type: 'claimSignature' as const, campaignId: plenty.id, incentiveId, claimant },
    ...{ signature: aPayload(1_000_001n), referrer: anAddress('referrer') },
  }))
  await api.save(plenty, ...signatures)
  const result = await call('rewards_of', { user: claimant })
  const claimUntil = '2026-07-01T00:00:00.000Z'
  const left = { baseUnits: '1000000', tokens: '1 USDC' }
  expect(result.rewards).toMatchObject([
    { verdict: 'claimable', rewardNow: { baseUnits: '2500000', tokens: '2.5 USDC' }, rewardNowUsd: '2.5', claimUntil },
    { verdict: 'claimable', raffle: { reward: { tokens: '25 USDC' }, entries: '0' }, claimUntil },
    { verdict: 'blocked', reasons: [{ code: 'reward-exceeds-budget', budgetLeft: left }] },
    { verdict: 'claimable', rewardNow: { baseUnits: '30' }, claimUntil },
  ])
  expect(result).toMatchObject({
    claimable: [{ chainId: 8453, asset: usdc.address, rewards: 1, amount: { tokens: '2.5 USDC' }, amountUsd: '2.5' }],
    claimableUsd: '2.5',
    next: [],
  })
  expect(JSON.stringify(result)).not.toMatch(/transaction|0x730f9c57/)
  const { tools } = await client.listTools()
  expect(tools.find(({ name }) => name === 'rewards_of')?.description).toContain('Claims nothing')
  const ineligible = await call('eligibility', { user: claimant, campaignId: plenty.id })
  expect(ineligible).toMatchObject({
    campaigns: [{ incentives: [{}, {}, { reasons: [{ budgetLeft: { baseUnits: '1000000' } }] }, {}] }],
  })
})

test('what has no price is not said to be worth nothing', async () => {
  const [claimant, unpriced] = [anAddress('who gets both'), anAddress('token without a price')]
  const own = aCampaign({
    incentives: [anErc20Incentive(unpriced), anErc20Incentive(usdc.address, { reward: '2500000' })],
  })
  const signatureOf = (incentiveId: number) => ({
    ...{ type: 'claimSignature' as const, campaignId: own.id, incentiveId, claimant },
    ...{ signature: aPayload(0n), referrer: anAddress('referrer') },
  })
  const sentence = async () => {
    const { content } = await client.callTool({ name: 'rewards_of', arguments: { user: claimant } })
    return content
  }
  const says = (worth: string) => [{ type: 'text', text: expect.stringContaining(`${worth}: `) }]
  await api.save(own)
  expect(await sentence()).toEqual(says('can claim 0 tokens now'))
  await api.save(signatureOf(0))
  expect(await sentence()).toEqual(says('can claim 1 tokens now, of unknown price'))
  await api.save(signatureOf(1))
  expect(await sentence()).toEqual(says('can claim 2 tokens now, worth $2.5 without 1 of unknown price'))
})

describe('what does not fit', () => {
  test('pages lead through all that is found, each once, in the order of the list', async () => {
    const given = { owner: anAddress('crowd owner'), pageSize: 40 }
    const found = await walk('find_campaigns', given, 'campaigns')
    expect(found.map(({ id }) => id)).toEqual(many.map(({ id }) => id).reverse())
  })

  test('a page that is too large is requested once more, as large as what fits', async () => {
    const asked: string[] = []
    const ask = async (path: string) => {
      asked.push(path)
      const { statusCode, body } = await api.get(path)
      return { status: statusCode, body }
    }
    const params = { name: 'find_campaigns', arguments: { owner: anAddress('crowd owner'), pageSize: 40 } }
    const message = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
    const response = await respondHttp(message, { ask, version: '1', onError: () => undefined })
    const { result } = (await response.json()) as { result: { structuredContent: { campaigns: object[] } } }
    const { campaigns } = result.structuredContent
    expect(asked.map((path) => /pageSize=(\d+)/.exec(path)?.[1])).toEqual(['40', String(campaigns.length)])
    // One more would not fit.
    const [campaign] = campaigns
    const bytes = Buffer.byteLength(JSON.stringify(result.structuredContent))
    expect(bytes + Buffer.byteLength(JSON.stringify(campaign))).toBeGreaterThan(19_900)
  })

  test('of many long campaigns and their incentives, the calls that go on give the rest', async () => {
    const ids = many.slice(0, 12).map(({ id }) => id)
    const given = await walk('get_campaigns', { campaignId: ids }, 'campaigns')
    const incentives = given.flatMap((campaign) =>
      (campaign as unknown as { incentives: { claimsLeft: string }[] }).incentives.map(
        ({ claimsLeft }) => `${campaign.id} ${claimsLeft}`,
      ),
    )
    expect(incentives.sort()).toEqual(
      ids.flatMap((id) => Array.from({ length: 30 }, (_, nth) => `${id} ${nth + 1}`)).sort(),
    )
    const verdicts = await walk('eligibility', { user, campaignId: ids }, 'campaigns')
    expect(new Set(verdicts.map(({ id }) => id))).toEqual(new Set(ids))
  })

  test('of an account with many tokens, the calls that go on give each reward and each total once', async () => {
    const rewards = await walk('rewards_of', { user: collector, pageSize: 5 }, 'rewards')
    const totals = await walk('rewards_of', { user: collector, pageSize: 5 }, 'totals')
    const indexes = rewards.map((reward) => (reward as unknown as { incentiveIndex: number }).incentiveIndex)
    expect(indexes.sort((one, other) => one - other)).toEqual(coins.map((_, index) => index))
    const assets = totals.map((total) => (total as unknown as { asset: string }).asset)
    expect(assets.sort()).toEqual(coins.map(({ address }) => address).sort())
  })

  test('what can be claimed of many tokens with long symbols fits, and each comes once', async () => {
    const longest = Array.from({ length: 14 }, (_, nth) =>
      aToken({ address: anAddress(`long ${nth}`), symbol: '€'.repeat(200) }),
    )
    const reward = '9'.repeat(76)
    const rich = aCampaign({
      campaignName: '€'.repeat(400),
      incentives: longest.map(({ address }) => anErc20Incentive(address, { reward, limit: '9' })),
    })
    const signatures = longest.map((_, incentiveId) => ({
      ...{ type: 'claimSignature' as const, campaignId: rich.id, incentiveId, claimant: anAddress('rich') },
      ...{ signature: aPayload(0n), referrer: anAddress('referrer') },
    }))
    const claimed = aCampaign({ incentives: rich.incentives })
    const claims = longest.map((_, incentiveIndex) =>
      aClaim(claimed, {
        ...{ claimant: anAddress('rich'), incentiveIndex, amount: reward },
        blockTimestamp: hoursAgo(72),
      }),
    )
    await api.save(...longest, rich, claimed, ...signatures, ...claims)
    const claimable = await walk('rewards_of', { user: anAddress('rich'), pageSize: 3 }, 'claimable')
    const assets = claimable.map((total) => (total as unknown as { asset: string }).asset)
    expect(assets.sort()).toEqual(longest.map(({ address }) => address).sort())
  })

  test('a list leads to the incentives that it leaves out', async () => {
    const { campaigns, next } = await call('find_campaigns', { search: 'crowd', pageSize: 2 })
    const campaignId = (campaigns as { id: string }[]).map(({ id }) => id)
    expect(next.at(-1)).toMatchObject({ tool: 'get_campaigns', arguments: { campaignId } })
    expect((await call('find_campaigns', { search: 'swap' })).next).toEqual([])
  })

  test.each(['get_campaigns', 'eligibility', 'outlook'])('%s counts the unknown campaigns too', async (tool) => {
    const ids = many.slice(0, 5).map(({ id }) => id)
    const unknown = Array.from({ length: 45 }, (_, nth) => `8453:${anAddress('core')}:${10n ** 76n + BigInt(nth)}`)
    const result = await call(tool, { campaignId: [...ids, ...unknown], ...(tool === 'eligibility' ? { user } : {}) })
    expect(result.unknownCampaigns).toHaveLength(45)
    expect(result.next).not.toEqual([])
  })
})

test('the input schema says which arguments are required', async () => {
  const { tools } = await client.listTools()
  expect(Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema.required ?? []]))).toEqual({
    find_campaigns: [],
    get_campaigns: ['campaignId'],
    trending: [],
    eligibility: ['user', 'campaignId'],
    rewards_of: ['user'],
    outlook: ['campaignId'],
    status: [],
  })
})

describe('errors are sentences', () => {
  test.each([
    ['find_campaigns', { sortBy: 'size' }, 'sortBy must be one of'],
    ['find_campaigns', { campaign: 'x' }, 'find_campaigns has no argument "campaign"; it has search, '],
    ['find_campaigns', { search: { words: 'x' } }, 'search must be text, a number, true or false, or a list of those'],
    ['get_campaigns', { campaignId: ['x'] }, 'an entry of campaignId'],
    ['get_campaigns', {}, 'campaignId is required'],
    ['eligibility', {}, 'user is required; campaignId is required'],
    ['trending', { from: -1 }, 'from must be at least 0, got -1'],
    ['trending', { from: 1.5 }, 'from must be a whole number from 0 on'],
    ['find_campaigns', { pageSize: 0 }, 'pageSize must be at least 1, got 0'],
    [
      'find_campaigns',
      { search: 'half \ud800' },
      'search must be well-formed Unicode, and has half of a surrogate pair',
    ],
    ['eligibility', { user }, 'campaignId is required'],
    ['rewards_of', {}, 'user is required'],
    ['rewards_of', { user: '../x' }, 'address must be'],
    ['burn', {}, 'there is no tool "burn"; there are find_campaigns, '],
  ])('%s of %o', async (tool, given, sentence) => {
    expect(await errorOf(tool, given)).toEqual([{ type: 'text', text: expect.stringContaining(sentence) }])
  })
})
