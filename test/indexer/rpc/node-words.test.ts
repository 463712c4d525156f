import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWordsFilter } from '../../../src/indexer/rpc/node-words.ts'
import { repeated } from '../../setup/repetitions.ts'

const show = createWordsFilter('https://me:hunter2@node.example:8443/v2/my-key/base?auth=pass%20word#x')

describe('what a node says is shown without', () => {
  test.each([
    ['see https://node.example/v2/KEY?x=y for more', 'see … for more'],
    ['visit www.provider.io/pricing, or mail help@provider.io', 'visit … or mail …'],
    ['upstream 10.0.0.12:8545 and [2001:db8::1]:8545 and localhost:3000 failed', 'upstream … and …:8545 and … failed'],
    ['no contract at 0xAbCdef12 in block 0xff', 'no contract at … in block …'],
    ['hash deadbeefcafe or 1234abcd5678', 'hash … or …'],
    ['app b7Kq9xT2mP4wLz81 is over its limit', 'app … is over its limit'],
    ['app AbCdEfGhIjKl is over its limit', 'app … is over its limit'],
    ['app 6f1c2d3e-1111-4a2b-9c3d-0123456789ab is over', 'app … is over'],
    ['api_key=short and token: tiny', 'api_key=… and token: …'],
    ['Authorization: Bearer abc', 'Authorization: …'],
    ['user me, password hunter2, key my-key, pass word', 'user me, password …, key …, …'],
    ['bad credentials bWU6aHVudGVyMg==', 'bad credentials …'],
    ['at node.example, port 8443 is :8443', 'at …, port 8443 is …'],
    ['line one\nline two\u001b[31m red\u2028 end', 'line one line two [31m red end'],
    ['time 1764249600000000', 'time …'],
  ])('%j', (words, shown) => {
    expect(show(words)).toBe(shown)
  })
})

test.each([
  'query exceeds max block range 100000',
  'Please, specify less number of addresses',
  'pruned history unavailable',
  'Your app has exceeded its compute units per second capacity.',
  'eth_getTransactionReceipt is not available',
  'seek with a number below 1962853355',
  'query returned more than 10000 results. Try with this block range',
  'logs matched by query exceeds limit of 10000',
])('what has no secret is shown as it is: %s', (words) => {
  expect(show(words)).toBe(words)
})

test('it is short, and its making is quick, however long the words are', () => {
  const start = performance.now()
  for (const piece of ['a.', 'a-', 'aB', 'key=', '0x', ':', 'a@', '//', 'a1 ']) show(piece.repeat(200_000))
  expect(performance.now() - start).toBeLessThan(1000)
  expect(show('word '.repeat(1000)).length).toBeLessThanOrEqual(200)
})

const hexadecimal = fc.stringMatching(/^[0-9a-f]{32,64}$/)
const key = fc.stringMatching(/^[A-Za-z0-9_-]{16,48}$/)

test('no key is in it, wherever it stands, of an endpoint or of another one', () => {
  const around = fc.constantFrom(' ', ': ', '="', '/', '(', ',', '?key=')
  const property = fc.property(
    fc.oneof(hexadecimal, key),
    around,
    around,
    fc.boolean(),
    (secret, before, after, isOwn) => {
      const filter = createWordsFilter(isOwn ? `https://node.example/v2/${secret}` : 'https://node.example/')
      expect(filter(`no access${before}${secret}${after} today`)).not.toContain(secret)
    },
  )
  fc.assert(property, { numRuns: repeated(200, 2000) })
})

test('no part of the URL of an endpoint is in it', () => {
  const part = fc.stringMatching(/^[a-z]{4,12}$/)
  const property = fc.property(part, part, part, part, (user, password, path, query) => {
    const filter = createWordsFilter(`https://${user}:${password}@host.example/rpc/${path}?k=${query}`)
    for (const secret of [user, password, path, query]) expect(filter(`what is ${secret}?`)).toBe('what is …?')
  })
  fc.assert(property, { numRuns: repeated(100, 1000) })
})
