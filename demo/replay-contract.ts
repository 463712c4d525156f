import type { Hex } from 'viem'
import { keccak256 } from 'viem/utils'

/*
 * A contract that says what it is told to say, for tests on a real node: written here as instructions of the EVM and put
 * together when a test starts, so that there are no bytes that could be others than their source. The first byte of the
 * call data says what is to be done:
 *
 *   f0  list   items of an address (20 bytes), a length (4) and call data of that length: each address is called with its own
 *   fe  store  a slot (32) and words, which go into that slot and those after it
 *   ff  emit   the number of topics (1), the topics and the data of a log
 *
 * Whatever else it is asked, it answers with what was stored at the hash of the call data, or does it, and reverts where nothing was.
 */

const opcodes = {
  STOP: 0x00,
  ADD: 0x01,
  SUB: 0x03,
  LT: 0x10,
  EQ: 0x14,
  ISZERO: 0x15,
  SHL: 0x1b,
  SHR: 0x1c,
  KECCAK256: 0x20,
  ADDRESS: 0x30,
  CALLDATALOAD: 0x35,
  CALLDATASIZE: 0x36,
  CALLDATACOPY: 0x37,
  POP: 0x50,
  MSTORE: 0x52,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  DUP1: 0x80,
  DUP2: 0x81,
  DUP3: 0x82,
  DUP4: 0x83,
  DUP5: 0x84,
  DUP6: 0x85,
  DUP7: 0x86,
  SWAP1: 0x90,
  LOG0: 0xa0,
  LOG1: 0xa1,
  LOG2: 0xa2,
  LOG3: 0xa3,
  LOG4: 0xa4,
  CALL: 0xf1,
  RETURN: 0xf3,
  REVERT: 0xfd,
}

/** Opcodes and small numbers by spaces; `name:` is a place, `@name` its address. What stands on the stack is to the right. */
const program = `
  0 CALLDATALOAD 248 SHR                                      // what is to be done
  DUP1 240 EQ @list JUMPI
  DUP1 254 EQ @store JUMPI
  DUP1 255 EQ @emit JUMPI
  POP CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 KECCAK256  // slot
  DUP1 SLOAD DUP1 @found JUMPI                                // slot, length + 1
  fail:
  0 0 REVERT

  found:                                                      // slot, length + 1, with the highest bit where it is to be done
  DUP1 255 SHR SWAP1 1 SHL 1 SHR                              // slot, whether it is to be done, length + 1
  1 SWAP1 SUB 0                                               // slot, whether, length, at
  word:
  DUP2 DUP2 LT ISZERO @read JUMPI
  DUP1 5 SHR DUP5 ADD 1 ADD SLOAD                             // slot, whether, length, at, word
  DUP2 MSTORE 32 ADD @word JUMP
  read:
  POP SWAP1 @do JUMPI                                         // slot, length
  0 RETURN
  do:
  0 0 DUP3 0 0 ADDRESS GAS CALL ISZERO @fail JUMPI
  STOP

  list:
  POP 1                                                       // at
  item:
  CALLDATASIZE DUP2 LT ISZERO @end JUMPI
  DUP1 CALLDATALOAD 96 SHR                                    // at, address
  DUP2 20 ADD CALLDATALOAD 224 SHR                            // at, address, length
  DUP1 DUP4 24 ADD 0 CALLDATACOPY
  0 0 DUP3 0 0 DUP7 GAS CALL ISZERO @fail JUMPI
  SWAP1 POP ADD 24 ADD @item JUMP                             // at of the next
  end:
  STOP

  store:
  POP 1 CALLDATALOAD 33                                       // slot, at
  next:
  CALLDATASIZE DUP2 LT ISZERO @end JUMPI
  DUP1 CALLDATALOAD DUP3 SSTORE
  SWAP1 1 ADD SWAP1 32 ADD @next JUMP

  emit:
  POP 1 CALLDATALOAD 248 SHR                                  // topics
  DUP1 5 SHL 2 ADD DUP1 CALLDATASIZE SUB                      // topics, begin of data, size
  DUP1 DUP3 0 CALLDATACOPY SWAP1 POP                          // topics, size
  DUP2 1 EQ @one JUMPI
  DUP2 2 EQ @two JUMPI
  DUP2 3 EQ @three JUMPI
  DUP2 4 EQ @four JUMPI
  DUP1 0 LOG0 STOP
  one:   2 CALLDATALOAD DUP2 0 LOG1 STOP
  two:   34 CALLDATALOAD 2 CALLDATALOAD DUP3 0 LOG2 STOP
  three: 66 CALLDATALOAD 34 CALLDATALOAD 2 CALLDATALOAD DUP4 0 LOG3 STOP
  four:  98 CALLDATALOAD 66 CALLDATALOAD 34 CALLDATALOAD 2 CALLDATALOAD DUP5 0 LOG4 STOP
`

const isOpcode = (word: string): word is keyof typeof opcodes => word in opcodes

/** Puts a program together: numbers are pushed as one byte, addresses as two. */
function assemble(source: string): Hex {
  const bytes: number[] = []
  const places = new Map<string, number>()
  const gaps: { at: number; name: string }[] = []
  for (const word of source
    .replace(/\/\/.*/g, '')
    .split(/\s+/)
    .filter(Boolean)) {
    if (isOpcode(word)) bytes.push(opcodes[word])
    else if (word.endsWith(':')) {
      places.set(word.slice(0, -1), bytes.length)
      bytes.push(opcodes.JUMPDEST)
    } else if (word.startsWith('@')) {
      gaps.push({ at: bytes.length + 1, name: word.slice(1) })
      bytes.push(0x61, 0, 0)
    } else if (/^[0-9]+$/.test(word) && Number(word) < 256) bytes.push(0x60, Number(word))
    else throw new SyntaxError(`no such instruction: ${word}`)
  }
  for (const { at, name } of gaps) {
    const place = places.get(name)
    if (place === undefined) throw new SyntaxError(`no such place: ${name}`)
    bytes.splice(at, 2, place >> 8, place & 255)
  }
  return `0x${Buffer.from(bytes).toString('hex')}`
}

/** Code to be put at every address that has something to say. */
export const replayContract = assemble(program)

const word = (value: bigint) => value.toString(16).padStart(64, '0')

/** Has a contract emit a log. */
export const emitLog = ({ topics, data }: { topics: readonly Hex[]; data: Hex }): Hex =>
  `0xff${topics.length.toString(16).padStart(2, '0')}${topics.map((topic) => topic.slice(2)).join('')}${data.slice(2)}`

/** Has a contract answer call data from here on; null is that it reverts. */
export const storeResponse = (callData: Hex, answer: Hex | null): Hex => store(callData, answer, 0n)

/** Has a contract do what it is told by `instructions` when somebody calls it with call data, and return nothing. */
export const storeReaction = (callData: Hex, instructions: Hex): Hex => store(callData, instructions, 1n << 255n)

function store(callData: Hex, bytes: Hex | null, mark: bigint): Hex {
  if (/^0x(f0|fe|ff)/.test(callData)) throw new RangeError('this is no question')
  const slot = keccak256(callData).slice(2)
  if (bytes === null) return `0xfe${slot}${word(0n)}`
  const digits = bytes.slice(2)
  const padded = digits.padEnd(Math.ceil(digits.length / 64) * 64, '0')
  return `0xfe${slot}${word(mark + BigInt(digits.length / 2 + 1))}${padded}`
}

/** Has contracts do something one after the other. */
export const inTurn = (items: readonly { to: Hex; data: Hex }[]): Hex =>
  `0xf0${items.map(({ to, data }) => to.slice(2) + (data.length / 2 - 1).toString(16).padStart(8, '0') + data.slice(2)).join('')}`
