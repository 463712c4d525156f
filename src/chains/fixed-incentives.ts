import type { AbiEvent, Hex } from 'viem'
import { type DecodeEventLogReturnType, toEventSelector } from 'viem/utils'
import type { Incentive } from '../schemas/incentives.ts'
import type { criteriaSetUpEvents, plainSetUpEvents, scaledCriteriaSetUpEvents } from './event-declarations.ts'

/** What of an incentive changes with what happens to it; the rest is fixed. */
type Figure = 'limit' | 'claimedAmount' | 'totalAmountClaimed' | 'totalClaims' | 'remainingBalance'
type WithoutFigures<Variant> = Variant extends Incentive
  ? Omit<Variant, Figure | 'metadata' | 'rebatePercentage'>
  : never

/** An incentive as it was set up, in the fields of the API. */
export type FixedIncentive = WithoutFigures<Incentive>

/** Lower-case, as all addresses are compared and stored. */
export const toAddress = (address: string) => address.toLowerCase() as Hex

export const zeroAddress: Hex = `0x${'0'.repeat(40)}`

export interface RawCriteria {
  criteriaType: number
  signature: Hex
  fieldIndex: number
  targetContract: Hex
}

const isZeroOrOne = (value: number): value is 0 | 1 => value === 0 || value === 1

/** Undefined where the type is none that is known. */
export function toCriteria({ criteriaType, signature, fieldIndex, targetContract }: RawCriteria) {
  if (!isZeroOrOne(criteriaType)) return undefined
  return { criteriaType, signature, fieldIndex, targetContract: toAddress(targetContract) }
}

/** Undefined where the type or the scale is none that is known. */
export function toScaledCriteria({ valueType, ...raw }: RawCriteria & { valueType: number }) {
  const criteria = toCriteria(raw)
  return criteria !== undefined && isZeroOrOne(valueType) ? { ...criteria, valueType } : undefined
}

/** An incentive whose set-up needs no criteria. */
export function toPlainIncentive({
  eventName,
  args,
}: DecodeEventLogReturnType<typeof plainSetUpEvents>): FixedIncentive {
  switch (eventName) {
    case 'ERC20IncentiveInitialized':
      return {
        type: 'ERC20Incentive',
        asset: toAddress(args.asset),
        strategy: args.strategy,
        reward: String(args.reward),
      }
    case 'ERC20VariableIncentiveInitialized':
      return { type: 'ERC20VariableIncentive', asset: toAddress(args.asset), reward: String(args.reward) }
    case 'ERC20PeggedIncentiveInitialized':
      return {
        type: 'ERC20PeggedIncentive',
        asset: toAddress(args.asset),
        peg: toAddress(args.peg),
        reward: String(args.reward),
      }
    case 'CGDAIncentiveInitialized':
      return {
        type: 'CGDAIncentive',
        asset: toAddress(args.asset),
        initialReward: String(args.initialReward),
        rewardDecay: String(args.rewardDecay),
        rewardBoost: String(args.rewardBoost),
        totalBudget: String(args.totalBudget),
      }
    case 'PointsIncentiveInitialized':
      return {
        type: 'PointsIncentive',
        venue: toAddress(args.venue),
        selector: args.selector,
        reward: String(args.reward),
      }
  }
}

/** An incentive whose reward is computed from the action; undefined where its criteria are none that are known. */
export function toCriteriaIncentive({
  args,
}: DecodeEventLogReturnType<typeof criteriaSetUpEvents>): FixedIncentive | undefined {
  const criteria = toCriteria(args.criteria)
  if (criteria === undefined) return undefined
  const fields = { ...toCriteriaFields(args), criteria }
  return 'peg' in args
    ? { type: 'ERC20PeggedVariableCriteriaIncentive', peg: toAddress(args.peg), ...fields }
    : { type: 'ERC20VariableCriteriaIncentive', ...fields }
}

/** The same of the second form, whose criteria know the scale of the value. */
export function toScaledCriteriaIncentive({
  args,
}: DecodeEventLogReturnType<typeof scaledCriteriaSetUpEvents>): FixedIncentive | undefined {
  const criteria = toScaledCriteria(args.criteria)
  if (criteria === undefined) return undefined
  const fields = { ...toCriteriaFields(args), criteria }
  return 'peg' in args
    ? { type: 'ERC20PeggedVariableCriteriaIncentiveV2', peg: toAddress(args.peg), ...fields }
    : { type: 'ERC20VariableCriteriaIncentiveV2', ...fields }
}

const toCriteriaFields = (args: { asset: Hex; reward: bigint; maxReward: bigint }) => ({
  asset: toAddress(args.asset),
  reward: String(args.reward),
  maxReward: String(args.maxReward),
})

/** The first topics of events. */
export const topicsOf = (events: readonly AbiEvent[]) => events.map((event) => toEventSelector(event))
