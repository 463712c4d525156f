import {
  decodeAbiParameters,
  encodeFunctionData,
  hexToBigInt,
  parseAbi,
  parseAbiParameters,
  size,
  slice,
} from 'viem/utils'

import type { ClaimProof } from './claim-proofs.ts'

type Hex = `0x${string}`

/*
 * A claim as a transaction of the incentive protocol. Loads viem's ABI coder: import it dynamically, when a transaction
 * is made.
 */

/** Anyone may send it. All generations of cores have this function. */
const claimFunction = parseAbi([
  'function claimIncentiveFor(uint256 boostId, uint256 incentiveId, address referrer, bytes data, address claimant) payable',
])

/** The two forms of a payload, by the second word: the offset of the first `bytes`. */
const payloadForms = {
  '40': parseAbiParameters(['Payload payload', 'struct Payload { bytes validatorData; bytes incentiveData; }']),
  '60': parseAbiParameters([
    'Payload payload',
    'struct Payload { bytes validatorData; bytes incentiveData; address referrer; }',
  ]),
}

/** The first part of a payload: who signed. */
export const validatorData = parseAbiParameters([
  'Signed signed',
  'struct Signed { address signer; bytes signature; uint8 incentiveQuantity; }',
])

const PAYLOAD = /^0x0{62}20(?:0{62}(40|60))(?:[0-9a-f]{2})*$/i

/** A transaction, with its value in wei; without one it has none. */
interface Call {
  to: string
  data: string
  value?: string
}

export interface SignedClaim {
  campaignId: string
  incentiveIndex: number
  claimant: string
  referrer: string
  /** As recorded: the whole payload, or less. */
  signature: string
  /** What the validator takes, in wei; absent if it takes nothing, or that is unknown. */
  fee?: string | undefined
}

/** The complete data of a claim; of the second form with a referrer. */
interface ClaimPayload {
  validatorData: Hex
  incentiveData: Hex
  referrer?: Hex
}

/** What a recorded signature says if it is the complete data of a claim; undefined if it is just a signature. */
export function decodePayload(signature: string): ClaimPayload | undefined {
  const form = PAYLOAD.exec(signature)?.[1]
  if (form !== '40' && form !== '60') return undefined
  try {
    const [payload] = decodeAbiParameters(payloadForms[form], signature as Hex)
    const [signed] = decodeAbiParameters(validatorData, payload.validatorData)
    return signed.incentiveQuantity <= 255 ? payload : undefined
  } catch {
    return undefined
  }
}

/** Whether a recorded signature is the complete data of a claim, and not just a signature. */
export const isClaimPayload = (signature: string) => decodePayload(signature) !== undefined

const WORD_BYTES = 32

/** The amount that was signed for a claim, as the contract reads it; undefined if the signature is not a complete payload. */
export function toSignedAmount(signature: string): bigint | undefined {
  const { incentiveData = '0x' } = decodePayload(signature) ?? {}
  return size(incentiveData) < WORD_BYTES ? undefined : hexToBigInt(slice(incentiveData, 0, WORD_BYTES))
}

/** The call that claims for a claimant; undefined if the signature is not a complete payload. */
export function toClaimTransaction({
  campaignId,
  incentiveIndex,
  claimant,
  referrer,
  signature,
  fee,
}: SignedClaim): Call | undefined {
  if (!isClaimPayload(signature)) return undefined
  const [, core = '', boostId = ''] = campaignId.split(':')
  const data = encodeFunctionData({
    abi: claimFunction,
    args: [BigInt(boostId), BigInt(incentiveIndex), referrer as Hex, signature.toLowerCase() as Hex, claimant as Hex],
  })
  return { to: core, data, ...(fee !== undefined && { value: fee }) }
}

const proofFunction = parseAbi([
  'function claim(uint256 campaignId, address user, uint256 cumulativeAmount, bytes32[] proof)',
])

/** The call that claims by a proof what is owed, of the manager that is in the campaign's ID. */
export function toProofTransaction(
  campaignId: string,
  claimant: string,
  { cumulativeAmount, proof }: ClaimProof,
): Call {
  const [, manager = '', identifier = ''] = campaignId.split(':')
  const data = encodeFunctionData({
    abi: proofFunction,
    args: [BigInt(identifier), claimant as Hex, BigInt(cumulativeAmount), proof as readonly Hex[]],
  })
  return { to: manager, data }
}

/** Multicall3, at the same address on all chains of the protocol. */
const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11'

const multicallFunction = parseAbi([
  'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(Call[] calls) payable returns ((bool success, bytes returnData)[] results)',
])

/** One transaction with several claims, each of which may fail without the others. Anyone may send it. */
export function toMulticall(calls: readonly Call[]) {
  const data = encodeFunctionData({
    abi: multicallFunction,
    args: [
      calls.map(({ to, data, value = '0' }) => ({
        ...{ target: to as Hex, allowFailure: true },
        ...{ value: BigInt(value), callData: data as Hex },
      })),
    ],
  })
  const value = calls.reduce((sum, call) => sum + BigInt(call.value ?? 0), 0n)
  return { to: MULTICALL, data, value: String(value) }
}
