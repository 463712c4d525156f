/**
 * Slots in an order. One plain array: a batch moves what stands between its places, each at most once, which at a million
 * campaigns takes less than a millisecond; so there is nothing that has to be merged later.
 */
export class SlotOrder {
  /** Negative if the first slot comes before the second. */
  readonly compare: (one: number, other: number) => number
  #slots = new Int32Array(0)
  #length = 0

  /** @param compare a total order of slots: no two are equal. */
  constructor(compare: (one: number, other: number) => number) {
    this.compare = compare
  }

  get length() {
    return this.#length
  }

  at(place: number) {
    return this.#slots[place] as number
  }

  /** The first place whose slot does not come before what the function looks for, between two places. */
  firstPlace(comesBefore: (slot: number) => boolean, from = 0, to = this.#length) {
    let [low, high] = [from, to]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (comesBefore(this.#slots[middle] as number)) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Removes slots, as long as the order still knows their values. */
  remove(slots: readonly number[]) {
    if (slots.length === 0) return
    const places = slots.map((slot) => this.#placeOf(slot)).sort((one, other) => one - other)
    let end = places[0] as number
    for (const [nth, place] of places.entries()) {
      const next = places[nth + 1] ?? this.#length
      this.#slots.copyWithin(end, place + 1, next)
      end += next - place - 1
    }
    this.#length = end
  }

  /** Adds slots, once the order knows their values. */
  add(slots: readonly number[]) {
    if (slots.length === 0) return
    const added = slots.toSorted(this.compare)
    const places: number[] = []
    for (const slot of added) places.push(this.#placeOf(slot, places.at(-1)))
    const length = this.#length + added.length
    if (length > this.#slots.length) this.#grow(length)
    let end = this.#length
    for (let nth = added.length - 1; nth >= 0; nth -= 1) {
      const place = places[nth] as number
      this.#slots.copyWithin(place + nth + 1, place, end)
      this.#slots[place + nth] = added[nth] as number
      end = place
    }
    this.#length = length
  }

  /** @param from a place that is not behind it: most often the one of a neighbour, so that few slots are compared. */
  #placeOf(slot: number, from = 0) {
    const comesBefore = (other: number) => this.compare(other, slot) < 0
    let [low, step] = [from, 1]
    while (low + step <= this.#length && comesBefore(this.#slots[low + step - 1] as number)) {
      low += step
      step *= 2
    }
    return this.firstPlace(comesBefore, low, Math.min(low + step, this.#length))
  }

  #grow(length: number) {
    const larger = new Int32Array(Math.ceil(length * 1.25) + 64)
    larger.set(this.#slots.subarray(0, this.#length))
    this.#slots = larger
  }
}
