import type { ActionClaimant, ActionStep } from '../../schemas/campaigns/actions.ts'
import type { ReadResult } from './contracts/contract-reader.ts'
import { toAddress } from './fixed-incentives.ts'

/** The action of a campaign, and who may claim after it. */
export interface Action {
  /** None if the action is not one of events; null if there are steps of unknown form. */
  steps: ActionStep[] | null
  claimant: ActionClaimant | null
}

type RawStep = ReadResult<'getActionSteps'>[number]
type RawClaimant = ReadResult<'getActionClaimant'>

/** The longest value that an action step compares with, in hexadecimal digits with its prefix. */
const MAX_FILTER_DATA = 65_536

/** In the order of the contracts' numbers. */
const signatureTypes = ['event', 'function'] as const

/** An event action. Clients fill its four steps by repeating one: equal steps count once, at their first position. */
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

/** An action that is no event and no call of a known form has no steps. */
export const actionWithoutSteps: Action = { steps: [], claimant: null }

function toActionStep({ actionParameter: parameters, ...raw }: RawStep): ActionStep | undefined {
  const called = toCalled(raw)
  if (called === undefined || parameters.filterData.length > MAX_FILTER_DATA) return undefined
  return { ...called, actionType: raw.actionType, parameters }
}

function toActionClaimant(raw: RawClaimant | undefined): ActionClaimant | null {
  const called = raw === undefined ? undefined : toCalled(raw)
  if (raw === undefined || called === undefined) return null
  return { ...called, fieldIndex: raw.fieldIndex, targetContractName: '' }
}

/** The common part of steps and claimants. A chain has no names. */
function toCalled(raw: Pick<RawStep, 'chainId' | 'signature' | 'signatureType' | 'targetContract'>) {
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
