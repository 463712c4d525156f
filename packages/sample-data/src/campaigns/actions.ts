import { type Action, facts } from '../facts.ts'
import type { Random } from '../random.ts'

export interface Collection {
  chainId: number
  address: string
  name: string
}

/** An action as one campaign asks for it. */
export interface Task {
  action: Action
  /** The NFT collection it is about, if it is about one. */
  collection?: Collection
  step: Action['step'] & { claimant?: string }
}

/** Maximum number of campaigns ask for one. */
const TASK_COUNTS = [0, ...Array<number>(15).fill(1), 2, 2, 2, 3]

/** By chain, NFT collections of the sample's own. */
export type Collections = ReadonlyMap<number, readonly Collection[]>

export function drawCollections(random: Random, campaigns: number): Collections {
  const { chainIds, adjectives, nouns } = facts.collections
  const drawOn = (chainId: number) =>
    Array.from({ length: 2 + Math.floor(campaigns / 100) }, () => ({
      chainId,
      address: random.address(),
      name: `${random.pick(adjectives)} ${random.pick(nouns)}`,
    }))
  return new Map(chainIds.map((chainId) => [chainId, drawOn(chainId)]))
}

/** None to three tasks, mostly on the chain of the campaign. */
export function drawTasks(random: Random, collections: Collections, chainId: number): Task[] {
  return Array.from({ length: random.fork('count').pick(TASK_COUNTS) }, (_, position) => {
    const own = random.fork(String(position))
    const isNearby = own.fork('chain').chance(0.8)
    const actions = facts.actions.filter(({ step }) => !isNearby || step.chainId === chainId)
    return drawTask(own, collections, own.fork('action').pick(actions))
  })
}

function drawTask(random: Random, collections: Collections, action: Action): Task {
  const ofClaimant = random.fork('claimant')
  const step = { ...action.step, ...(ofClaimant.chance(0.1) ? { claimant: ofClaimant.address() } : {}) }
  const { chainId, targetContract: address, parameters } = step
  if (action.collection === undefined) return { action, step }
  if (action.collection === 'target') {
    return { action, step, collection: { chainId, address, name: action.contractName } }
  }
  const collection = random.fork('collection').pickSkewed(collections.get(chainId) ?? [])
  const replaced =
    action.collection === 'replaces target'
      ? { targetContract: collection.address }
      : { parameters: { ...parameters, filterData: collection.address } }
  return { action, collection, step: { ...step, ...replaced } }
}

/** How the protocol finds out who did it. */
export function actionClaimantOf({ action, collection, step }: Task) {
  const { chainId, signature, signatureName, signatureType, targetContract } = step
  return {
    signature,
    signatureName,
    signatureType,
    fieldIndex: action.claimantField,
    targetContract,
    targetContractName: action.contractName === '' ? (collection?.name ?? '') : action.contractName,
    chainId,
  }
}
