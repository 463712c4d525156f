import { expect, test } from 'vitest'
import { allUrl, listUrl, queryOf, toQuery } from '../../packages/explorer/src/campaigns/campaign-query.ts'
import { chipsOf, withoutFilters } from '../../packages/explorer/src/campaigns/filters/filter-chips.ts'
import { enteredUrl, entriesOf } from '../../packages/explorer/src/campaigns/filters/filter-entries.ts'

const OWNER = '0x48b5104699c3e74a380a7bbea272c4871abfb7d5'
const TOKEN = '8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const OTHER_TOKEN = '10:0x4200000000000000000000000000000000000042'

test.each([
  ['', { showActiveOnly: true }],
  ['showActiveOnly=false', { showActiveOnly: false }],
  ['page=2&pageSize=25', { page: 2, pageSize: 25, showActiveOnly: true }],
  [
    `chainId=10&tokens=${TOKEN},${OTHER_TOKEN}&showActiveOnly=true`,
    { chainId: 10, tokens: [TOKEN, OTHER_TOKEN], showActiveOnly: true },
  ],
  [`tokens=${TOKEN}&tokens=${OTHER_TOKEN}`, { tokens: [TOKEN, OTHER_TOKEN], showActiveOnly: true }],
  [
    'tokenWhitelist=false&sortBy=active&owner=0x1',
    { tokenWhitelist: false, sortBy: 'active', owner: '0x1', showActiveOnly: true },
  ],
  [
    'distributionChannel=base%20app,world+app',
    { distributionChannel: ['base app', 'world app'], showActiveOnly: true },
  ],
])('the address says what is asked: %s', (query, asked) => {
  expect(toQuery(queryOf(`/explorer/campaigns?${query}`))).toEqual(asked)
})

test.each([
  ['page=1e3', { page: '1e3' }],
  ['page=9007199254740993', { page: '9007199254740993' }],
  ['showActiveOnly=yes', { showActiveOnly: 'yes' }],
  ['owner=a&owner=b', { owner: ['a', 'b'] }],
  ['nonsense=1&owner=', { nonsense: '1', owner: '' }],
  ['constructor=1', { constructor: '1' }],
])('what the service refuses is asked as it is written: %s', (query, asked) => {
  expect(toQuery(queryOf(`/explorer/campaigns?${query}`))).toEqual({ showActiveOnly: true, ...asked })
})

const chips = (query: string) => chipsOf(new URLSearchParams(query))

test('a filter has a chip, a list one for each entry, and each leads to the first page of the list without it', () => {
  expect(chips(`chainId=8453&tokens=${TOKEN},${OTHER_TOKEN}&showActiveOnly=false&page=3&sortBy=active`)).toEqual([
    {
      label: 'Chain: Base',
      without: `/explorer/campaigns?tokens=${TOKEN},${OTHER_TOKEN}&showActiveOnly=false&sortBy=active`,
    },
    {
      label: `Token: ${TOKEN}`,
      without: `/explorer/campaigns?chainId=8453&tokens=${OTHER_TOKEN}&showActiveOnly=false&sortBy=active`,
    },
    {
      label: `Token: ${OTHER_TOKEN}`,
      without: `/explorer/campaigns?chainId=8453&tokens=${TOKEN}&showActiveOnly=false&sortBy=active`,
    },
    {
      label: 'Also not active',
      without: `/explorer/campaigns?chainId=8453&tokens=${TOKEN},${OTHER_TOKEN}&sortBy=active`,
    },
  ])
})

test('a flag that is refused, an empty entry and an unknown parameter can be taken away too', () => {
  expect(chips('showActiveOnly=yes&owner=&constructor=1&tokenWhitelist=false')).toEqual([
    { label: 'Also not active: yes', without: '/explorer/campaigns?owner=&constructor=1&tokenWhitelist=false' },
    {
      label: 'Owner: empty',
      without: '/explorer/campaigns?showActiveOnly=yes&constructor=1&tokenWhitelist=false',
    },
    { label: 'constructor: 1', without: '/explorer/campaigns?showActiveOnly=yes&owner=&tokenWhitelist=false' },
    { label: 'Unknown tokens too', without: '/explorer/campaigns?showActiveOnly=yes&owner=&constructor=1' },
  ])
})

test.each(['', 'page=2', 'pageSize=50&sortBy=active', 'tokenWhitelist=true&showActiveOnly=true', 'chainId=null'])(
  'what filters nothing has no chip: %s',
  (query) => {
    expect(chips(query)).toEqual([])
  },
)

test('the list without filters keeps its order and its page size', () => {
  const parameters = new URLSearchParams(`owner=${OWNER}&page=4&pageSize=50&sortBy=active&chainId=10`)
  expect(withoutFilters(parameters)).toBe('/explorer/campaigns?pageSize=50&sortBy=active')
})

/** What the form holds where nothing is entered: boxes that are checked by default are in it. */
const untouched = [
  ['chainId', ''],
  ['tokens', ''],
  ['sortBy', 'recently-deployed'],
  ['tokenWhitelist', 'true'],
  ['showActiveOnly', 'true'],
  ['owner', ''],
  ['pageSize', '10'],
] as const

test.each([
  [{}, ''],
  [{ chainId: '8453', search: ' usd coin ' }, '?chainId=8453&search=usd+coin'],
  [{ tokens: `${TOKEN}  ${OTHER_TOKEN},` }, `?tokens=${TOKEN},${OTHER_TOKEN}`],
  [{ distributionChannel: 'base app' }, '?distributionChannel=base+app'],
  [{ sortBy: 'active', pageSize: '50', owner: OWNER }, `?sortBy=active&owner=${OWNER}&pageSize=50`],
])('what is entered is the address of the list: %o', (entered, query) => {
  const filled = new Map<string, string>([...untouched, ...Object.entries(entered)])
  expect(enteredUrl([...filled])).toBe(`/explorer/campaigns${query}`)
})

test.each(['tokenWhitelist', 'showActiveOnly'])('a box that is taken away says so in the address: %s', (box) => {
  expect(enteredUrl(untouched.filter(([name]) => name !== box))).toBe(`/explorer/campaigns?${box}=false`)
})

test('boxes of a list and what is typed beside them are its entries, each once', () => {
  const entered = [...untouched, ['tokens', TOKEN], ['tokens', `${OTHER_TOKEN} ${TOKEN}`]] as const
  expect(enteredUrl(entered)).toBe(`/explorer/campaigns?tokens=${TOKEN},${OTHER_TOKEN}`)
  expect(enteredUrl([...untouched, ['actionType', 'swap'], ['actionType', 'mint']])).toBe(
    '/explorer/campaigns?actionType=swap,mint',
  )
})

test('the form is filled with what the address says', () => {
  const { text, chosen, isSet, isOn } = entriesOf(
    new URLSearchParams(`chainId=8453&tokens=${TOKEN}&tokenWhitelist=false&showActiveOnly=true`),
  )
  expect([chosen('tokens'), text('chainId'), text('owner')]).toEqual([[TOKEN], '8453', ''])
  expect([isOn('tokenWhitelist'), isOn('showActiveOnly'), isSet('actionTemplateOnly')]).toEqual([false, true, false])
})

test('a list can be linked to by its filters, and all that there is of them', () => {
  expect(allUrl({ owner: OWNER })).toBe(`/explorer/campaigns?owner=${OWNER}&tokenWhitelist=false&showActiveOnly=false`)
  expect(listUrl({ owner: OWNER, tokenWhitelist: 'false' })).toBe(
    `/explorer/campaigns?owner=${OWNER}&tokenWhitelist=false`,
  )
})
