import { describe, expect, test } from 'vitest'
import { toEndpointError } from '../../../src/indexer/rpc/endpoint-errors.ts'
import { withoutPartsOf } from '../../../src/indexer/rpc/json-rpc.ts'

/** What nodes and providers say, in forms that were seen in the field, and what it means. */
describe('a refused search of logs', () => {
  test.each([
    ['specify less number of addresses', 'too-many-addresses'],
    ['eth_getLogs is limited to 30 addresses', 'too-many-addresses'],
    ['exceed max addresses or topics per search position', 'too-many-addresses'],
    ['address list size should be less than 1000 addresses', 'too-many-addresses'],
    ['too many addresses in the filter, maximum is 10', 'too-many-addresses'],
    ['please specify an address in your request', 'needs-addresses'],
    ['an address is required', 'needs-addresses'],
    ['query exceeds max block range 50', 'other'],
    ['query returned more than 10000 results', 'other'],
    ['eth_getLogs range is too large, max is 1k blocks', 'other'],
  ])('for %j could change so: %s', (message, rejection) => {
    expect(toEndpointError({ code: -32602, message })).toMatchObject({ fault: 'refused', rejection })
  })

  test.each([
    [
      { code: 4444, message: 'pruned history unavailable' },
      /^has no logs before its history: use an archive endpoint or a later startBlock/,
    ],
    [{ code: -32000, message: 'history has been pruned for this block' }, /^has no logs before its history/],
    [{ code: -32000, message: 'specify less number of addresses' }, /^takes fewer addresses in a search of logs/],
    [{ code: -32005, message: 'upgrade your plan to search so many blocks' }, /^is limited by the plan of its account/],
    [
      { code: -32000, message: 'execution aborted (timeout = 5s)' },
      /^JSON-RPC error -32000: execution aborted \(timeout = 5s\)$/,
    ],
  ])('%j is told by its cause', (error, sentence) => {
    expect(toEndpointError(error).message).toMatch(sentence)
  })

  test('what a node says is told without what may be secret', () => {
    const url = 'https://user:pass-word@node.example:8545/v2/short-key?token=a%20b'
    const said = [
      'no access to https://other.example/path for short-key of user with pass-word and a b,',
      'see node.example:8545, 0xabcdef12, deadbeefdeadbeef or AbCdEfGhIjKlMnOpQrStUvWx',
    ].join(' ')
    const { message } = toEndpointError({ code: -32000, message: withoutPartsOf(url)(said) })
    for (const secret of [
      'other.example',
      'short-key',
      'pass-word',
      'a b',
      'node.example',
      '8545',
      'abcdef12',
      'deadbeef',
      'AbCdEf',
    ]) {
      expect(message).not.toContain(secret)
    }
    expect(message).toContain('no access to')
    expect(message.length).toBeLessThan(250)
  })
})
