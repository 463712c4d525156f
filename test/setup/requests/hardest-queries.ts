/*
 * Every filter at its limit, with the values that are hardest to answer for: what most have, what just too few have for a map
 * of its own, and both together. For anyone who looks for the dearest question that is accepted.
 */

type Query = (sql: string) => Promise<{ value: string }[]>

export interface HardQuery {
  name: string
  path: string
}

interface Values {
  name: string
  values: string[]
}

/** Entries that a list may have. */
const LIST = 100

/** The most that something without a map is found by. */
const MAX_UNMAPPED = 150

/** Paths of public operations, by what is hard about them. */
export async function findHardestQueries(ask: Query, now = Date.now()) {
  const lists = [
    await toQueries('budgetAccount', (order) => find('budget', 'campaigns', order)),
    await toQueries('tokens', (order) =>
      find("chain_id || ':' || value", "campaign_facets where kind = 'token'", order),
    ),
    await toQueries('tokens', (order) =>
      find("chain_id || ':' || value || ':collection'", "campaign_facets where kind = 'target'", order),
    ),
    await toQueries('distributionChannel', (order) => find('value', "campaign_facets where kind = 'channel'", order)),
  ]
  const [chain, owner, creator, unmappedCreator] = await Promise.all([
    findOne('chain_id::text', 'campaigns'),
    findOne('owner', 'campaigns'),
    findOne('creator', 'campaigns'),
    find('creator', 'campaigns', 'unmapped').then(([first]) => first),
  ])
  const mostClaimed = await ask(`select id as value from campaigns join
    (select campaign_key, count(*) from claims group by 1 order by 2 desc limit 50) most on campaign_key = key`)

  async function find(expression: string, from: string, which: 'common' | 'unmapped') {
    const condition = which === 'unmapped' ? `having count(*) <= ${MAX_UNMAPPED}` : ''
    const rows = await ask(
      `select ${expression} as value from ${from} group by 1 ${condition} order by count(*) desc, 1 limit ${LIST}`,
    )
    return rows.map(({ value }) => value)
  }

  async function findOne(expression: string, from: string) {
    return (await find(expression, from, 'common'))[0]
  }

  async function toQueries(parameter: string, findValues: (which: 'common' | 'unmapped') => Promise<string[]>) {
    const [common, unmapped] = [await findValues('common'), await findValues('unmapped')]
    const half = LIST / 2
    const kinds: Values[] = [
      { name: 'common', values: common },
      { name: 'unmapped', values: unmapped },
      { name: 'mixed', values: [...common.slice(0, half), ...unmapped.slice(0, half)] },
    ]
    return kinds
      .filter(({ values }) => values.length > 0)
      .map(({ name, values }) => ({ name: `${name} ${parameter}`, query: `${parameter}=${values.join(',')}` }))
  }

  const [budgets = [], tokens = [], collections = [], channels = []] = lists
  const together = budgets.flatMap((budget, index) =>
    [tokens[index], collections[index]].map((token) => ({
      name: [budget.name, token?.name, channels[0]?.name, 'a chain'].filter(Boolean).join(', '),
      query: [budget.query, token?.query, channels[0]?.query, `chainId=${chain}`].filter(Boolean).join('&'),
    })),
  )
  const filters = [
    { name: 'no filter', query: '' },
    { name: 'owner', query: `owner=${owner}` },
    { name: 'chain', query: `chainId=${chain}` },
    ...lists.flat(),
    ...together,
  ]
  const campaigns = filters.flatMap(({ name, query }) =>
    ['', 'showActiveOnly=true', 'sortBy=active', 'sortBy=active&tokenWhitelist=false'].map((how) => ({
      name: `campaigns: ${name} ${how}`.trim(),
      path: `/campaigns?${[query, how, 'pageSize=100'].filter(Boolean).join('&')}`,
    })),
  )
  const creators = ['', `creator=${creator}`, `creator=${unmappedCreator}`]
  const contracts = ['most-completions', 'total-spend', 'recently-deployed'].flatMap((order) =>
    ['', '&timeRange=6h', '&timeRange=24h', '&timeRange=7d'].flatMap((range) =>
      ['', `chainIds=${chain}`, ...creators.slice(1)].map((filter) => ({
        name: `contracts: ${order}${range} ${filter}`.trim(),
        path: `/explore/contracts?pageSize=100&sortBy=${order}${range}${filter && `&${filter}`}`,
      })),
    ),
  )
  const ids = mostClaimed.map(({ value }) => value).join(',')
  const activity = ['1h', '24h', '7d', '30d'].map((range) => ({
    name: `activity of the most claimed, ${range}`,
    path: `/activity?timeRange=${range}&campaignId=${ids}`,
  }))
  activity.push({ name: 'activity of all campaigns, 30d', path: '/activity?timeRange=30d' })
  const hour = Math.floor(now / 3_600_000) * 3_600_000
  // By the clock, and as far from its hours as may be.
  for (const [when, until] of Object.entries({ 'by the clock': hour, 'beside the clock': hour - 1_652_000 })) {
    for (const [interval, hours] of Object.entries({ '1h': 400, '1d': 399 * 24, '1w': 399 * 168 })) {
      const range = `interval=${interval}&since=${new Date(until - hours * 3_600_000).toISOString()}&until=${new Date(until).toISOString()}`
      activity.push({
        name: `400 intervals ${when} of the most claimed, ${interval}`,
        path: `/activity?${range}&campaignId=${ids}`,
      })
      activity.push({ name: `400 intervals ${when} of all campaigns, ${interval}`, path: `/activity?${range}` })
    }
  }
  const [listed] = await ask(
    'select address as value from allow_list_addresses group by 1 order by count(*) desc, 1 limit 1',
  )
  const nobody = `0x${'0'.repeat(39)}1`
  const users = { 'a user of no list': nobody, 'the user of most lists': listed?.value ?? nobody }
  const trending = ['1h', '24h'].flatMap((period) =>
    [
      { name: 'everybody', query: '' },
      { name: 'an unknown action type', query: 'includeActionTypes=unknown' },
      ...Object.entries(users).map(([name, user]) => ({ name, query: `user=${user}` })),
      ...lists.flat(),
    ].map(({ name, query }) => ({
      name: `trending: ${period}, ${name}`,
      path: `/reward-kit/trending?period=${period}&tokenWhitelist=false${query && `&${query}`}`,
    })),
  )
  return { campaigns, contracts, activity, trending }
}

/** The pages that are hardest to find among so many rows: the first, the middle one and the last. */
export const pagesAmong = (rows: number) =>
  [...new Set([1, Math.ceil(rows / 200), Math.ceil(rows / 100)])].filter(Boolean)
