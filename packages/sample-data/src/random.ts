import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Where hexadecimal digits are put together. */
const bytes = Buffer.alloc(64)

/** A number of 32 bits that depends on every bit of the seed and every letter of the name: FNV-1a, and the last steps of MurmurHash3. */
function hashOf(seed: number, name: string) {
  let hash = seed ^ 0x811c9dc5
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** Random choices, the same for the same seed on every machine. Not for secrets. */
export function createRandom(seed: number) {
  // The generator takes 32 bits; seeds above differ in the high word.
  return new Random(hashOf(seed ^ Math.imul(Math.floor(seed / 2 ** 32), 0x9e3779b1), ''))
}

export class Random {
  readonly #seed: number
  readonly #generator

  constructor(seed: number) {
    this.#seed = seed
    this.#generator = xoroshiro128plus(seed)
  }

  /**
   * Choices of their own for a part with this name. They depend on the seed and the names down to it, and on nothing that was drawn
   * before: so a field that is added changes no other one.
   */
  fork(name: string) {
    return new Random(hashOf(this.#seed, name))
  }

  /** From 0 to below 1. */
  fraction() {
    return (this.#generator.next() >>> 0) / 2 ** 32
  }

  chance(probability: number) {
    return this.fraction() < probability
  }

  /** Both ends included. */
  integer(lowest: number, highest: number) {
    return lowest + Math.floor(this.fraction() * (highest - lowest + 1))
  }

  /** From 0 to below `count`: few low numbers again and again, the long tail now and then. */
  skewed(count: number) {
    return Math.floor(count * this.fraction() ** 2)
  }

  pick<T>(list: readonly T[]) {
    return at(list, this.integer(0, list.length - 1))
  }

  /** Prefers the first ones. */
  pickSkewed<T>(list: readonly T[]) {
    return at(list, this.skewed(list.length))
  }

  /** Each as often as the others. A name that is added takes its share of all choices, and changes no other one. */
  pickNamed<T extends string>(names: readonly T[]) {
    const numbers = names.map((name) => this.fork(name).fraction())
    return at(names, numbers.indexOf(Math.max(...numbers)))
  }

  address() {
    return this.#hex(20)
  }

  /** 32 bytes. */
  hash() {
    return this.#hex(32)
  }

  /** 65 bytes, as an ECDSA signature has. */
  signature() {
    return `${this.#hex(64)}${this.chance(0.5) ? '1b' : '1c'}`
  }

  #hex(length: number) {
    for (let offset = 0; offset < length; offset += 4) bytes.writeInt32BE(this.#generator.next(), offset)
    return `0x${bytes.toString('hex', 0, length)}`
  }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new RangeError('nothing to pick from')
  return item
}
