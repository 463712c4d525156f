import type { Hex } from 'viem'
import type { CallContracts, ContractCall } from '../protocol/contracts/contract-reader.ts'
import { zeroAddress } from '../protocol/fixed-incentives.ts'
import { EndpointError } from './endpoint-errors.ts'
import type { Endpoints } from './endpoints.ts'
import { readBytes } from './parse-responses.ts'
import type { Question } from './rpc-batching.ts'

/** So often a call may fail, while others at the same block are answered, before it is taken for one that reverts. */
const MAX_ROUNDS = 3

/** How long a call is not asked again that has failed so often. */
const SILENCE_MS = 600_000

/**
 * Asks contracts at a block. Whoever deploys a contract chooses what it does: a call may fail in words that no other client
 * uses, or take longer than a node lets it. It is told from an endpoint that fails by what the same endpoint answers
 * besides, asked for several times, and then counts as one that reverts.
 */
export function createContractCalls(endpoints: Endpoints) {
  const silentUntil = new Map<string, number>()
  const isSilent = ({ to, data }: ContractCall) => (silentUntil.get(to + data) ?? 0) > Date.now()

  return (hash: Hex, signal: AbortSignal): CallContracts =>
    async (calls) => {
      const open = calls.filter((call) => !isSilent(call))
      const questions = open.map((call) => callQuestion(call, hash))
      let rounds = 0
      const answers = await endpoints.ask({
        async question(endpoint) {
          const found = await endpoint.ask(questions)
          const failed = open.filter((_, index) => found[index] instanceof EndpointError)
          if (failed.length === 0) return found
          for (let times = 0; times < 2; times += 1) await endpoint.ask([controlQuestion(hash, rounds + times)])
          rounds += 1
          if (rounds < MAX_ROUNDS) throw new EndpointError('refused', 'does not respond to a call')
          // A node may fail each call of a batch that is too large for it: by itself, a call speaks for itself.
          const alone = await Promise.all(
            questions.map(async (question, index) => {
              const answer = found[index]
              return answer instanceof EndpointError ? (await endpoint.ask([question]))[0] : answer
            }),
          )
          for (const [index, { to, data }] of open.entries()) {
            if (alone[index] instanceof EndpointError) silentUntil.set(to + data, Date.now() + SILENCE_MS)
          }
          return alone
        },
        signal,
      })
      const byCall = new Map(open.map((call, index) => [call, answers[index]]))
      return calls.map((call) => {
        const answer = byCall.get(call)
        return answer === undefined || answer instanceof EndpointError ? null : answer
      })
    }
}

/** Null of what reverts; an error of what fails otherwise, and by itself. */
const callQuestion = (call: ContractCall, blockHash: Hex): Question<Hex | null | EndpointError> => ({
  call: { method: 'eth_call', params: [call, { blockHash }] },
  read: readBytes,
  readError(error) {
    if (error.refusal === 'reverted') return null
    if (error.refusal === 'other') return error
    throw error
  },
})

/** A call that every node answers that knows the block: there is no contract at such an address. Each is asked anew. */
const controlQuestion = (blockHash: Hex, count: number): Question<Hex | null> => ({
  call: { method: 'eth_call', params: [{ to: zeroAddress, data: `0x0${count}` }, { blockHash }] },
  read: readBytes,
  readError(error) {
    if (error.refusal !== 'reverted') throw error
    return null
  },
})
