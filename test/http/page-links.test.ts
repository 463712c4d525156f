import { expect, test } from 'vitest'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, aToken } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

/*
 * Links of a page to others (RFC 8288), and the total that all pages say.
 */

/** Relations with what they refer to, as a client resolves it. */
function linksIn(header: unknown, url: string) {
  const links = [...String(header ?? '').matchAll(/<([^<>]*)>; rel="(\w+)"/g)]
  return Object.fromEntries(
    links.map(([, reference = '', relation]) => {
      const { pathname, search } = new URL(reference, `http://service.example${url}`)
      return [relation, decodeURIComponent(`${pathname}${search}`)]
    }),
  )
}

async function ask(api: TestApp, url: string) {
  const { statusCode, headers, body } = await api.get(url)
  expect(statusCode, body).toBe(200)
  return { headers, body, links: linksIn(headers.link, url) }
}

test('pages by number lead to the first, the one before, the next and the last', async () => {
  await using api = await startTestApp()
  const token = aToken({ symbol: 'ONE' })
  const campaigns = Array.from({ length: 5 }, (_, index) =>
    aCampaign({ incentives: [anErc20Incentive(token.address)], actionSteps: [aStep(anAddress(`target ${index}`))] }),
  )
  const tokens = Array.from({ length: 4 }, () => aToken())
  await api.save(token, ...tokens, ...campaigns)
  for (const path of ['/campaigns', '/explore/contracts', '/tokens']) {
    const to = (page: number) => `${path}?page=${page}&pageSize=2`
    const pages = await Promise.all([0, 1, 2, 3, 4, 99].map((page) => ask(api, to(page))))
    expect(pages.map(({ headers }) => headers['x-total-count'])).toEqual(Array(6).fill('5'))
    const [zero, first, second, third, fourth, far] = pages.map(({ links }) => links)
    const ends = { first: to(1), last: to(3) }
    expect(first).toEqual({ ...ends, next: to(2) })
    expect(zero).toEqual(first)
    expect(second).toEqual({ ...ends, prev: to(1), next: to(3) })
    expect(third).toEqual({ ...ends, prev: to(2) })
    expect([fourth, far]).toEqual(Array(2).fill({ ...ends, prev: to(3) }))
    const none = await ask(api, `${path}?pageSize=0`)
    expect(none.headers.link).toBeUndefined()
    expect(none.headers['x-total-count']).toBe('5')
    // Where the first page is the only one.
    const one = `${path}?page=1&pageSize=100`
    expect((await ask(api, `${path}?pageSize=100`)).links).toEqual({ first: one, last: one })
  }
})

test('links keep the other parameters, but those that have their defaults, and are left out where they would be too long', async () => {
  await using api = await startTestApp()
  const campaign = aCampaign({ autocampaignId: '<a> &+' })
  await api.save(campaign, aCampaign({ autocampaignId: '<a> &+' }))
  const query = 'sortBy=recently-deployed&autocampaignId=%3Ca%3E%20%26%2B&tokenWhitelist=false&owner='
  const { headers, links } = await ask(api, `/campaigns?${query}${campaign.owner}&pageSize=1`)
  const last = `/campaigns?owner=${campaign.owner}&autocampaignId=<a> &+&tokenWhitelist=false&page=2&pageSize=1`
  expect(links).toMatchObject({ next: last, last })
  expect(headers.link).toContain('autocampaignId=%3Ca%3E%20%26%2B&')
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `1:${anAddress('core')}:${index}`).join()
  const links20 = (await ask(api, `/campaigns?campaignId=${ids(20)}`)).links
  expect(links20.first).toBe(`/campaigns?campaignId=${ids(20)}&page=1&pageSize=10`)
  const many = await ask(api, `/campaigns?campaignId=${ids(100)}`)
  expect(many.headers.link).toBeUndefined()
  expect(many.headers['x-total-count']).toBe('0')
})

test('pages by cursor lead to the next, and it is there', async () => {
  await using api = await startTestApp()
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  const claimant = anAddress('claimant')
  const claims = [1, 2, 3].map((number) =>
    aClaim(campaign, { claimant, blockTimestamp: String(1_700_000_000 + number) }),
  )
  await api.save(campaign, aCampaign(), aCampaign(), ...claims)
  const walks = ['/campaigns?cursor=start&tokenWhitelist=false', `/claims?claimant=${claimant}`, '/claims?chainId=8453']
  for (const start of walks) {
    let count = 0
    for (let url: string | undefined = `${start}&pageSize=1`; url !== undefined; count++) {
      const page: Awaited<ReturnType<typeof ask>> = await ask(api, url)
      const { nextCursor, ...body } = JSON.parse(page.body)
      expect(page.headers['x-total-count']).toBe(start.includes('chainId') ? undefined : '3')
      expect(Object.values(body)[0]).toHaveLength(1)
      expect(Object.keys(page.links)).toEqual(nextCursor === null ? [] : ['next'])
      url = page.links.next
      if (url !== undefined) expect(url).toContain(`cursor=${nextCursor}`)
    }
    expect(count).toBe(3)
  }
  const rewards = await ask(api, `/users/${claimant}/rewards`)
  expect(rewards.headers).not.toHaveProperty('link')
})

test('kept responses, HEAD and 304 have them too, and pages of other origins may read them', async () => {
  await using api = await startTestApp()
  await api.save(aCampaign(), aCampaign())
  const url = '/campaigns?pageSize=1&tokenWhitelist=false'
  const { headers } = await ask(api, url)
  const [kept, head, same] = await Promise.all([
    api.get(url, { origin: 'https://page.example' }),
    api.app.inject({ method: 'HEAD', url }),
    api.get(url, { 'if-none-match': String(headers.etag) }),
  ])
  expect(api.counts.cacheResults.hit).toBeGreaterThan(0)
  expect([kept, head, same].map(({ statusCode }) => statusCode)).toEqual([200, 200, 304])
  for (const response of [kept, head, same]) {
    expect(response.headers).toMatchObject({ link: headers.link, 'x-total-count': '2' })
  }
  const exposed = String(kept.headers['access-control-expose-headers']).split(', ')
  expect(exposed).toEqual(
    expect.arrayContaining(['link', 'x-total-count', 'x-error-code', 'x-changed-since-start', 'x-changes-cursor']),
  )
})
