import { COLLECTION_CHAINS } from './protocol-facts.ts'
import { Random } from './random.ts'

/*
 * Addresses of people and things of the sample's own: each a pure function of the seed and a number.
 */

export const userAddress = (seed: number, user: number): string => new Random(seed, 'user', user).address()
export const ownerAddress = (seed: number, owner: number): string => new Random(seed, 'owner', owner).address()
export const budgetAddress = (seed: number, owner: number): string => new Random(seed, 'budget', owner).address()

export interface Collection {
  readonly chainId: number
  readonly address: string
  readonly name: string
  /** Whether a contract record gives the name. */
  readonly isKnown: boolean
}

const ADJECTIVES = ['Neon', 'Quiet', 'Golden', 'Feral', 'Paper', 'Lunar', 'Analog', 'Velvet', 'Salted', 'Infinite']
const NOUNS = ['Gardens', 'Rooms', 'Frogs', 'Postcards', 'Machines', 'Mountains', 'Rituals', 'Signals', 'Masks']

/** An NFT collection; collections are spread over the collection chains. */
export function collectionOf(seed: number, number: number): Collection {
  const random = new Random(seed, 'collection', number)
  return {
    chainId: COLLECTION_CHAINS[number % COLLECTION_CHAINS.length] ?? COLLECTION_CHAINS[0],
    address: random.address(),
    name: `${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`,
    isKnown: random.chance(0.7),
  }
}
