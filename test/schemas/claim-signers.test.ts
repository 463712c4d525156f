import { type Address, decodeAbiParameters, encodeAbiParameters, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { isWronglySigned, type ValidatorKind } from '../../src/schemas/payloads/claim-signers.ts'
import { recordedClaims } from '../indexer/recording/recorded-claims.ts'

const bytes = <Name extends string>(name: Name) => ({ name, type: 'bytes' }) as const
const address = <Name extends string>(name: Name) => ({ name, type: 'address' }) as const
const signedParameters = [
  {
    type: 'tuple',
    components: [address('signer'), { name: 'signature', type: 'bytes' }, { name: 'quantity', type: 'uint8' }],
  },
] as const
const parts = [
  { name: 'validatorData', type: 'bytes' },
  { name: 'incentiveData', type: 'bytes' },
] as const
const first = [{ type: 'tuple', components: parts }] as const
const second = [{ type: 'tuple', components: [...parts, { name: 'referrer', type: 'address' }] }] as const

/** What a payload says, so that one part of it can be another. */
interface Payload {
  signer: Address
  signature: Hex
  quantity: number
  incentiveData: Hex
  /** Of the second form only. */
  referrer?: Address
}

function encode({ incentiveData, referrer, ...signed }: Payload): Hex {
  const validatorData = encodeAbiParameters(signedParameters, [signed])
  return referrer === undefined
    ? encodeAbiParameters(first, [{ validatorData, incentiveData }])
    : encodeAbiParameters(second, [{ validatorData, incentiveData, referrer }])
}

function decode(payload: Hex): Payload & { referrer: Address } {
  const [{ validatorData, incentiveData, referrer }] = decodeAbiParameters(second, payload)
  const [signed] = decodeAbiParameters(signedParameters, validatorData)
  // With another bit, the checksum of an address in mixed case would be wrong.
  const lower = (text: Address) => text.toLowerCase() as Address
  return { ...signed, signer: lower(signed.signer), incentiveData, referrer: lower(referrer) }
}

function withBit(digits: Hex, bit: number): Hex {
  const at = 2 + 2 * Math.floor(bit / 8)
  const changed = Number.parseInt(digits.slice(at, at + 2), 16) ^ (1 << (bit % 8))
  return `0x${digits.slice(2, at)}${changed.toString(16).padStart(2, '0')}${digits.slice(at + 2)}`
}

const validatorKind = 'SignerValidatorV2'

describe('of the recorded claims', () => {
  test('each is signed by the signer that its payload names', async () => {
    expect(recordedClaims).toHaveLength(18)
    const wrong = await Promise.all(recordedClaims.map((claim) => isWronglySigned({ ...claim, validatorKind })))
    expect(wrong).toEqual(recordedClaims.map(() => false))
  })

  test('none is, with a bit of any part changed', async () => {
    for (const [place, claim] of recordedClaims.entries()) {
      const payload = decode(claim.signature)
      const bit = (37 * place) % 160
      const changed = {
        ...{ r: { ...payload, signature: withBit(payload.signature, bit) } },
        ...{ s: { ...payload, signature: withBit(payload.signature, 256 + bit) } },
        ...{ v: { ...payload, signature: withBit(payload.signature, 512 + (place % 8)) } },
        ...{ signer: { ...payload, signer: withBit(payload.signer, bit) as Address } },
        ...{ quantity: { ...payload, quantity: payload.quantity ^ (1 << (place % 8)) } },
        ...{ amount: { ...payload, incentiveData: withBit(payload.incentiveData, bit) } },
        ...{ referrer: { ...payload, referrer: withBit(payload.referrer, bit) as Address } },
      }
      for (const [part, other] of Object.entries(changed)) {
        const signature = encode(other)
        expect(await isWronglySigned({ ...claim, validatorKind, signature }), `${part} of claim ${place}`).toBe(true)
      }
      expect(encode(payload), 'as it was').toBe(claim.signature)
    }
  })

  test('none is, with any bit of its signature changed', async () => {
    const [claim] = recordedClaims
    const payload = decode(claim?.signature ?? '0x')
    const passed: number[] = []
    for (let bit = 0; bit < 65 * 8; bit += 1) {
      const signature = encode({ ...payload, signature: withBit(payload.signature, bit) })
      if (claim && !(await isWronglySigned({ ...claim, validatorKind, signature }))) passed.push(bit)
    }
    expect(passed).toEqual([])
  })

  test.each<[string, { campaignId?: string; claimant?: string; validator?: string; validatorKind?: ValidatorKind }]>([
    ['another campaign', { campaignId: `8453:0x${'0'.repeat(40)}:77` }],
    ['another chain', { campaignId: recordedClaims[0]?.campaignId.replace('8453:', '10:') ?? '' }],
    ['another claimant', { claimant: `0x${'c1'.repeat(20)}` }],
    ['another validator', { validator: `0x${'c1'.repeat(20)}` }],
    ['another kind of validator', { validatorKind: 'LimitedSignerValidatorV2' }],
    ['a validator of the first form', { validatorKind: 'SignerValidator' }],
  ])('none is for %s', async (_, other) => {
    const [claim] = recordedClaims
    expect(claim && (await isWronglySigned({ ...claim, validatorKind, ...other }))).toBe(true)
  })
})

describe('a claim', () => {
  const signer = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  const [claimant, validator, referrer] = [`0x${'c1'.repeat(20)}`, `0x${'5a'.repeat(20)}`, `0x${'4e'.repeat(20)}`] as [
    Address,
    Address,
    Address,
  ]
  const incentiveData: Hex = `0x${'00'.repeat(31)}07`
  const boostId = 2n ** 256n - 1n
  const claim = { campaignId: `10:0x${'ab'.repeat(20)}:${boostId}`, claimant, validator }

  /** Signed for a kind of validator, and sent in one of the two forms. */
  async function signedFor(kind: ValidatorKind, isSentInSecondForm: boolean) {
    const isSecond = kind.endsWith('V2')
    const signature = await signer.signTypedData({
      domain: { name: kind, version: '1', chainId: 10, verifyingContract: validator },
      types: {
        SignerValidatorData: [
          { name: 'boostId', type: 'uint256' },
          { name: 'incentiveQuantity', type: 'uint8' },
          address('claimant'),
          bytes('incentiveData'),
          ...(isSecond ? [address('referrer')] : []),
        ],
      },
      primaryType: 'SignerValidatorData',
      message: { boostId, incentiveQuantity: 1, claimant, incentiveData, referrer },
    })
    const payload = { signer: signer.address, signature, quantity: 1, incentiveData }
    return encode(isSentInSecondForm ? { ...payload, referrer } : payload)
  }

  test.each<ValidatorKind>([
    ...(['SignerValidator', 'LimitedSignerValidator', 'PayableLimitedSignerValidator'] as const),
    ...(['SignerValidatorV2', 'LimitedSignerValidatorV2', 'PayableLimitedSignerValidatorV2'] as const),
  ])('that is signed for a %s is refused by all others', async (kind) => {
    const signature = await signedFor(kind, true)
    const others: ValidatorKind[] = ['SignerValidator', 'LimitedSignerValidatorV2', 'PayableLimitedSignerValidator']
    expect(await isWronglySigned({ ...claim, validatorKind: kind, signature })).toBe(false)
    for (const other of others.filter((other) => other !== kind)) {
      expect(await isWronglySigned({ ...claim, validatorKind: other, signature }), other).toBe(true)
    }
  })

  test('may lack a referrer only where the validator does not sign it', async () => {
    const [one, other] = await Promise.all([signedFor('SignerValidator', false), signedFor('SignerValidatorV2', false)])
    expect(await isWronglySigned({ ...claim, validatorKind: 'SignerValidator', signature: one })).toBe(false)
    expect(await isWronglySigned({ ...claim, validatorKind: 'SignerValidatorV2', signature: other })).toBe(true)
  })

  test('is not judged without its whole payload', async () => {
    for (const signature of ['0xab', `0x${'ab'.repeat(65)}`, 'signed']) {
      expect(await isWronglySigned({ ...claim, validatorKind, signature })).toBe(false)
    }
  })

  test.each([
    ['nothing', '0x'],
    ['64 bytes', `0x${'ab'.repeat(64)}`],
    ['no point of the curve', `0x${'ff'.repeat(64)}1b`],
    ['zeros', `0x${'00'.repeat(64)}1c`],
  ] as const)('whose signature is %s is refused', async (_, inner) => {
    const signature = encode({ signer: signer.address, signature: inner, quantity: 1, incentiveData, referrer })
    expect(await isWronglySigned({ ...claim, validatorKind, signature })).toBe(true)
  })
})
