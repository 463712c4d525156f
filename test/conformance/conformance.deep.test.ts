import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Conformance, examineDeployment } from 'reward-campaigns-conformance'
import { generateSample } from 'reward-campaigns-sample-data'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proofRecord, settledAt, settledId, wallet } from '../../demo/offer.ts'
import { manager, timedContractOf } from '../../demo/time-based.ts'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { aPayload } from '../setup/data/payloads.ts'
import {
  aCampaign,
  aClaim,
  anAddress,
  anErc20Incentive,
  aProfile,
  aTimeBasedIncentive,
  aToken,
} from '../setup/records.ts'
import { runCli } from '../setup/servers/processes.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { issueToken } from '../setup/tokens.ts'

/*
 * The real service, as it is and behind something that breaks one promise: that one must be named, and no other.
 */

const USER = anAddress('user')
const PREFIX = '/rewards/v2'
let api: TestApp
let token: string

beforeAll(async () => {
  // Nobody waits for another's export but in the service without campaigns.
  api = await startTestApp({ MAX_EXPORTS: '8' })
  const records = [...generateSample({ campaigns: 260, claims: 900, seed: 3, now: new Date() })]
  const claims = records.filter((record) => record.type === 'claim')
  const newest = claims.at(-1)
  const elsewhere = claims.find(({ campaignId }) => campaignId.split(':')[0] !== newest?.campaignId.split(':')[0])
  if (newest === undefined || elsewhere === undefined) throw new Error('the sample has claims of one chain only')
  // Hash and log index tell claims apart within a chain only.
  const { campaignId, incentiveIndex } = elsewhere
  await api.save(...records, { ...newest, campaignId, incentiveIndex }, aProfile({ userAddress: USER }))
  await api.save(...claimableBy(newest.claimant))
  await setFollowed(api.database, 10, 77)
  expect((await api.get('/campaigns?pageSize=0')).json().totalCampaigns).toBeGreaterThan(100)
  token = await issueToken(api, { userId: 'user-1', address: USER })
})
afterAll(() => api[Symbol.asyncDispose]())

/** Incentives of two campaigns that an account can claim, of two tokens, one of them with a price. */
function claimableBy(claimant: string) {
  const [priced, unpriced] = [aToken({ priceUsd: '3' }), aToken()]
  const own = [1, 2].map((nth) =>
    aCampaign({
      id: `8453:${anAddress('core')}:${nth}`,
      incentives: [anErc20Incentive(priced.address), anErc20Incentive(unpriced.address)],
    }),
  )
  const signatures = own.flatMap(({ id: campaignId }) =>
    [0, 1].map((incentiveId) => ({
      ...{ type: 'claimSignature' as const, campaignId, incentiveId, claimant, signature: aPayload(0n) },
      referrer: anAddress('referrer'),
    })),
  )
  return [priced, unpriced, ...own, ...signatures]
}

interface Reply {
  status: number
  headers: Record<string, unknown>
  text: string
}

/** What is between the caller and the service; `count` is how many requests have come before. */
type Tamper = (
  reply: Reply,
  request: { method: string; path: string; headers: IncomingHttpHeaders },
  count: number,
) => unknown

async function startProxy(tamper: Tamper = () => undefined, delayMs = 0, service = api) {
  const paths: string[] = []
  let underWay = 0
  let maxConcurrentRequests = 0
  const server = createServer(async ({ method = 'GET', url = '', headers }, response) => {
    underWay += 1
    maxConcurrentRequests = Math.max(maxConcurrentRequests, underWay)
    const path = url.slice(PREFIX.length)
    const { 'accept-encoding': _encoding, ...asked } = headers
    const {
      statusCode,
      headers: answered,
      payload,
    } = await service.app.inject({ method: method as 'GET', url: path, headers: asked })
    const { 'content-length': _length, ...kept } = answered
    const reply: Reply = { status: statusCode, headers: kept, text: payload }
    await sleep(delayMs)
    tamper(reply, { method, path, headers }, paths.length)
    paths.push(path)
    underWay -= 1
    response.writeHead(reply.status, reply.headers as Record<string, string>).end(reply.text)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}`,
    paths,
    maxConcurrentRequests: () => maxConcurrentRequests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

async function examine(tamper?: Tamper, options: Partial<Conformance> = {}) {
  await using proxy = await startProxy(tamper)
  return await examineDeployment({ baseUrl: proxy.baseUrl, token, ...options })
}

const edit = (reply: Reply, change: (body: Record<string, unknown>) => unknown) => {
  const body = JSON.parse(reply.text)
  change(body)
  reply.text = JSON.stringify(body)
}

test('the service keeps all its promises, also below a path of its own, asked considerately', async () => {
  await using proxy = await startProxy()
  const findings = await examineDeployment({ baseUrl: `${proxy.baseUrl}/`, token })
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([])
  expect(findings.map(({ check }) => check).join(' ')).toBe(
    'document bodies headers conditional-requests paging filters accounts figures rewards statements errors authentication entity-tags freshness documentation disclosure',
  )
  expect(proxy.paths.length).toBeLessThanOrEqual(400)
  expect(proxy.paths.length).toBeGreaterThan(100)
  expect(proxy.maxConcurrentRequests()).toBeLessThanOrEqual(4)
  const documented: object = (await api.get('/openapi.json')).json().paths
  const asked = proxy.paths.map((path) => path.split('?')[0])
  const isAsked = (path: string) => {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/, '[^/]+')}$`)
    return asked.some((one) => pattern.test(one ?? ''))
  }
  expect(Object.keys(documented).filter((path) => !isAsked(path))).toEqual([])
})

test('a service without campaigns keeps its promises too', async () => {
  await using empty = await startTestApp()
  const baseUrl = await empty.app.listen({ host: '127.0.0.1', port: 0 })
  expect((await examineDeployment({ baseUrl })).filter(({ state }) => state !== 'ok')).toEqual([])
})

test('what is earned at a rate lasts as long as that says, whatever is claimed', async () => {
  await using service = await startTestApp()
  const [asset, emissionRate] = [anAddress('earned'), '7000000000000']
  const campaign = aCampaign({
    incentives: [aTimeBasedIncentive(asset, { openEnded: true, limit: '1000', committed: '300', emissionRate })],
  })
  const blockTimestamp = String(Math.floor(Date.now() / 1000) - 60)
  await service.save(campaign, aClaim(campaign, { amount: '100', blockTimestamp }))
  const baseUrl = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const findings = await examineDeployment({ baseUrl })
  expect(findings.find(({ check }) => check === 'figures')).toMatchObject({ state: 'ok' })
})

/** What a followed chain has of a campaign that the demo plays: one has claimed a part of what a proof says. */
async function startEarned() {
  const service = await startTestApp()
  const { number, token, limit, startTime, endTime, earned } = settledAt(Math.floor(Date.now() / 1000) - 86_400)
  const chainId = Number(settledId.split(':')[0])
  const committed = [...earned.values()].reduce((sum, amount) => sum + amount, 0n)
  const at = (seconds: number) => new Date(seconds * 1000).toISOString()
  const terms = {
    ...{ limit: String(limit), committed: String(committed), claimUntil: at(endTime + 60 * 86_400) },
    root: proofRecord.root,
  }
  const campaign = aCampaign({
    ...{ id: settledId, action: timedContractOf({ number }), validator: manager },
    ...{ startTime: at(startTime), endTime: at(endTime), incentives: [aTimeBasedIncentive(token.address, terms)] },
  })
  const open = aCampaign({
    id: `${chainId}:${manager}:1`,
    incentives: [
      aTimeBasedIncentive(token.address, { openEnded: true, committed: '300', emissionRate: '7000000000000' }),
    ],
  })
  const claim = aClaim(campaign, { claimant: wallet, amount: '2500000', blockTimestamp: String(startTime + 60) })
  await service.save(campaign, open, claim, { ...proofRecord, type: 'claimProof' })
  await setFollowed(service.database, chainId, 90)
  return service
}

const LIST = /^\/campaigns\?incentiveType=TimeBasedIncentive/
const inAll = (change: object) => (body: Earned) => {
  for (const { incentives } of body.campaigns) for (const incentive of incentives) Object.assign(incentive, change)
}

interface Earned {
  campaigns: { incentives: object[] }[]
}

const earnings: { what: string; says: RegExp; path: RegExp; change: (body: Earned) => unknown }[] = [
  {
    what: 'more is committed and left than there is',
    says: /has committed more than its limit; .* has more left than was not claimed/,
    path: LIST,
    change: inAll({ committed: '500000001', remainingBalance: '500000000', totalAmountClaimed: '1' }),
  },
  {
    what: 'claims end before the campaign, and it pays at a rate for ever',
    says: /though it is not open-ended; .* cannot be claimed until its end; .* another deadline than that of/,
    path: LIST,
    change: inAll({ claimUntil: '2020-01-01T00:00:00.000Z', openEnded: false, emissionRate: '1' }),
  },
  {
    what: 'another root is in force',
    says: /by a proof that does not lead to its root$/,
    path: LIST,
    change: inAll({ root: `0x${'1'.repeat(64)}` }),
  },
  {
    what: 'it lasts longer than its rate says',
    says: /tells of another time left than the rate of an open-ended campaign gives$/,
    path: /^\/outlook\?campaignId=31337:0x\w+:1$/,
    change: inAll({ secondsLeft: '7' }),
  },
  {
    what: 'a claim pays otherwise',
    says: /says of a time-based campaign another reward than its proof less what was claimed$/,
    path: /^\/eligibility/,
    change: inAll({ rewardNow: '12500000' }),
  },
  {
    what: 'another call claims it',
    says: /claims a time-based campaign by another call; /,
    path: /^\/eligibility/,
    change: inAll({ transaction: { to: manager, data: '0x' } }),
  },
]

describe('what is earned over time on a followed chain', () => {
  let service: TestApp
  beforeAll(async () => {
    service = await startEarned()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  test('is as it is promised', async () => {
    const response = await service.get(`/eligibility?user=${wallet}&campaignId=${settledId}`)
    expect(response.json().campaigns[0].incentives).toMatchObject([{ verdict: 'claimable', rewardNow: '10000000' }])
    await using proxy = await startProxy(undefined, 0, service)
    expect((await examineDeployment({ baseUrl: proxy.baseUrl })).filter(({ state }) => state !== 'ok')).toEqual([])
  })

  test.each(earnings)('is found to be broken where $what', async ({ says, path: tampered, change }) => {
    const tamper: Tamper = (reply, { path, method }) =>
      method === 'GET' && reply.status === 200 && tampered.test(path)
        ? edit(reply, (body) => change(body as unknown as Earned))
        : undefined
    await using proxy = await startProxy(tamper, 0, service)
    const findings = await examineDeployment({ baseUrl: proxy.baseUrl })
    expect(findings.find(({ check }) => check === 'figures')).toMatchObject({
      ...{ state: 'failed', found: expect.stringMatching(says) },
    })
  })
})

const list = /^\/campaigns(\?|$)/
let kept: Reply | undefined

/** Rewards as far as they are tampered with. */
interface Rewards {
  rewards: { verdict: string; reasons: { code: string }[]; budgetLeft?: string }[]
  claimable: { amount: string; amountUsd: string | null }[]
  claimTransactions?: { data: string; value: string; rewards: { incentiveIndex: number }[] }[]
}

const inRewards =
  (change: (body: Rewards) => unknown): Tamper =>
  (reply, { path }) => {
    if (!/^\/users\/0x\w+\/rewards\?(pageSize=100$|claimTransactions)/.test(path) || reply.status !== 200) return
    edit(reply, (body) => change(body as unknown as Rewards))
  }

const ODD_AMOUNTS = [
  { rewardNow: undefined, rewardNowUsd: '1' },
  { rewardNow: '1', raffle: { reward: '1', entries: '0' } },
  { exhaustsAt: '2100-01-01T00:00:00.000Z', budgetLeft: undefined },
]

const inStatement =
  (start: string, change: (text: string, headers: Record<string, unknown>) => string): Tamper =>
  (reply, { path }) => {
    if (!path.startsWith(start) || !path.includes('format=csv') || reply.status !== 200) return
    reply.text = change(reply.text, reply.headers)
  }

const inExplanation =
  (start: string, change: (body: { explained: { isListed: boolean } }) => unknown): Tamper =>
  (reply, { path }) => {
    if (!path.startsWith(start) || !path.includes('explain=') || reply.status !== 200) return
    edit(reply, (body) => change(body as Parameters<typeof change>[0]))
  }

const broken: { name: string; check: string; says: RegExp; tamper: Tamper }[] = [
  {
    name: 'an extra key',
    check: 'bodies',
    says: /^\/reward-kit\/trending: the body must NOT have additional properties \(extra\)/,
    tamper: (reply, { path }) =>
      path === '/reward-kit/trending' &&
      reply.status === 200 &&
      reply.text !== '' &&
      edit(reply, (body) => Object.assign(body, { extra: 1 })),
  },
  {
    name: 'another content type',
    check: 'bodies',
    says: /^\/limits: the body is text\/html/,
    tamper: (reply, { path }) =>
      path === '/limits' && reply.status === 200 && Object.assign(reply.headers, { 'content-type': 'text/html' }),
  },
  {
    name: 'an operation that is away',
    check: 'bodies',
    says: /^\/status returns 502$/,
    tamper: (reply, { path, method }) =>
      path === '/status' && method === 'GET' && Object.assign(reply, { status: 502 }),
  },
  {
    name: 'no cache-control',
    check: 'headers',
    says: /^\/campaigns has no cache-control/,
    tamper: (reply, { path }) => path === '/campaigns' && delete reply.headers['cache-control'],
  },
  {
    name: 'no request ID of the caller',
    check: 'headers',
    says: /does not echo x-request-id/,
    tamper: (reply) => Object.assign(reply.headers, { 'x-request-id': 'mine' }),
  },
  {
    name: 'an origin given back',
    check: 'headers',
    says: /allows the origin https:\/\/conformance\.example/,
    tamper: (reply, { headers }) =>
      headers.origin !== undefined && Object.assign(reply.headers, { 'access-control-allow-origin': headers.origin }),
  },
  {
    name: 'no 304',
    check: 'conditional-requests',
    says: /returns 500 to a matching If-None-Match/,
    tamper: (reply) => reply.status === 304 && Object.assign(reply, { status: 500 }),
  },
  {
    name: 'a wrong total',
    check: 'paging',
    says: /^\/campaigns has another end than its total says/,
    tamper: (reply, { path }) =>
      list.test(path) &&
      path.includes('pageSize') &&
      !/showActive|owner|chainId|Whitelist|page=1$/.test(path) &&
      reply.status === 200 &&
      edit(reply, (body) => Object.assign(body, { totalCampaigns: Number(body.totalCampaigns) - 1 })),
  },
  {
    name: 'another order of small pages',
    check: 'paging',
    says: /^\/explore\/contracts in pages of 12 is another sequence/,
    tamper: (reply, { path }) => {
      if (path.startsWith('/explore/contracts') && path.includes('pageSize=12')) {
        reply.text = JSON.stringify(JSON.parse(reply.text).reverse())
      }
    },
  },
  {
    name: 'a link that leads elsewhere',
    check: 'paging',
    says: /^\/tokens has a link to the next page that leads elsewhere$/,
    tamper: (reply, { path }) =>
      path === '/tokens?pageSize=5' &&
      Object.assign(reply.headers, { link: String(reply.headers.link).replace('page=2', 'page=1') }),
  },
  {
    name: 'another total in the header',
    check: 'paging',
    says: /^\/tokens has another x-total-count than its total$/,
    tamper: (reply, { path }) =>
      path === '/tokens?pageSize=5' && Object.assign(reply.headers, { 'x-total-count': '1' }),
  },
  {
    name: 'a walk that repeats',
    check: 'paging',
    says: /^\/campaigns has others in a walk than on its pages$/,
    tamper: (reply, { path }) => {
      if (!/cursor=[^s]/.test(path) || reply.status !== 200) return
      // In place of the last one: a page with more than were asked for is malformed.
      edit(reply, ({ campaigns }) => (campaigns as object[]).splice(-1, 1, (campaigns as object[])[0] ?? {}))
    },
  },
  {
    name: 'a facet under its own filter',
    check: 'filters',
    says: /^\/campaigns: the counts of chainId change with its own filter/,
    tamper: (reply, { path }) => {
      if (!/facets=.*&chainId=/.test(path) || reply.status !== 200) return
      edit(reply, ({ facets }) => Object.assign(facets as object, { chainId: [] }))
    },
  },
  {
    name: 'a filter that is not applied',
    check: 'filters',
    says: /showActiveOnly=true returns inactive campaigns/,
    tamper: (reply, { path }) =>
      path.includes('showActiveOnly=true&') || path.endsWith('showActiveOnly=true')
        ? edit(reply, ({ campaigns }) => Object.assign((campaigns as object[])[0] ?? {}, { isActive: false }))
        : undefined,
  },
  {
    name: 'rewards without one of the claims',
    check: 'accounts',
    says: /^\/users\/\{address\}\/rewards counts other claims than \/claims$/,
    tamper: (reply, { path }) =>
      path.includes('/rewards?state=claimed') &&
      edit(reply, ({ rewards }) => {
        const [first] = rewards as { claims: number }[]
        if (first !== undefined) first.claims += 1
      }),
  },
  {
    name: 'another verdict than the best',
    check: 'accounts',
    says: /verdict is not the best of its incentives'/,
    tamper: (reply, { path }) =>
      path.startsWith('/eligibility?user=') &&
      reply.status === 200 &&
      reply.text !== '' &&
      edit(reply, ({ campaigns }) => {
        const [first] = campaigns as { verdict: string }[]
        if (first !== undefined) first.verdict = first.verdict === 'claimable' ? 'blocked' : 'claimable'
      }),
  },
  {
    name: 'a claimant who counts twice in an interval',
    check: 'figures',
    says: /^\/activity counts other claimants than those of \/claims$/,
    tamper: (reply, { path }) => {
      if (!/^\/activity\?since=.*campaignId=/.test(path) || reply.status !== 200) return
      edit(reply, ({ campaigns }) => {
        const [first] = campaigns as { claims: number[]; claimants: number[] }[]
        const busy = first?.claims.findIndex((count) => count > 1) ?? -1
        if (first !== undefined && busy >= 0) first.claimants[busy] = (first.claimants[busy] ?? 0) === 1 ? 2 : 1
      })
    },
  },
  {
    name: 'an outlook with other odds',
    check: 'figures',
    says: /^\/outlook tells of other odds than one more entry has$/,
    tamper: (reply, { path, method }) =>
      path.startsWith('/outlook?campaignId=') &&
      method === 'GET' &&
      reply.status === 200 &&
      edit(reply, ({ campaigns }) => {
        for (const { incentives } of campaigns as { incentives: object[] }[]) {
          for (const incentive of incentives) Object.assign(incentive, { entries: '7', oddsOneIn: '7' })
        }
      }),
  },
  {
    name: 'another sum of what can be claimed',
    check: 'rewards',
    says: /^\/users\/\{address\}\/rewards adds up other amounts in claimable than rewards have$/,
    tamper: inRewards(({ claimable }) => {
      for (const total of claimable) total.amount = String(BigInt(total.amount) + 1n)
    }),
  },
  {
    name: 'another value of what can be claimed',
    check: 'rewards',
    says: /values claimable otherwise than its rewards; .* has another claimableUsd than claimable adds up to$/,
    tamper: inRewards(({ claimable }) => {
      for (const total of claimable) if (total.amountUsd !== null) total.amountUsd = '0.1'
    }),
  },
  {
    name: 'a token that is not in what can be claimed',
    check: 'rewards',
    says: /has other tokens in claimable than rewards, or another order/,
    tamper: inRewards((body) => {
      body.claimable.length -= 1
    }),
  },
  {
    name: 'a blocked claim that pays',
    check: 'rewards',
    says: /rewards says what a blocked claim pays$/,
    tamper: inRewards(({ rewards }) => {
      for (const reward of rewards) if (reward.verdict === 'blocked') reward.budgetLeft = '1'
    }),
  },
  {
    name: 'a claim of more than is left, after its end',
    check: 'rewards',
    says: /claim pays more than is left; .*where no claims are left; .*after claimUntil$/,
    tamper: inRewards(({ rewards }) => {
      const figures = { budgetLeft: '0', claimsLeft: '0', claimUntil: '2020-01-01T00:00:00.000Z' }
      for (const reward of rewards) if (reward.verdict === 'claimable') Object.assign(reward, figures)
    }),
  },
  {
    name: 'a raffle that pays, a value without an amount, an end without a budget',
    check: 'rewards',
    says: /values a reward whose amount it does not say; .* raffle pays by itself; .* a budget is spent that it does not know; and \d more$/,
    tamper: inRewards(({ rewards }) => {
      const claimable = rewards.filter(({ verdict }) => verdict === 'claimable')
      for (const [nth, figures] of ODD_AMOUNTS.entries()) Object.assign(claimable[nth] ?? {}, figures)
    }),
  },
  {
    name: 'claims in another order, one of them lost',
    check: 'rewards',
    says: /has claimTransactions in another order; .* leaves out of claimTransactions what can be claimed$/,
    tamper: inRewards(({ claimTransactions = [] }) => {
      const last = claimTransactions.at(-1)
      last?.rewards.splice(1, 1)
      last?.rewards.reverse()
    }),
  },
  {
    name: 'a transaction that calls something else, and claims what cannot be claimed on another chain',
    check: 'rewards',
    says: /call something else; .* has claims of another chain in claimTransactions; .* and \d more$/,
    tamper: inRewards(({ claimTransactions = [] }) => {
      const [first] = claimTransactions
      if (first !== undefined) Object.assign(first, { data: '0x00', chainId: 77 })
      for (const reward of first?.rewards ?? []) reward.incentiveIndex += 100
    }),
  },
  {
    name: 'a transaction that sends more than its claims need',
    check: 'rewards',
    says: /^\/users\/\{address\}\/rewards has claimTransactions that send something else than their claims need$/,
    tamper: inRewards(({ claimTransactions = [] }) => {
      for (const transaction of claimTransactions) transaction.value = '1'
    }),
  },
  {
    name: 'reasons that block nothing, in another order',
    check: 'rewards',
    says: /has reasons in another order, twice, or unknown ones; .* does not block what a reason blocks$/,
    tamper: inRewards(({ rewards }) => {
      const reasons = ['signature-invalid', 'already-claimed'].map((code) => ({ code }))
      for (const reward of rewards) if (reward.verdict === 'claimable') reward.reasons = reasons
    }),
  },
  {
    name: 'a spent incentive of which a claim would pay more than is left, without what that is',
    check: 'rewards',
    says: /does not say what is left where a claim would pay more; .* says of a spent incentive/,
    tamper: inRewards(({ rewards }) => {
      const reasons = ['incentive-spent', 'reward-exceeds-budget'].map((code) => ({ code }))
      for (const reward of rewards) if (reward.verdict === 'blocked') reward.reasons = reasons
    }),
  },
  {
    name: 'other transactions on another page',
    check: 'rewards',
    says: /^\/users\/\{address\}\/rewards has other claimTransactions on another page$/,
    tamper: (reply, { path }) =>
      path.endsWith('state=claimed') &&
      path.includes('claimTransactions') &&
      edit(reply, (body) => Object.assign(body, { claimTransactions: [] })),
  },
  {
    name: 'a transaction that is not the one asked for',
    check: 'statements',
    says: /^\/claims: txHash returns claims of other transactions; \/claims: txHash does not return all claims/,
    tamper: (reply, { path }) =>
      path.startsWith('/claims?txHash=0x') &&
      reply.status === 200 &&
      edit(reply, ({ claims }) => Object.assign((claims as object[])[0] ?? {}, { txHash: `0x${'1'.repeat(64)}` })),
  },
  {
    name: 'a statement with another amount',
    check: 'statements',
    says: /^the statement of claims says something else than the JSON; .* other amounts in whole tokens/,
    tamper: inStatement('/claims', (text) =>
      text.replace(/,(\d+),(\d[\d.]*),([\d.]*),0x/g, (_, amount, tokens, usd) => `,${amount}1,${tokens}1,${usd},0x`),
    ),
  },
  {
    name: 'a statement that lacks a row, shown in the browser',
    check: 'statements',
    says: /^the statement of rewards is no download of text\/csv; the statement of rewards has another number of rows/,
    tamper: inStatement('/users/', (text, headers) => {
      delete headers['content-disposition']
      return text.replace(/[^\n]*\r\n$/, '')
    }),
  },
  {
    name: 'a statement with columns of other names',
    check: 'statements',
    says: /^the statement of rewards has other columns, or in another order; /,
    tamper: inStatement('/users/', (text) => text.replace('rewardNowInTokens', 'rewardInTokens')),
  },
  {
    name: 'an explanation that is wrong',
    check: 'statements',
    says: /^\/campaigns: explain says otherwise than the list whether a campaign is in it; .* names no filter/,
    tamper: inExplanation('/campaigns?', ({ explained }) => {
      explained.isListed = !explained.isListed
    }),
  },
  {
    name: 'an explanation in trending that is wrong',
    check: 'statements',
    says: /^\/reward-kit\/trending: explain says otherwise than the list .* names no filter that a campaign fails$/,
    tamper: inExplanation('/reward-kit/trending?', ({ explained }) => {
      explained.isListed = !explained.isListed
    }),
  },
  {
    name: 'an explanation that changes the list, of a campaign that it does not know',
    check: 'statements',
    says: /^\/campaigns: explain does not know a campaign that is listed; \/campaigns: explain changes the list$/,
    tamper: inExplanation('/campaigns?', (body) => {
      Object.assign(body, { campaigns: [] })
      Object.assign(body.explained, { isKnown: false })
    }),
  },
  {
    name: 'another status',
    check: 'errors',
    says: /GET \/no-such-path returns 200 instead of 404/,
    tamper: (reply, { path }) => path === '/no-such-path' && Object.assign(reply, { status: 200 }),
  },
  {
    name: 'no Allow',
    check: 'errors',
    says: /^POST \/campaigns has no Allow/,
    tamper: (reply) => delete reply.headers.allow,
  },
  {
    name: 'a page of the proxy in place of an error',
    check: 'errors',
    says: /has another body than \{"error": "…"\}/,
    tamper: (reply) => reply.status === 404 && Object.assign(reply, { text: '<h1>404</h1>' }),
  },
  {
    name: 'a second key beside the error',
    check: 'errors',
    says: /has another body than/,
    tamper: (reply) => reply.status === 405 && edit(reply, (body) => Object.assign(body, { code: 'E' })),
  },
  {
    name: 'a stack in an error',
    check: 'disclosure',
    says: /the 404 reveals internals/,
    tamper: (reply) =>
      reply.status === 404 && edit(reply, (body) => Object.assign(body, { error: 'at read (/app/src/x.ts:1:2)' })),
  },
  {
    name: 'a protected operation that is open',
    check: 'authentication',
    says: /^\/users\/profile returns 200 without a token/,
    tamper: (reply, { path, headers }) =>
      path === '/users/profile' && headers.authorization === undefined && Object.assign(reply, { status: 200 }),
  },
  {
    name: 'protected answers that caches may keep',
    check: 'authentication',
    says: /^\/users\/profile may be cached/,
    tamper: (reply, { path }) =>
      path === '/users/profile' && Object.assign(reply.headers, { 'cache-control': 'public' }),
  },
  {
    name: 'an old body with its old tag',
    check: 'entity-tags',
    says: /has another body than \/campaigns, which is equivalent/,
    tamper(reply, { path, method }) {
      if (path !== '/campaigns?page=1' || method !== 'GET') return
      kept ??= {
        ...reply,
        text: reply.text.replace('"isActive":true', '"isActive":false'),
        headers: { ...reply.headers, etag: '"old"' },
      }
      Object.assign(reply, kept)
    },
  },
  {
    name: 'a failure without a code',
    check: 'errors',
    says: /^GET \/no-such-path has no x-error-code/,
    tamper: (reply, { path }) => path === '/no-such-path' && delete reply.headers['x-error-code'],
  },
  {
    name: 'one tag for two bodies',
    check: 'entity-tags',
    says: /^\/explore\/contracts has one entity tag for two bodies/,
    tamper: (reply, { path, method }, count) =>
      path === '/explore/contracts' &&
      method === 'GET' &&
      reply.status === 200 &&
      count % 2 === 0 &&
      Object.assign(reply, { text: `${reply.text} ` }),
  },
  {
    name: 'an as-of that goes back',
    check: 'freshness',
    says: /^\/explore\/contracts is of block 5 of chain 10, after one of 77/,
    tamper: (reply, { path }) => path === '/explore/contracts' && Object.assign(reply.headers, { 'x-as-of': '10:5' }),
  },
  {
    name: 'no documentation',
    check: 'documentation',
    says: /^\/llms\.txt returns 404/,
    tamper: (reply, { path }) =>
      path === '/llms.txt' && Object.assign(reply, { status: 404, text: '{"error":"not found"}' }),
  },
]

/** Each visit meets a breach of many checks at once: the first of each, then the second of each, and so on. */
const visits = broken.reduce<(typeof broken)[]>((all, breach) => {
  const visit = all.find((breaches) => breaches.every(({ check }) => check !== breach.check))
  if (visit === undefined) all.push([breach])
  else visit.push(breach)
  return all
}, [])

test.each(visits.map((breaches) => ({ breaches, names: breaches.map(({ name }) => name).join(', ') })))(
  'found, and nothing else: $names',
  async ({ breaches }) => {
    const tamper: Tamper = (...exchange) => {
      for (const breach of breaches) breach.tamper(...exchange)
    }
    // What seems to be broken is asked for again, of many checks here.
    const findings = await examine(tamper, { bounds: { maxRequests: 2000, maxAtOnce: 4, timeoutMs: 55_000 } })
    const faults = findings.filter(({ state }) => state !== 'ok')
    expect(faults.map(({ check }) => check).sort()).toEqual(breaches.map(({ check }) => check).sort())
    for (const { check, says } of breaches) {
      expect(faults).toContainEqual({
        check,
        state: 'failed',
        found: expect.stringMatching(says),
        advice: expect.any(String),
      })
    }
  },
)

test('who is put off comes back when it was told to', async () => {
  const putOff = new Map<number, number>()
  const started = Date.now()
  const findings = await examine((reply, _request, count) => {
    if (count % 90 !== 0) return
    putOff.set(count, Date.now())
    Object.assign(reply, { status: 503, text: '{"error":"later"}' })
    Object.assign(reply.headers, { 'retry-after': '1' })
  })
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([])
  expect(putOff.size).toBeGreaterThan(2)
  expect(Date.now() - started).toBeGreaterThan(1000)
})

test.each([
  {
    bounds: { maxRequests: 30, maxAtOnce: 4, timeoutMs: 55_000 },
    found: 'not checked: 30 requests were sent',
  },
  { bounds: { maxRequests: 300, maxAtOnce: 1, timeoutMs: 700 }, found: 'not checked: 0.7 seconds have passed' },
])('a visit ends with its bounds: $found', async ({ bounds, found }) => {
  // So slow that no machine comes to an end in time.
  await using proxy = await startProxy(undefined, 20)
  const findings = await examineDeployment({ baseUrl: proxy.baseUrl, bounds })
  expect(findings.filter(({ state }) => state === 'failed')).toEqual([])
  expect(findings.filter(({ state }) => state === 'warning').map((finding) => finding.found)).toContain(found)
  expect(proxy.paths.length).toBeLessThanOrEqual(bounds.maxRequests)
})

test('the command prints what was found, and ends with 1 where a promise is broken', async () => {
  await using proxy = await startProxy((reply, { path }) => path === '/docs' && Object.assign(reply, { status: 500 }))
  const { code, stdout, stderr } = await runCli(['conformance', proxy.baseUrl, '--json', '--token', token], {})
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  const findings = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(findings.filter(({ state }) => state === 'failed')).toEqual([
    {
      check: 'documentation',
      state: 'failed',
      found: '/docs returns 500, as text/html; charset=utf-8',
      advice: expect.any(String),
    },
  ])
  expect(stdout).not.toContain(token)
})

test.each([
  {
    url: 'http://127.0.0.1:2',
    code: 1,
    says: /^check +state +found\ndocument +failed +\/openapi\.json does not respond: .*ECONNREFUSED.*\n$/,
  },
  { url: 'ftp://127.0.0.1', code: 1, says: /must be the http or https URL/ },
  { url: 'http://127.0.0.1:6000', code: 1, says: /must have another port: nothing is sent to port 6000/ },
  { url: 'http://127.0.0.1/?a=b', code: 1, says: /must have neither a query nor a fragment/ },
])('the command refuses $url in a sentence', async ({ url, code, says }) => {
  const result = await runCli(['conformance', url], {})
  expect(result.code).toBe(code)
  expect(result.stdout + result.stderr).toMatch(says)
})
