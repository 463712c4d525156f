import { describe, expect, test } from 'vitest'
import { anAddress } from '../../setup/records.ts'
import { refusalOf } from '../../setup/refusals.ts'

describe('a parameter is refused, and the message names it', () => {
  const address = anAddress('somebody')
  const integers = ['-1', '+1', '1.0', '1e3', '0x10', '%201', '1%20', '1,2', 'NULL', 'x', '9007199254740992']
  const cases: Record<string, string[]> = {
    page: integers,
    pageSize: [...integers, '101', '9007199254740991'],
    sortBy: ['', 'null', 'active', 'completions', 'Most-Completions', '%20total-spend', 'total-spend,total-spend'],
    timeRange: ['', 'null', '1h', '30d', '6H', '7D', '168h', '%207d', '6h,24h'],
    chainIds: [
      ...['', 'null', ',', '1,', ',1', '1,,10', '-1', '1.0', '1e3', '0x1', 'base', '1,base', '9007199254740992'],
      ...['%20', '1%2010', `1:${address}`, Array.from({ length: 101 }, (_, index) => index).join(',')],
    ],
    creator: [
      ...['', 'null', address.slice(0, -1), `${address}0`, `0X${address.slice(2)}`, address.slice(2), `%20${address}`],
      ...[`${address},${address}`, `${address.slice(0, -1)}g`],
    ],
  }
  const rows = Object.entries(cases).flatMap(([name, values]) => values.map((value) => ({ name, value })))
  const unknown = ['chainId', 'timerange', 'period', 'sort', 'owner', 'tokenWhitelist', 'PAGE', 'a[]', '__proto__']

  const refused = (query: string) => refusalOf(`/explore/contracts?${query}`)

  for (const { name, value } of rows) {
    test(`${name}=${value.slice(0, 80)}`, async () => {
      expect(await refused(`${name}=${value}`)).toMatch(new RegExp(`\\b${name}\\b`))
    })
  }

  // A list may be given several times.
  test.each(Object.keys(cases).filter((name) => name !== 'chainIds'))('%s given twice', async (name) => {
    expect(await refused(`${name}=1&${name}=1`)).toMatch(new RegExp(`${name}.*once`))
  })

  test.each(unknown)('unknown: %s', async (name) => {
    const error = await refused(`${name}=1`)
    expect(error).toContain(`"${name}"`)
    for (const known of Object.keys(cases)) expect(error).toContain(known)
  })

  test('with what is allowed', async () => {
    expect(await refused('pageSize=101')).toMatch(/pageSize.*0.*100.*101/)
    expect(await refused('timeRange=30d')).toMatch(/timeRange.*6h.*24h.*7d.*30d/)
    expect(await refused('sortBy=x')).toMatch(/sortBy.*most-completions.*total-spend.*recently-deployed/)
    expect(await refused('chainIds=1,base')).toMatch(/chainIds.*chain ID.*"base"/)
    expect(await refused('creator=bob')).toMatch(/creator.*address.*40.*bob/)
  })

  test('together with all other problems', async () => {
    const error = await refused('page=x&pageSize=101&sortBy=&timeRange=&chainIds=a,b&creator=bob&period=1h')
    for (const named of ['page ', 'pageSize', 'sortBy', 'timeRange', 'chainIds', '"a"', '"b"', 'creator', '"period"']) {
      expect(error).toContain(named)
    }
  })
})
