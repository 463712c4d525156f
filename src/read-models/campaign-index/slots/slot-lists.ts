/** As many lists again may lie unused between those in use before all are moved together. */
const MAX_WASTE = 0.25

/** Most campaigns have as many values, or a few less. */
const USUAL_LENGTH = 12

/** A short list of numbers for each slot, all in one array. */
export class SlotLists {
  #numbers: Int32Array
  #end = 0
  #wasted = 0
  #starts: Int32Array
  #lengths: Int32Array

  constructor(capacity: number) {
    this.#numbers = new Int32Array(capacity * USUAL_LENGTH)
    this.#starts = new Int32Array(capacity)
    this.#lengths = new Int32Array(capacity)
  }

  /** The numbers of a slot, copied. */
  of(slot: number): number[] {
    const numbers: number[] = []
    this.forEach(slot, (number) => numbers.push(number))
    return numbers
  }

  /** Calls a function with each number of a slot. */
  forEach(slot: number, use: (number: number) => void) {
    const start = this.#starts[slot] as number
    const end = start + (this.#lengths[slot] as number)
    for (let place = start; place < end; place += 1) use(this.#numbers[place] as number)
  }

  set(slot: number, numbers: readonly number[]) {
    const length = this.#lengths[slot] as number
    if (numbers.length > length) {
      this.#wasted += length
      if (this.#end + numbers.length > this.#numbers.length) this.#makeRoom(numbers.length, slot)
      this.#starts[slot] = this.#end
      this.#end += numbers.length
    } else this.#wasted += length - numbers.length
    this.#lengths[slot] = numbers.length
    const start = this.#starts[slot] as number
    for (let nth = 0; nth < numbers.length; nth += 1) this.#numbers[start + nth] = numbers[nth] as number
  }

  resize(capacity: number) {
    if (capacity <= this.#starts.length) return
    const [starts, lengths] = [new Int32Array(capacity), new Int32Array(capacity)]
    starts.set(this.#starts)
    lengths.set(this.#lengths)
    this.#starts = starts
    this.#lengths = lengths
  }

  /** @param replaced the slot whose list is not needed any more. */
  #makeRoom(length: number, replaced: number) {
    this.#lengths[replaced] = 0
    const used = this.#end - this.#wasted
    const isMostlyUsed = this.#wasted < MAX_WASTE * this.#end
    const larger = new Int32Array(isMostlyUsed ? Math.ceil((used + length) * 1.3) : this.#numbers.length)
    let end = 0
    for (let slot = 0; slot < this.#starts.length; slot += 1) {
      const [start, length] = [this.#starts[slot] as number, this.#lengths[slot] as number]
      this.#starts[slot] = end
      for (let nth = 0; nth < length; nth += 1) larger[end + nth] = this.#numbers[start + nth] as number
      end += length
    }
    this.#numbers = larger
    this.#end = end
    this.#wasted = 0
  }
}
