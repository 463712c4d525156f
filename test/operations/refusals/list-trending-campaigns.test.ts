import { describe, expect, test } from 'vitest'
import { anAddress } from '../../setup/records.ts'
import { refusalOf } from '../../setup/refusals.ts'
import { trendingParameters as parameters } from '../../setup/requests/trending-parameters.ts'

describe('a parameter', () => {
  const refused = (query: string) => refusalOf(`/reward-kit/trending?${query}`)
  const someone = anAddress('someone')
  const integers = ['1e3', '+1', '-1', '1.0', '%201', '0x10', 'NULL', '1,2', '9007199254740992']
  const booleans = ['TRUE', 'True', '1', '0', 'yes', '%20true', 'NULL']
  const addresses = [
    ...['', 'null', someone.slice(0, -1), `${someone}0`, `0X${someone.slice(2)}`, someone.slice(2), `%20${someone}`],
    ...[`${someone},${someone}`, `${someone.slice(0, -1)}g`],
  ]
  const names = ['', ',', '%20', 'a,', ',a', 'a,,b', 'x'.repeat(129), `a,${'x'.repeat(129)}`]
  const hundredAndOne = Array.from({ length: 101 }, (_, index) => `n${index}`)
  const cases: Record<string, string[]> = {
    period: ['', 'null', '1H', '24H', '6h', '7d', '1', '3600', '%201h', '1h%20', '1h,24h'],
    budgetAccount: [
      ...['', 'null', 'bob', `${someone},`, `,${someone}`, `${someone},,${someone}`, `${someone},x`, `${someone}0`],
      hundredAndOne.map(anAddress).join(','),
    ],
    owner: addresses,
    autocampaignId: ['', 'x'.repeat(129), '%00'],
    chainId: integers,
    targetContract: addresses.map((value) => `${value}&chainId=1`),
    tokens: [
      ...['', ',', someone, `8453:${someone}:`, `8453:${someone}:nft`, `8453:${someone}:COLLECTION`],
      ...[`08453:${someone}`, `x:${someone}`, `:${someone}`, `8453:0X${someone.slice(2)}`, `8453:${someone},`],
      hundredAndOne.map((name) => `1:${anAddress(name)}`).join(','),
    ],
    distributionChannel: [...names, hundredAndOne.join(',')],
    tokenWhitelist: booleans,
    creator: addresses,
    user: addresses,
    includeActionTypes: [...names, hundredAndOne.join(',')],
    excludeActionTypes: [...names, hundredAndOne.join(',')],
    includeTokenMetadata: booleans,
    pageSize: [...integers, '101'],
  }

  test('of every name is in the cases below', () => {
    expect(Object.keys(cases).toSorted()).toEqual(parameters.toSorted())
  })

  for (const [name, values] of Object.entries(cases)) {
    test.each(values.map((value) => [value.slice(0, 60), value]))(
      `is refused and named: ${name}=%s`,
      async (_, value) => {
        // A NUL byte is a fault of the query string as a whole.
        const named = value === '%00' ? /NUL/ : new RegExp(`\\b${name}\\b`)
        expect(await refused(`${name}=${value}`)).toMatch(named)
      },
    )
  }

  test('targetContract is refused without chainId', async () => {
    for (const chain of ['', '&chainId=', '&chainId=null']) {
      expect(await refused(`targetContract=${someone}${chain}`)).toMatch(
        /targetContract.*chainId|chainId.*targetContract/,
      )
    }
  })

  const lists = ['budgetAccount', 'tokens', 'distributionChannel', 'includeActionTypes', 'excludeActionTypes']
  const single = parameters.filter((name) => !lists.includes(name))

  test.each(single)('is refused when it is given twice: %s', async (name) => {
    const value = (cases[name] === addresses && someone) || '1h'
    expect(await refused(`${name}=${value}&${name}=${value}`)).toMatch(new RegExp(`\\b${name}\\b.*once`))
  })

  test.each([
    ['periods', 'period'],
    ['includeActionType', 'includeActionTypes'],
    ['users', 'user'],
    ['Creator', 'creator'],
    ['includeTokenMetaData', 'includeTokenMetadata'],
    ['token', 'tokens'],
  ])('is refused when it is unknown: %s, and the message names the nearest, %s, and all', async (unknown, nearest) => {
    const error = await refused(`${unknown}=1`)
    expect(error).toContain(`"${unknown}"`)
    expect(error).toContain(`did you mean ${nearest}?`)
    for (const name of parameters) expect(error).toMatch(new RegExp(`\\b${name}\\b`))
  })

  test.each(['page', 'sortBy', 'actionTemplateOnly', 'showActiveOnly', 'timeRange', '__proto__'])(
    'of another operation is refused: %s',
    async (name) => {
      expect(await refused(`${name}=1`)).toContain(`"${name}"`)
    },
  )

  test('is refused together with all others that break their rules, in one sentence', async () => {
    const error = await refused(
      `period=&owner=bob&creator=&user=x&chainId=-1&includeActionTypes=a,,b&includeTokenMetadata=1&tokens=q&unknown=1`,
    )
    const broken = ['period', 'owner', 'creator', 'user', 'chainId', 'includeActionTypes', 'includeTokenMetadata']
    for (const named of [...broken, '"q"', '"unknown"']) expect(error).toContain(named)
  })

  test('is refused with what is allowed and what was given', async () => {
    expect(await refused('period=6h')).toMatch(/period.*1h.*24h.*6h/)
    expect(await refused('user=bob')).toMatch(/user.*address.*bob/)
    expect(await refused('excludeActionTypes=a,,b')).toMatch(/excludeActionTypes.*""/)
    expect(await refused(`budgetAccount=${someone},bob`)).toMatch(/budgetAccount.*"bob"/)
  })
})
