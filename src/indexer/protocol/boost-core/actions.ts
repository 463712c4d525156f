import type { Hex } from 'viem'
import { type DecodeEventLogReturnType, parseAbi } from 'viem/utils'
import type { ActionClaimant, ActionStep } from '../../../schemas/campaigns/actions.ts'
import { type LogReaders, readersOf, toAddress } from '../chain-logs.ts'
import type { ContractReader, ReadResult } from '../contracts/contract-reader.ts'

const claimant =
  'struct Claimant { uint8 signatureType; bytes32 signature; uint32 fieldIndex; address targetContract; uint256 chainId; }'
const narrowClaimant =
  'struct Claimant { uint8 signatureType; bytes32 signature; uint8 fieldIndex; address targetContract; uint256 chainId; }'
const parameter = 'struct Parameter { uint8 filterType; uint8 fieldType; uint32 fieldIndex; bytes filterData; }'
const narrowParameter = 'struct Parameter { uint8 filterType; uint8 fieldType; uint8 fieldIndex; bytes filterData; }'
const actionEvent = [
  'struct Step { bytes32 signature; uint8 signatureType; uint8 actionType; address targetContract; uint256 chainId; Parameter actionParameter; }',
  'event EventActionInitialized(Claimant claimant, Step first, Step second, Step third, Step fourth)',
] as const

/** The setup of an event action. */
export const actionSetUpEvents = parseAbi([claimant, parameter, ...actionEvent])

/** The same while the claimant's field index was narrow. */
export const narrowClaimantSetUpEvents = parseAbi([narrowClaimant, parameter, ...actionEvent])

/** The same while all field indexes were narrow. */
export const narrowActionSetUpEvents = parseAbi([narrowClaimant, narrowParameter, ...actionEvent])

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
function toAction(rawSteps: readonly RawStep[], rawClaimant: RawClaimant | undefined): Action {
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

type SetUp = DecodeEventLogReturnType<typeof actionSetUpEvents>
const toSetUp = ({ args }: Pick<SetUp, 'args'>) =>
  toAction([args.first, args.second, args.third, args.fourth], args.claimant)

/** The setup events of all generations. */
export const actionSetUps: LogReaders<Action> = [
  ...readersOf(actionSetUpEvents, toSetUp),
  ...readersOf(narrowClaimantSetUpEvents, toSetUp),
  ...readersOf(narrowActionSetUpEvents, toSetUp),
]

/** Reads an action without a known setup event. One that is no event and no call of a known form has no steps. */
export async function readAction(reader: ContractReader, contract: Hex): Promise<Action> {
  const [steps, claimant] = await Promise.all([
    reader.read(contract, 'getActionSteps'),
    reader.read(contract, 'getActionClaimant'),
  ])
  return steps === undefined ? { steps: [], claimant: null } : toAction(steps, claimant)
}

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
