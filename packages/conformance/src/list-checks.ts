import type { HttpClient } from './http-client.ts'
import { campaigns, contracts, type Listing, readPage } from './listings.ts'

/** Rows that are read in pages of two sizes. */
const ROWS = 60
const LARGEST_PAGE = 100
/** Up to so many pages, a list is read to its end. */
const MAX_PAGES = 5

/** Pages are parts of one sequence, whatever their size, and the total is how long it is. */
export async function findPagingViolations(http: HttpClient): Promise<string[]> {
  const found = await Promise.all([violationsIn(http, campaigns), violationsIn(http, contracts)])
  return found.flat()
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
  const checks: [isKept: boolean, violation: string][] = [
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
  return checks.filter(([isKept]) => !isKept).map(([, violation]) => `${path} ${violation}`)
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
  const checks: [isKept: boolean, violation: string][] = [
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
  return checks.filter(([isKept]) => !isKept).map(([, violation]) => `/campaigns: ${violation}`)
}
