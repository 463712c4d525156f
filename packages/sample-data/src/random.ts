import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Where hexadecimal digits are put together. */
const bytes = Buffer.alloc(64)

/** Close seeds give close first numbers. */
const SKIPPED = 20

export type Random = ReturnType<typeof createRandom>

/** Random choices, the same for the same seed on every machine. Not for secrets. */
export function createRandom(seed: number) {
  // The generator takes 32 bits; seeds above differ in the high word.
  const generator = xoroshiro128plus(seed ^ Math.imul(Math.floor(seed / 2 ** 32), 0x9e3779b1))
  for (let skipped = 0; skipped < SKIPPED; skipped++) generator.next()

  /** From 0 to below 1. */
  const fraction = () => (generator.next() >>> 0) / 2 ** 32
  const chance = (probability: number) => fraction() < probability
  /** Both ends included. */
  const integer = (lowest: number, highest: number) => lowest + Math.floor(fraction() * (highest - lowest + 1))
  /** From 0 to below `count`: few low numbers again and again, the long tail now and then. */
  const skewed = (count: number) => Math.floor(count * fraction() ** 2)
  function at<T>(list: readonly T[], index: number): T {
    const item = list[index]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }
  function hex(length: number) {
    for (let offset = 0; offset < length; offset += 4) bytes.writeInt32BE(generator.next(), offset)
    return `0x${bytes.toString('hex', 0, length)}`
  }
  return {
    fraction,
    chance,
    integer,
    skewed,
    pick: <T>(list: readonly T[]) => at(list, integer(0, list.length - 1)),
    /** Prefers the first ones. */
    pickSkewed: <T>(list: readonly T[]) => at(list, skewed(list.length)),
    address: () => hex(20),
    /** 32 bytes. */
    hash: () => hex(32),
    /** 65 bytes, as an ECDSA signature has. */
    signature: () => `${hex(64)}${chance(0.5) ? '1b' : '1c'}`,
  }
}
