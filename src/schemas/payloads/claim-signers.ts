import { decodeAbiParameters, hashTypedData, recoverAddress } from 'viem/utils'
import { decodePayload, validatorData } from './encode-claim-transaction.ts'

type Hex = `0x${string}`

/*
 * Whether a claim is signed by the signer that its payload names. Loads viem's cryptography: import it dynamically, when
 * a signature is checked.
 */

/** The kinds of validators of the incentive protocol: the names under which they sign. */
export type ValidatorKind = `${'' | 'Limited' | 'PayableLimited'}SignerValidator${'' | 'V2'}`

/** What a validator signs; those of the second form sign the referrer too. */
const firstForm = [
  { name: 'boostId', type: 'uint256' },
  { name: 'incentiveQuantity', type: 'uint8' },
  { name: 'claimant', type: 'address' },
  { name: 'incentiveData', type: 'bytes' },
] as const
const secondForm = [...firstForm, { name: 'referrer', type: 'address' }] as const

/** 65 bytes, of which contracts take the last as 27 or 28 only. */
const RECOVERABLE = /^0x[0-9a-f]{128}1[bc]$/i

/** A signature that is recorded for a claimant, and the validator that will check it. */
export interface RecordedClaim {
  campaignId: string
  claimant: string
  validator: string
  validatorKind: ValidatorKind
  signature: string
}

/** What was signed, as a digest; undefined if the payload lacks something that a validator of its kind checks. */
function digestOf({ campaignId, claimant, validator, validatorKind, signature }: RecordedClaim) {
  const payload = decodePayload(signature)
  if (payload === undefined) return undefined
  const [signed] = decodeAbiParameters(validatorData, payload.validatorData)
  const [chainId, , boostId = ''] = campaignId.split(':')
  const domain = {
    ...{ name: validatorKind, version: '1', chainId: Number(chainId) },
    verifyingContract: validator as Hex,
  }
  const { incentiveQuantity } = signed
  const { incentiveData, referrer } = payload
  const message = { boostId: BigInt(boostId), incentiveQuantity, claimant: claimant as Hex, incentiveData }
  const typed = { domain, primaryType: 'SignerValidatorData' as const }
  if (!validatorKind.endsWith('V2')) {
    return { signed, digest: hashTypedData({ ...typed, types: { SignerValidatorData: firstForm }, message }) }
  }
  if (referrer === undefined) return { signed, digest: undefined }
  const types = { SignerValidatorData: secondForm }
  return { signed, digest: hashTypedData({ ...typed, types, message: { ...message, referrer } }) }
}

/**
 * Whether the payload of a claim is not signed by the signer that it names: the validator refuses such a claim. False if
 * the recorded signature is no complete payload, of which nothing is known. Asks no node. Takes milliseconds.
 */
export async function isWronglySigned(claim: RecordedClaim): Promise<boolean> {
  const found = digestOf(claim)
  if (found === undefined) return false
  const { digest, signed } = found
  if (digest === undefined || !RECOVERABLE.test(signed.signature)) return true
  try {
    return (await recoverAddress({ hash: digest, signature: signed.signature })) !== signed.signer
  } catch {
    // No point of the curve.
    return true
  }
}
