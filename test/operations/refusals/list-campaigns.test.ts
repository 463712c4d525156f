import { describe, expect, test } from 'vitest'
import { anAddress } from '../../setup/records.ts'
import { appWithoutDatabase, refusalOf } from '../../setup/refusals.ts'

const parameters = [
  ...['page', 'pageSize', 'budgetAccount', 'owner', 'autocampaignId', 'chainId', 'targetContract', 'tokens'],
  ...['rewardToken', 'campaignId', 'incentiveType', 'actionType'],
  ...['distributionChannel', 'sortBy', 'tokenWhitelist', 'actionTemplateOnly', 'showActiveOnly'],
]
/** These may be given several times. */
const lists = [
  ...['budgetAccount', 'tokens', 'rewardToken', 'distributionChannel', 'campaignId', 'incentiveType', 'actionType'],
]
const ADDRESS = anAddress('somebody')
const addresses = (count: number) => Array.from({ length: count }, (_, index) => anAddress(`number ${index}`))

const refused = (query: string) => refusalOf(`/campaigns?${query}`)

test('what is not refused would be read, of a database that is away', async () => {
  const app = await appWithoutDatabase()
  expect((await app.inject('/campaigns?pageSize=1')).statusCode).toBe(503)
})

describe('a value is refused, and the message names the parameter', () => {
  const integers = [
    '1e3',
    '+1',
    '-1',
    '1.0',
    '%201',
    '1%20',
    '0x10',
    '1_000',
    'NaN',
    'Infinity',
    'NULL',
    '%D9%A1',
    '1,2',
  ]
  const beyond = ['9007199254740992', '9007199254740993', '1'.repeat(400)]
  const booleans = ['TRUE', 'True', '1', '0', 'yes', '%20true', 'true%20', 'NULL']
  const addressValues = [
    ...['', 'null', ADDRESS.slice(0, -1), `${ADDRESS}0`, `0X${ADDRESS.slice(2)}`, ADDRESS.slice(2), `%20${ADDRESS}`],
    ...[`${ADDRESS},${ADDRESS}`, `${ADDRESS.slice(0, -1)}g`],
  ]
  const cases: Record<string, string[]> = {
    page: [...integers, ...beyond],
    pageSize: [...integers, ...beyond, '101', '9007199254740991'],
    chainId: [...integers, ...beyond],
    owner: addressValues,
    targetContract: addressValues.map((value) => `${value}&chainId=1`),
    budgetAccount: [
      ...addressValues.slice(0, 6),
      `${ADDRESS},`,
      `,${ADDRESS}`,
      `${ADDRESS},,${ADDRESS}`,
      `${ADDRESS},x`,
    ],
    tokens: [
      ...['', ',', ADDRESS, `8453:${ADDRESS}:`, `8453:${ADDRESS}:collections`, `8453:${ADDRESS}:COLLECTION`],
      ...[`08453:${ADDRESS}`, `x:${ADDRESS}`, `:${ADDRESS}`, `8453:0X${ADDRESS.slice(2)}`, `8453:${ADDRESS},`],
      ...[`-1:${ADDRESS}`, `9007199254740992:${ADDRESS}`, `8453:${ADDRESS}:collection:collection`],
    ],
    rewardToken: [
      '',
      ADDRESS,
      `9007199254740992:${ADDRESS}`,
      `8453:${ADDRESS}:collection`,
      `08453:${ADDRESS}`,
      `8453:${ADDRESS},`,
    ],
    campaignId: [
      '',
      '1657',
      `9007199254740992:${ADDRESS}:1`,
      `8453:${ADDRESS}`,
      `8453:${ADDRESS}:01`,
      `8453:${ADDRESS}:1,`,
    ],
    incentiveType: ['', 'Incentive', 'ERC20Incentive,', 'ERC20 Incentive', 'null'],
    actionType: ['', 'swap,', ',', 'x'.repeat(129), '%20'],
    autocampaignId: ['', 'x'.repeat(129)],
    distributionChannel: ['', 'web,', ',', 'x'.repeat(129), '%20', `web,${'x'.repeat(129)}`],
    sortBy: ['', 'null', 'Active', 'ACTIVE', 'newest', 'active,active', '%20active'],
    tokenWhitelist: booleans,
    actionTemplateOnly: [...booleans, '', 'null'],
    showActiveOnly: [...booleans, '', 'null'],
  }
  const rows = Object.entries(cases).flatMap(([name, values]) => values.map((value) => ({ name, value })))

  test('in cases of every parameter', () => {
    expect(Object.keys(cases).toSorted()).toEqual(parameters.toSorted())
  })

  for (const { name, value } of rows) {
    test(`${name}=${value.slice(0, 140)}`, async () => {
      expect(await refused(`${name}=${value}`)).toMatch(new RegExp(`\\b${name}\\b`))
    })
  }

  test('about very many names or entries the first 20, and says that there are more', async () => {
    const unknown = Array.from({ length: 64 }, (_, index) => `x${index}`)
    const wrong = Array.from({ length: 500 }, (_, index) => index)
    for (const query of [unknown.join('&'), `tokens=${wrong.join(',')}`]) {
      const sentence = await refused(query)
      expect(sentence.split('; ').length).toBe(21)
      expect(sentence).toMatch(/; and more$/)
      expect(sentence.length).toBeLessThan(10_000)
    }
  })

  test.each([
    [
      Array.from({ length: 65 }, (_, index) => `x${index}`).join('&'),
      /^at most 64 different parameters are accepted, got 65$/,
    ],
    ['x&'.repeat(1024), /^at most 1024 parameters are accepted$/],
    [`tokens=${','.repeat(1024)}`, /^tokens must have at most 100 entries$/],
    [
      Array.from({ length: 4 }, (_, index) => `pagesize${index}`).join('&'),
      /^(unknown.*pageSize.*; ){3}unknown parameter "pagesize3"$/,
    ],
    ['x'.repeat(200), /^unknown parameter "x{128}…": known are page, /],
  ])('with more of something than is looked at says so', async (query, sentence) => {
    expect(await refused(query)).toMatch(sentence)
  })

  test.each(['targetContract', 'owner'])('a parameter without "=" is an empty one: %s', async (name) => {
    expect(await refused(name)).toContain(name)
  })
})

describe('the message', () => {
  test('about a bad value says what is allowed and what was given', async () => {
    expect(await refused('pageSize=101')).toMatch(/pageSize.*0.*100.*101/)
    expect(await refused('sortBy=newest')).toMatch(/sortBy.*recently-deployed.*active.*newest/)
    expect(await refused('showActiveOnly=TRUE')).toMatch(/showActiveOnly.*true.*false.*TRUE/)
    expect(await refused('owner=bob')).toMatch(/owner.*address.*40.*bob/)
  })

  test('about an integer that is too large repeats it as it was written', async () => {
    expect(await refused('page=9007199254740993')).toContain('9007199254740993')
    expect(await refused(`page=${'1'.repeat(400)}`)).toContain('1'.repeat(30))
  })

  test.each([
    ['pagesize', 'pageSize'],
    ['ownr', 'owner'],
    ['sort', 'sortBy'],
    ['chainIds', 'chainId'],
    ['token', 'tokens'],
    ['showActive', 'showActiveOnly'],
    // As other APIs call them.
    ['limit', 'pageSize'],
    ['per_page', 'pageSize'],
    ['offset', 'page'],
    ['active', 'showActiveOnly'],
    ['order_by', 'sortBy'],
    ['contract', 'targetContract'],
    ['network', 'chainId'],
    ['creator', 'owner'],
    ['page[]', 'page'],
  ])('about the unknown parameter %s names the nearest, %s, and lists all', async (unknown, nearest) => {
    const error = await refused(`${unknown}=1`)
    expect(error).toContain(`"${unknown}"`)
    expect(error).toContain(`did you mean ${nearest}?`)
    for (const name of parameters) expect(error).toContain(name)
  })

  test.each(['zzz', 'a[]', 'format', 'timestamp', 'x'.repeat(200), '__proto__'])(
    'about an unknown parameter that is near none names none: %s',
    async (unknown) => {
      const error = await refused(`${unknown}=1`)
      expect(error).not.toContain('did you mean')
      for (const name of parameters) expect(error).toContain(name)
    },
  )

  test.each(['a[]', '__proto__', 'constructor', 'hasOwnProperty', 'page[0]', 'OWNER', '%20page', 'page%20', 'pàge'])(
    'about an unknown parameter repeats it as it was written: %s',
    async (name) => {
      expect(await refused(`${encodeURI(decodeURIComponent(name))}=1`)).toContain(`"${decodeURIComponent(name)}"`)
    },
  )

  test.each(parameters.filter((name) => !lists.includes(name)))('about %s given twice says so', async (name) => {
    const error = await refused(`${name}=1&${name}=1`)
    expect(error).toMatch(new RegExp(`${name}.*once`))
  })

  test('about targetContract without chainId names both', async () => {
    for (const query of ['', '&chainId=', '&chainId=null']) {
      const error = await refused(`targetContract=${ADDRESS}${query}`)
      expect(error).toContain('targetContract')
      expect(error).toContain('chainId')
    }
  })

  test('tells all problems at once', async () => {
    const error = await refused(
      `page=x&pageSize=101&owner=&targetContract=${ADDRESS}&showActiveOnly=1&unknown=1&sortBy=active&sortBy=active&tokens=a,b`,
    )
    for (const named of [
      'page ',
      'pageSize',
      'owner',
      'targetContract',
      'chainId',
      'showActiveOnly',
      '"unknown"',
      'sortBy',
    ]) {
      expect(error).toContain(named)
    }
    expect(error).toContain('"a"')
    expect(error).toContain('"b"')
  })

  test('about a list names the entry', async () => {
    expect(await refused(`budgetAccount=${ADDRESS},bob,${ADDRESS}`)).toMatch(/budgetAccount.*"bob"/)
    expect(await refused(`tokens=8453:${ADDRESS},8453:${ADDRESS}:nft`)).toContain(`"8453:${ADDRESS}:nft"`)
    expect(await refused('distributionChannel=web,,app')).toMatch(/distributionChannel.*""/)
  })

  test('says nothing of how the service is made', async () => {
    for (const query of [
      'page=x',
      'owner=%27%3B--',
      'tokens=1',
      'x=1',
      'sortBy=1',
      'page=1&page=2',
      'page=%zz',
      'page=%00',
    ]) {
      expect(await refused(query)).not.toMatch(/select |sql|pattern|\n|node_modules|\.ts|\.js|ajv|querystring/i)
    }
  })
})

test('a list with more than 100 entries is refused', async () => {
  expect(await refused(`budgetAccount=${addresses(101).join(',')}`)).toMatch(/budgetAccount.*100/)
  const channels = Array.from({ length: 101 }, (_, index) => `c${index}`)
  expect(await refused(`distributionChannel=${channels.join(',')}`)).toMatch(/distributionChannel.*100/)
  const tokens = addresses(101).map((address) => `1:${address}`)
  expect(await refused(`tokens=${tokens.join(',')}`)).toMatch(/tokens.*100/)
})

describe('a query string', () => {
  test.each(['owner=%zz', 'owner=%', 'owner=%ff', '%E0%A4=1', 'owner=%C0%80', 'autocampaignId=%ED%A0%80'])(
    'with a malformed percent-encoding is refused: %s',
    async (query) => {
      expect(await refused(query)).toMatch(/percent-encoding/)
    },
  )

  test.each(['autocampaignId=%00', 'autocampaignId=a%00b', 'distributionChannel=web,%00', '%00=1'])(
    'with a NUL byte is refused: %s',
    async (query) => {
      expect(await refused(query)).toMatch(/NUL/)
    },
  )

  test('with several faults, of encoding too, is told all of them', async () => {
    expect(await refused('owner=%zz&budgetAccount=%00&page=-1&pageSize=1')).toBe(
      'parameter "owner" has a malformed percent-encoding; parameter "budgetAccount" has a NUL byte; page must be an integer from 0 to 9007199254740991, got "-1"',
    )
  })

  test('with more faults than are told says so, once', async () => {
    const malformed = Array.from({ length: 21 }, (_, index) => `a${index}=%zz`)
    const sentence = await refused([...malformed, 'page=-1'].join('&'))
    expect(sentence).toMatch(/^(parameter "a\d+" has a malformed percent-encoding; ){20}and more$/)
    expect(await refused([...malformed.slice(0, 20), 'page=-1'].join('&'))).toBe(sentence)
  })
})
