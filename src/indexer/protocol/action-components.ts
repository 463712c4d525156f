import type { Hex } from 'viem'
import type { ActionClaimant, ActionStep } from '../../schemas/campaigns/action-steps.ts'
import { toAddress } from './fixed-incentives.ts'

/** What has to be done for a campaign, and who then may claim. */
export interface Action {
  /** None where the action is not one of events; null where there are steps that cannot be told. */
  steps: ActionStep[] | null
  claimant: ActionClaimant | null
}

export interface RawStep {
  signature: Hex
  signatureType: number
  actionType: number
  targetContract: Hex
  chainId: bigint
  actionParameter: { filterType: number; fieldType: number; fieldIndex: number; filterData: Hex }
}

export interface RawClaimant {
  signatureType: number
  signature: Hex
  fieldIndex: number
  targetContract: Hex
  chainId: bigint
}

/** The longest value to compare with that an action step holds, in hexadecimal digits with its prefix. */
const MAX_FILTER_DATA = 65_536

/** As a chain numbers them. */
const signatureTypes = ['event', 'function'] as const

/** An action of events. Clients fill up its four steps by repeating one: what is equal is one step, at its first place. */
export function toAction(rawSteps: readonly RawStep[], rawClaimant: RawClaimant | undefined): Action {
  const steps = new Map<string, ActionStep>()
  const claimant = toActionClaimant(rawClaimant)
  for (const raw of rawSteps) {
    const step = toActionStep(raw)
    if (step === undefined) return { steps: null, claimant }
    const key = JSON.stringify(step)
    if (!steps.has(key)) steps.set(key, step)
  }
  return { steps: [...steps.values()], claimant }
}

/** What is done otherwise than by an event or a call that can be told has no steps. */
export const actionWithoutSteps: Action = { steps: [], claimant: null }

function toActionStep({ actionParameter, ...raw }: RawStep): ActionStep | undefined {
  const called = toCalled(raw)
  const { filterType, fieldType, fieldIndex, filterData } = actionParameter
  if (called === undefined || filterData.length > MAX_FILTER_DATA) return undefined
  return {
    ...called,
    actionType: raw.actionType,
    parameters: { filterType, fieldType, fieldIndex, filterData },
  }
}

function toActionClaimant(raw: RawClaimant | undefined): ActionClaimant | null {
  const called = raw === undefined ? undefined : toCalled(raw)
  if (raw === undefined || called === undefined) return null
  return { ...called, fieldIndex: raw.fieldIndex, targetContractName: '' }
}

/** What steps and claimants have in common. A chain knows no names. */
function toCalled(raw: { chainId: bigint; signature: Hex; signatureType: number; targetContract: Hex }) {
  const signatureType = signatureTypes[raw.signatureType]
  if (signatureType === undefined || raw.chainId > BigInt(Number.MAX_SAFE_INTEGER)) return undefined
  return {
    chainId: Number(raw.chainId),
    signature: raw.signature,
    signatureName: '',
    signatureType,
    targetContract: toAddress(raw.targetContract),
  }
}
