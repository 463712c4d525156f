import type { ActionClaimant, ActionStep } from '../schemas/action-steps.ts'
import { type Deed, deeds } from './deed-facts.ts'
import { COLLECTION_CHAINS } from './protocol-facts.ts'
import type { Random } from './random.ts'
import { type Collection, collectionOf } from './sample-addresses.ts'
import type { SamplePlan } from './sample-plan.ts'

/** A deed as one campaign asks for it. */
export interface Task {
  readonly deed: Deed
  /** The NFT collection it is about, if it is about one. */
  readonly collection: Collection | undefined
  readonly step: ActionStep
}

const deedsByChain = new Map<number, Deed[]>()
for (const deed of deeds) {
  const { chainId } = deed.step
  deedsByChain.set(chainId, [...(deedsByChain.get(chainId) ?? []), deed])
}

/** None to three tasks, mostly on the chain of the campaign. */
export function tasksOf(plan: SamplePlan, random: Random, chainId: number): Task[] {
  const tasks: Task[] = []
  for (let count = taskCountOf(random); count > 0; count--) {
    const nearby = deedsByChain.get(chainId)
    tasks.push(taskOf(plan, random, random.pick(nearby !== undefined && random.chance(0.8) ? nearby : deeds)))
  }
  return tasks
}

function taskCountOf(random: Random): number {
  const roll = random.fraction()
  if (roll < 0.05) return 0
  if (roll < 0.79) return 1
  return roll < 0.95 ? 2 : 3
}

function taskOf(plan: SamplePlan, random: Random, deed: Deed): Task {
  const claimant = random.chance(0.1) ? { claimant: random.address() } : {}
  const step = { ...deed.step, ...claimant }
  if (deed.collection === undefined) return { deed, collection: undefined, step }
  const { chainId, targetContract, parameters } = step
  if (deed.collection === 'target') {
    return { deed, collection: { chainId, address: targetContract, name: deed.contractName, isKnown: true }, step }
  }
  const collection = collectionOn(plan, random, chainId)
  return {
    deed,
    collection,
    step:
      deed.collection === 'replaces target'
        ? { ...step, targetContract: collection.address }
        : { ...step, parameters: { ...parameters, filterData: collection.address } },
  }
}

/** One of the sample's collections on a chain that has some; popular ones again and again. */
function collectionOn(plan: SamplePlan, random: Random, chainId: number): Collection {
  const chains: readonly number[] = COLLECTION_CHAINS
  const rounds = Math.floor(plan.collections / chains.length)
  return collectionOf(plan.seed, random.skewed(rounds) * chains.length + chains.indexOf(chainId))
}

/** How the protocol finds out who did it. */
export function actionClaimantOf({ deed, collection, step }: Task): ActionClaimant {
  const { chainId, signature, signatureName, signatureType, targetContract } = step
  return {
    signature,
    signatureName,
    signatureType,
    fieldIndex: deed.claimantField,
    targetContract,
    targetContractName: deed.contractName === '' ? (collection?.name ?? '') : deed.contractName,
    chainId,
  }
}
