import { toJson } from './contract.ts'
import type { HttpClient } from './http-client.ts'
import { campaigns, contracts, type ListedCampaign, type Listing, linkTo, readPage, tokens } from './listings.ts'

/** Rows that are read in pages of two sizes. */
const ROWS = 60
const LARGEST_PAGE = 100
/** Up to so many pages, a list is read to its end. */
const MAX_PAGES = 5

/** Pages are parts of one sequence, whatever their size, and the total is how long it is. */
export const pagingViolations = (http: HttpClient) => [
  () => violationsIn(http, campaigns),
  () => violationsIn(http, contracts),
  () => linkViolationsIn(http, campaigns),
  () => linkViolationsIn(http, tokens),
  () => findWalkViolations(http),
]

/** The total is a header too, and links lead to the pages that they name. */
async function linkViolationsIn<Entry>({ send }: HttpClient, { path, identify, read }: Listing<Entry>) {
  const [first, second] = await Promise.all([send(`${path}?pageSize=5`), send(`${path}?page=2&pageSize=5`)])
  const next = linkTo('next', first)
  const [behind, before] = await Promise.all([next && send(next), send(linkTo('prev', second) ?? path)])
  const idsOf = (response: typeof first) => read(response).entries.map(identify).join()
  const { total = 0 } = read(first)
  const checks: [holds: boolean, violation: string][] = [
    [first.headers.get('x-total-count') === String(total), 'has another x-total-count than its total'],
    [(next === undefined) === total <= 5, 'has a link to a next page where there is none, or none where there is'],
    [!behind || idsOf(behind) === idsOf(second), 'has a link to the next page that leads elsewhere'],
    [total === 0 || idsOf(before) === idsOf(first), 'has a link to the page before that leads elsewhere'],
  ]
  return checks.filter(([holds]) => !holds).map(([, violation]) => `${path} ${violation}`)
}

/** A walk has what the pages have, in their order. */
async function findWalkViolations(http: HttpClient) {
  const walked: string[] = []
  let cursor: string | null | undefined = 'start'
  for (let count = 0; typeof cursor === 'string' && count < MAX_PAGES; count += 1) {
    const page: Awaited<ReturnType<typeof readPage<ListedCampaign>>> = await readPage(
      http,
      campaigns,
      `cursor=${cursor}&sortBy=active&pageSize=${LARGEST_PAGE}`,
    )
    walked.push(...page.entries.map(campaigns.identify))
    cursor = page.nextCursor
  }
  const numbers = Array.from({ length: Math.max(1, Math.ceil(walked.length / LARGEST_PAGE)) }, (_, index) => index + 1)
  const pages = await Promise.all(
    numbers.map((page) => readPage(http, campaigns, `page=${page}&sortBy=active&pageSize=${LARGEST_PAGE}`)),
  )
  const listed = pages.flatMap(({ entries }) => entries.map(campaigns.identify))
  return String(walked) === String(listed) ? [] : ['/campaigns has others in a walk than on its pages']
}

const FACETS = ['chainId', 'incentiveType', 'actionType']

/** The count of a value is the total with its filter, and a facet is the same whatever its own filter is. */
async function findFacetViolations(http: HttpClient) {
  const read = async (query: string) => {
    const { text } = await http.send(`/campaigns?pageSize=0&facets=${FACETS.join()}&facetSize=3${query}`)
    return toJson(text) as
      | { totalCampaigns: number; facets?: Record<string, { value: string; count: number }[]> }
      | undefined
  }
  const all = await read('')
  const violations = await Promise.all(
    FACETS.map(async (name) => {
      const [first] = all?.facets?.[name] ?? []
      if (first === undefined) return []
      const chosen = await read(`&${name}=${encodeURIComponent(first.value)}`)
      return [
        ...(chosen?.totalCampaigns === first.count
          ? []
          : [`the count of a value of ${name} is not the total of its filter`]),
        ...(JSON.stringify(chosen?.facets?.[name]) === JSON.stringify(all?.facets?.[name])
          ? []
          : [`the counts of ${name} change with its own filter`]),
      ]
    }),
  )
  return violations.flat()
}

async function violationsIn<Entry>(http: HttpClient, listing: Listing<Entry>): Promise<string[]> {
  const { path, identify } = listing
  const page = (number: number, size: number) => readPage(http, listing, `page=${number}&pageSize=${size}`)
  const first = await page(1, LARGEST_PAGE)
  const total = first.total ?? 0
  const inPagesOf = async (size: number) => {
    const numbers = Array.from(
      { length: Math.ceil(Math.min(ROWS, Math.max(total, 1)) / size) },
      (_, index) => index + 1,
    )
    return (await Promise.all(numbers.map((number) => page(number, size)))).flatMap(({ entries }) =>
      entries.map(identify),
    )
  }
  const pageCount = Math.ceil(total / LARGEST_PAGE)
  const [small, middle, none, past, last, everything] = await Promise.all([
    inPagesOf(12),
    inPagesOf(20),
    page(1, 0),
    page(pageCount + 1, LARGEST_PAGE),
    page(Math.max(pageCount, 1), LARGEST_PAGE),
    pageCount <= MAX_PAGES
      ? Promise.all(Array.from({ length: pageCount }, (_, index) => page(index + 1, LARGEST_PAGE)))
      : undefined,
  ])
  const reference = first.entries.map(identify).slice(0, Math.min(ROWS, total))
  const rows = everything?.flatMap(({ entries }) => entries.map(identify))
  const checks: [holds: boolean, violation: string][] = [
    [first.total !== undefined, 'says no total'],
    [String(small) === String(reference), 'in pages of 12 is another sequence than in pages of 100'],
    [String(middle) === String(reference), 'in pages of 20 is another sequence than in pages of 100'],
    [none.entries.length === 0, 'has entries with pageSize=0'],
    [none.total === first.total && past.total === first.total, 'says another total on another page'],
    [past.entries.length === 0, 'has entries beyond its total'],
    [
      last.entries.length === total - LARGEST_PAGE * (Math.max(pageCount, 1) - 1),
      'has another end than its total says',
    ],
    [rows === undefined || rows.length === total, 'has another number of entries than its total says'],
    [rows === undefined || new Set(rows).size === rows.length, 'shows an entry twice'],
  ]
  return checks.filter(([holds]) => !holds).map(([, violation]) => `${path} ${violation}`)
}

/** A filter leaves what it is about, two leave less than one, and it does not matter how one is written. */
export async function findFilterViolations(http: HttpClient): Promise<string[]> {
  const read = (query: string) => readPage(http, campaigns, query)
  const [all, unfiltered, active] = await Promise.all([
    read('pageSize=100'),
    read('pageSize=100&tokenWhitelist=false'),
    read('pageSize=100&showActiveOnly=true'),
  ])
  const some = all.entries[0]
  const totalOf = (page: { total: number | undefined }) => page.total ?? 0
  const checks: [holds: boolean, violation: string][] = [
    [totalOf(active) <= totalOf(all), 'showActiveOnly=true returns more than without it'],
    [active.entries.every(({ isActive }) => isActive), 'showActiveOnly=true returns inactive campaigns'],
    [totalOf(all) <= totalOf(unfiltered), 'tokenWhitelist=true returns more than tokenWhitelist=false'],
  ]
  if (some !== undefined) {
    const [ofOwner, ofChain, ofBoth, inOtherCase] = await Promise.all([
      read(`pageSize=100&owner=${some.owner}`),
      read(`pageSize=100&chainId=${some.chainId}`),
      read(`pageSize=100&owner=${some.owner}&chainId=${some.chainId}`),
      read(`pageSize=100&owner=0x${some.owner.slice(2).toUpperCase()}`),
    ])
    checks.push(
      [ofOwner.entries.every(({ owner }) => owner === some.owner), 'owner returns campaigns of other owners'],
      [ofChain.entries.every(({ chainId }) => chainId === some.chainId), 'chainId returns campaigns of other chains'],
      [
        ofOwner.total !== 0 && ofChain.total !== 0 && ofBoth.total !== 0,
        'a campaign is not found by its own owner or chain',
      ],
      [totalOf(ofBoth) <= Math.min(totalOf(ofOwner), totalOf(ofChain)), 'two filters return more than one of them'],
      [JSON.stringify(inOtherCase) === JSON.stringify(ofOwner), 'the case of owner matters'],
    )
  }
  const facets = (await findFacetViolations(http)).map((violation): [boolean, string] => [false, violation])
  return [...checks, ...facets].filter(([holds]) => !holds).map(([, violation]) => `/campaigns: ${violation}`)
}
