import { decodeFunctionData, encodeAbiParameters, type Hex, parseAbi, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { isClaimPayload, toClaimTransaction } from '../../src/schemas/payloads/encode-claim-transaction.ts'
import { recordedClaims } from '../indexer/recording/recorded-claims.ts'

const core = '0xea11a7937809b8585e63b12cc86bf91a72a5b08a'
const claimant = `0x${'c1'.repeat(20)}` as const
const referrer = `0x${'4e'.repeat(20)}` as const
const signer = `0x${'51'.repeat(20)}` as const
const signature = `0x${'ab'.repeat(65)}` as const

const claimFunction = parseAbi([
  'function claimIncentiveFor(uint256 boostId, uint256 incentiveId, address referrer, bytes data, address claimant) payable',
])
const bytes = <Name extends string>(name: Name) => ({ name, type: 'bytes' }) as const
const signed = {
  type: 'tuple',
  components: [{ name: 'signer', type: 'address' }, bytes('signature'), { name: 'quantity', type: 'uint8' }],
} as const
const parts = [bytes('validatorData'), bytes('incentiveData')] as const

const validatorData = encodeAbiParameters([signed], [{ signer, signature, quantity: 2 }])
const incentiveData = `0x${'00'.repeat(32)}` as const
const first = encodeAbiParameters([{ type: 'tuple', components: parts }], [{ validatorData, incentiveData }])
const second = encodeAbiParameters(
  [{ type: 'tuple', components: [...parts, { name: 'referrer', type: 'address' }] }],
  [{ validatorData, incentiveData, referrer }],
)

describe('a recorded signature', () => {
  test('is the whole payload in both forms, in any case', () => {
    expect([first, second].map((payload) => (payload.length - 2) / 2)).toEqual([448, 480])
    for (const payload of [first, second, second.toUpperCase().replace('0X', '0x')]) {
      expect(isClaimPayload(payload)).toBe(true)
    }
  })

  test.each([
    ['a signature alone', signature],
    ['no hexadecimal digits', 'signed'],
    ['no prefix', first.slice(2)],
    ['half a byte too few', first.slice(0, -1)],
    ['a payload that is cut off', first.slice(0, 2 + 2 * 300)],
    ['only the beginning of one', first.slice(0, 2 + 2 * 64)],
    ['nothing', '0x'],
    ['one more word in front', `0x${'0'.repeat(62)}20${first.slice(2)}`],
    ['a third form', second.replace(/^(0x.{64}.{62})60/, '$180')],
    ['an offset beyond its end', first.replace(/^(0x.{128}.{60})..../, '$1ffff')],
    [
      'another first part',
      encodeAbiParameters([{ type: 'tuple', components: parts }], [{ validatorData: signature, incentiveData }]),
    ],
  ])('is none where it is %s', (_, payload) => {
    expect(isClaimPayload(payload)).toBe(false)
    const claim = { campaignId: `8453:${core}:7`, incentiveIndex: 0, claimant, referrer, signature: payload }
    expect(toClaimTransaction(claim)).toBeUndefined()
  })
})

test('the call names the campaign, the incentive, the referrer, the payload and the claimant, and has no value', () => {
  const boostId = 2n ** 256n - 1n
  const transaction = toClaimTransaction({
    campaignId: `8453:${core}:${boostId}`,
    incentiveIndex: 3,
    claimant,
    referrer,
    signature: second,
  })
  expect(transaction).toEqual({ to: core, data: expect.stringMatching(/^0x730f9c57[0-9a-f]+$/) })
  expect(toFunctionSelector(claimFunction[0])).toBe('0x730f9c57')
  const { args } = decodeFunctionData({ abi: claimFunction, data: (transaction?.data ?? '0x') as Hex })
  const lower = args.map((value) => (typeof value === 'string' ? value.toLowerCase() : value))
  expect(lower).toEqual([boostId, 3n, referrer, second, claimant])
})

test('what was sent for the recorded claims is a payload, which the call hands on as it is', () => {
  expect(recordedClaims).toHaveLength(18)
  for (const claim of recordedClaims) {
    const transaction = toClaimTransaction(claim)
    const { args } = decodeFunctionData({ abi: claimFunction, data: (transaction?.data ?? '0x') as Hex })
    expect([args[0], args[3]]).toEqual([BigInt(claim.campaignId.split(':')[2] ?? ''), claim.signature])
  }
})
