import type { Hex } from 'viem'
import type { ContractReader } from '../contracts/contract-reader.ts'
import type { BoostOrigin } from './campaign-origins.ts'

/* What payable validators take for a claim. Clones read it at their base implementation, which reports each change. */

/** A log that says that a fee was changed. */
export interface FeeChange {
  contract: Hex
  blockNumber: number
}

/** The deployed base implementations of payable validators, of both families of the contracts. */
const baseImplementations: readonly Hex[] = [
  '0x221c2d5cfe96a53ed6eb70ed11dd23213f117b12',
  '0xa757f0c09861f81056f241b5659bddfaabc9a89b',
  '0xcc61336ef129b8bda6b256eb3f7043a68d8d35ed',
  '0x4bbd3597934099db216e0aa69378e9cfd09da10b',
]

type Validated = Pick<BoostOrigin, 'validator' | 'validatorKind'>

const takesFee = ({ validatorKind }: Validated) => validatorKind?.startsWith('Payable') === true

/**
 * The contracts whose logs say that the fee of a campaign was changed; none if its validator takes no fee. Which base a
 * clone has is not known: a log of any has the fee read again, so that one of another base changes nothing.
 */
export const feeContractsOf = (origin: Validated): readonly Hex[] =>
  takesFee(origin) ? [origin.validator, ...baseImplementations] : []

/** The campaigns whose fee may have changed, and the blocks in which. */
export const affectedByFees = (origins: readonly BoostOrigin[], changes: readonly FeeChange[]) =>
  changes.flatMap(({ contract, blockNumber }) =>
    origins
      .filter((origin) => origin.blockNumber <= blockNumber && feeContractsOf(origin).includes(contract))
      .map(({ id }) => ({ campaignId: id, blockNumber })),
  )

/** The fee as of the block of the reader, in wei; null if the validator takes none, or does not say. */
export async function readClaimFee(reader: ContractReader, origin: Validated): Promise<string | null> {
  const fee = takesFee(origin) ? await reader.read(origin.validator, 'getClaimFee') : undefined
  return fee === undefined ? null : String(fee)
}
