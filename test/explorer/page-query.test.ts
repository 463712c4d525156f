import { expect, test } from 'vitest'
import { numberOf, pageOf, withQuery } from '../../packages/explorer/src/navigation/page-query.ts'

test('the address of a page changes by what changes', () => {
  const url = '/explorer/contracts?sortBy=total-spend&page=3'
  expect(withQuery(url, { page: undefined, timeRange: '7d' })).toBe(
    '/explorer/contracts?sortBy=total-spend&timeRange=7d',
  )
  expect(withQuery(url, { sortBy: '', page: undefined })).toBe('/explorer/contracts')
  expect(withQuery('/explorer/contracts', { chainIds: '8453,10' })).toBe('/explorer/contracts?chainIds=8453,10')
  expect(withQuery('/', { creator: 'a&b=c' })).toBe('/?creator=a%26b%3Dc')
})

test.each([
  [undefined, 1],
  ['7', 7],
  ['0', 1],
  ['007', 7],
  ['99999999999', 99_999_999_999],
  ['-1', 1],
  ['x', 1],
  ['1e3', 1],
])('the page that %j names is %d', (named, page) => {
  expect(pageOf(named)).toBe(page)
})

test.each([
  ['8453', 8453],
  ['0', 0],
  ['1e3', '1e3'],
  ['08', '08'],
  ['9007199254740993', '9007199254740993'],
  ['base', 'base'],
  ['', ''],
])('the number %s is asked as %s', (written, asked) => {
  expect(numberOf(written)).toBe(asked)
})
