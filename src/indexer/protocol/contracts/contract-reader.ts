import type { ContractFunctionArgs, ContractFunctionName, ContractFunctionReturnType, Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { rawReadFunctions, readFunctions } from './abi-functions.ts'

export interface ContractCall {
  to: Hex
  data: Hex
}

/** Asks contracts at one block; null is what reverts, or answers nothing. */
export type CallContracts = (calls: readonly ContractCall[]) => Promise<(Hex | null)[]>

type Functions = typeof readFunctions
type ReadName = ContractFunctionName<Functions, 'view'>
export type ReadResult<Name extends ReadName> = ContractFunctionReturnType<Functions, 'view', Name>
type RawReadName = ContractFunctionName<typeof rawReadFunctions, 'view'>

export interface ContractReader {
  /** Undefined where the contract has no such answer. */
  read<Name extends ReadName>(
    contract: Hex,
    name: Name,
    args?: ContractFunctionArgs<Functions, 'view', Name>,
  ): Promise<ReadResult<Name> | undefined>
  /** The answer as it is. */
  readBytes(contract: Hex, name: RawReadName): Promise<Hex | undefined>
}

/** Longer answers are none of the protocol's; anybody's contract may be asked. */
const MOST_DIGITS = 2_000_000

/** What is asked in the same turn is asked together, and what has been asked at this block is not asked again. */
export function createContractReader(call: CallContracts): ContractReader {
  let waiting: { call: ContractCall; settle: (answer: Promise<Hex | null>) => void }[] = []
  const asked = new Map<string, Promise<Hex | null>>()

  function askTogether() {
    const batch = waiting
    waiting = []
    const answers = call(batch.map((one) => one.call))
    for (const [index, { settle }] of batch.entries()) settle(answers.then((all) => all[index] ?? null))
  }

  function ask(to: Hex, data: Hex): Promise<Hex | null> {
    const key = to + data
    const known = asked.get(key)
    if (known !== undefined) return known
    if (waiting.length === 0) setImmediate(askTogether)
    const answer = new Promise<Hex | null>((settle) => waiting.push({ call: { to, data }, settle }))
    asked.set(key, answer)
    return answer
  }

  async function readHex(contract: Hex, data: Hex) {
    const answer = await ask(contract, data)
    return answer === null || answer === '0x' || answer.length > MOST_DIGITS ? undefined : answer
  }

  return {
    async read<Name extends ReadName>(
      contract: Hex,
      functionName: Name,
      args?: ContractFunctionArgs<Functions, 'view', Name>,
    ) {
      const abi: Functions = readFunctions
      const data = encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
      const answer = await readHex(contract, data)
      if (answer === undefined) return undefined
      try {
        return decodeFunctionResult({ abi, functionName, data: answer } as unknown as Parameters<
          typeof decodeFunctionResult
        >[0]) as ReadResult<Name>
      } catch {
        return undefined
      }
    },
    readBytes: (contract, functionName) =>
      readHex(contract, encodeFunctionData({ abi: rawReadFunctions, functionName })),
  }
}
