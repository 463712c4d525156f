import type { Hex } from 'viem'
import type { CampaignRecord } from '../../../../ingest/campaign-records.ts'
import type { Incentive } from '../../../../schemas/campaigns/incentives.ts'
import type { LogReaders } from '../../chain-logs.ts'
import type { ContractReader } from '../../contracts/contract-reader.ts'

/** The part of an incentive that changes with its use; the rest is fixed. */
type StateField = 'limit' | 'claimedAmount' | 'totalAmountClaimed' | 'totalClaims' | 'remainingBalance'
type WithoutState<Variant> = Variant extends Incentive
  ? Omit<Variant, StateField | 'metadata' | 'rebatePercentage'>
  : never

/** An incentive as it was set up, in the fields of the API. */
export type FixedIncentive = WithoutState<Incentive>

type IncentiveType = FixedIncentive['type']

/** The fixed facts of an incentive of one of these types. */
export type FixedOf<Type extends IncentiveType> = Extract<FixedIncentive, { type: Type }>

/** An incentive as of a block. */
interface IncentiveReading {
  record: CampaignRecord['incentives'][number]
  /** Whether it does not return its limit, as all of its kind do. */
  lacksLimit: boolean
}

/** A kind of incentives: its setup events, and what its contracts return. */
interface IncentiveKind<Type extends IncentiveType> {
  types: readonly Type[]
  /** Null if an event has unknown values. */
  setUps: LogReaders<FixedOf<Type> | null>
  /**
   * The incentive at a contract without a known setup event.
   * @param atCreation the contracts as of the block that created it; absent if that block is unknown.
   * @returns undefined if the contract is of another kind; null if it is of this kind, and a part of it no longer exists.
   */
  readFixed(
    reader: ContractReader,
    contract: Hex,
    atCreation: (() => ContractReader) | undefined,
  ): Promise<FixedOf<Type> | null | undefined>
  readState(reader: ContractReader, contract: Hex, fixed: FixedOf<Type>): Promise<IncentiveReading>
}

/** The same for all kinds alike. */
export interface IncentiveComponent extends Pick<IncentiveKind<IncentiveType>, 'types' | 'setUps' | 'readFixed'> {
  /** Undefined if the incentive is of another kind. */
  readState(reader: ContractReader, contract: Hex, fixed: FixedIncentive): Promise<IncentiveReading> | undefined
}

/** A component that reads incentives of some types. */
export function incentiveComponent<Type extends IncentiveType>(kind: IncentiveKind<Type>): IncentiveComponent {
  const isOfKind = (fixed: FixedIncentive): fixed is FixedOf<Type> => kind.types.some((type) => type === fixed.type)
  return {
    types: kind.types,
    setUps: kind.setUps,
    readFixed: kind.readFixed,
    readState: (reader, contract, fixed) => (isOfKind(fixed) ? kind.readState(reader, contract, fixed) : undefined),
  }
}
