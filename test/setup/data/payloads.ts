import type { Hex } from 'viem'
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem/utils'

/** The whole data of a claim, in the first form, with the amount that is signed. The signature itself is none. */
export function aPayload(amount: bigint, { quantity = 1, signer = `0x${'1'.repeat(40)}` as Hex } = {}) {
  const validatorData = encodeAbiParameters(
    parseAbiParameters(['Signed signed', 'struct Signed { address signer; bytes signature; uint8 quantity; }']),
    [{ signer, signature: `0x${'2'.repeat(130)}`, quantity }],
  )
  return encodeAbiParameters(
    parseAbiParameters(['Payload payload', 'struct Payload { bytes validatorData; bytes incentiveData; }']),
    [{ validatorData, incentiveData: encodeAbiParameters([{ type: 'uint256' }], [amount]) }],
  )
}

/** The amount in such data; undefined in anything else. */
export function signedIn(payload: string | undefined) {
  const words = /^0x0{62}20/.test(payload ?? '') ? payload?.slice(2).match(/.{64}/g) : undefined
  const [, , offset] = words ?? []
  const amount = offset && words?.[2 + Number(`0x${offset}`) / 32]
  return amount ? BigInt(`0x${amount}`) : undefined
}

const claimFunction = parseAbi([
  'function claimIncentiveFor(uint256 boostId, uint256 incentiveId, address referrer, bytes data, address claimant) payable',
])

const proofFunction = parseAbi(['function claim(uint256 id, address user, uint256 cumulativeAmount, bytes32[] proof)'])

/** The call that claims by a proof. */
export function proofCall(campaignId: string, claimant: string, of: { cumulativeAmount: string; proof: string[] }) {
  const [, to = '', id = ''] = campaignId.split(':')
  const args = [BigInt(id), claimant as Hex, BigInt(of.cumulativeAmount), of.proof as Hex[]] as const
  return { to, data: encodeFunctionData({ abi: proofFunction, args }).toLowerCase() }
}

/** The call that claims with such data. */
export function claimCall(
  campaignId: string,
  incentiveIndex: number,
  claimant: string,
  referrer: string,
  data: string,
) {
  const [, to = '', boostId = ''] = campaignId.split(':')
  const args = [BigInt(boostId), BigInt(incentiveIndex), referrer as Hex, data as Hex, claimant as Hex] as const
  return { to, data: encodeFunctionData({ abi: claimFunction, args }) }
}

const multicall = parseAbi([
  'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(Call[] calls) payable',
])

/** The call that makes all of these, each of which may fail. */
export function callOfAll(calls: readonly { to: string; data: string; value?: string }[]) {
  const args = calls.map(({ to, data, value = '0' }) => ({
    ...{ target: to as Hex, allowFailure: true, value: BigInt(value), callData: data as Hex },
  }))
  return {
    to: '0xca11bde05977b3631167028862be2a173976ca11',
    data: encodeFunctionData({ abi: multicall, args: [args] }),
    value: String(args.reduce((total, { value }) => total + value, 0n)),
  }
}
