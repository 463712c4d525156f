/** Where hexadecimal draws are put together, one after the other. */
const bytes = Buffer.alloc(64)
const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

/** Separates the draws of different things made from the same seed and index. */
type Purpose = keyof typeof purposes
const purposes = {
  life: 1,
  terms: 2,
  campaign: 3,
  claims: 4,
  signatures: 5,
  profile: 6,
  accessLists: 7,
  user: 8,
  owner: 9,
  budget: 10,
  collection: 11,
  unknownToken: 12,
} as const

/** Spreads every bit of `word` over all 32 (the finalizer of MurmurHash3). */
function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/**
 * A deterministic stream of draws (the public sfc32 generator): not for secrets. Equal seed, purpose and index give
 * equal draws on every machine, so that whatever hangs on an index can be made again instead of being remembered.
 */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number, purpose: Purpose, index = 0) {
    // Seeds above 2^32 differ in their high word only.
    const high = Math.floor(seed / 2 ** 32)
    this.#a = mix(seed ^ 0x9e3779b9)
    this.#b = mix(high ^ Math.imul(purposes[purpose], 0x6a09e667) ^ this.#a)
    this.#c = mix(index ^ this.#b)
    for (let round = 0; round < 10; round++) this.word()
  }

  /** 32 bits. */
  word(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** From 0 to below 1. */
  fraction(): number {
    return this.word() / 2 ** 32
  }

  /** From 0 to below 1 like `fraction`, but never 0: for logarithms and powers. */
  positiveFraction(): number {
    return (this.word() + 1) / (2 ** 32 + 1)
  }

  /** Both ends included. */
  integer(lowest: number, highest: number): number {
    return lowest + Math.floor(this.fraction() * (highest - lowest + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(list: readonly T[]): T {
    const item = list[this.integer(0, list.length - 1)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  /** From 0 to below `count`; a few low numbers come again and again, the long tail now and then. */
  skewed(count: number): number {
    return Math.floor(count * this.fraction() ** 2)
  }

  address(): string {
    return `0x${this.#hex(20)}`
  }

  /** 32 bytes. */
  hash(): string {
    return `0x${this.#hex(32)}`
  }

  /** 65 bytes, as an ECDSA signature has. */
  signature(): string {
    return `0x${this.#hex(64)}${this.chance(0.5) ? '1b' : '1c'}`
  }

  #hex(length: number): string {
    for (let offset = 0; offset < length; offset += 4) words.setUint32(offset, this.word())
    return bytes.toString('hex', 0, length)
  }
}
