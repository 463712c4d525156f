import type { ContractFunctionArgs, ContractFunctionName, ContractFunctionReturnType, Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { type coreFunctions, rawReadFunctions, readFunctions, type timeBasedFunctions } from './abi-functions.ts'

export interface ContractCall {
  to: Hex
  data: Hex
}

/** Reads contracts at one block; null for a call that reverts, or returns nothing. */
export type CallContracts = (calls: readonly ContractCall[]) => Promise<(Hex | null)[]>

/* A list at a time: types of all in one list are too deep to be computed. */
type CoreFunctions = typeof coreFunctions
type TimeBasedFunctions = typeof timeBasedFunctions
type CoreName = ContractFunctionName<CoreFunctions, 'view'>
type TimeBasedName = ContractFunctionName<TimeBasedFunctions, 'view'>
type ReadName = CoreName | TimeBasedName
export type ReadResult<Name extends ReadName> = Name extends CoreName
  ? ContractFunctionReturnType<CoreFunctions, 'view', Name>
  : Name extends TimeBasedName
    ? ContractFunctionReturnType<TimeBasedFunctions, 'view', Name>
    : never
type ReadArgs<Name extends ReadName> = Name extends CoreName
  ? ContractFunctionArgs<CoreFunctions, 'view', Name>
  : Name extends TimeBasedName
    ? ContractFunctionArgs<TimeBasedFunctions, 'view', Name>
    : never
type RawReadName = ContractFunctionName<typeof rawReadFunctions, 'view'>

export type ContractReader = ReturnType<typeof createContractReader>

/** No function of the protocol returns more; the contract is not trusted. */
const MAX_DIGITS = 2_000_000

/** Reads of the same turn are sent together, and a read at this block is not repeated. */
export function createContractReader(call: CallContracts) {
  let waiting: { call: ContractCall; settle: (response: Promise<Hex | null>) => void }[] = []
  const calls = new Map<string, Promise<Hex | null>>()

  function callTogether() {
    const batch = waiting
    waiting = []
    const responses = call(batch.map((one) => one.call))
    for (const [index, { settle }] of batch.entries()) settle(responses.then((all) => all[index] ?? null))
  }

  function callOnce(to: Hex, data: Hex): Promise<Hex | null> {
    const key = to + data
    const known = calls.get(key)
    if (known !== undefined) return known
    if (waiting.length === 0) setImmediate(callTogether)
    const response = new Promise<Hex | null>((settle) => waiting.push({ call: { to, data }, settle }))
    calls.set(key, response)
    return response
  }

  async function readHex(contract: Hex, data: Hex) {
    const response = await callOnce(contract, data)
    return response === null || response === '0x' || response.length > MAX_DIGITS ? undefined : response
  }

  return {
    /** Undefined if the contract has no such function. */
    async read<Name extends ReadName>(
      contract: Hex,
      functionName: Name,
      args?: ReadArgs<Name>,
    ): Promise<ReadResult<Name> | undefined> {
      const abi = readFunctions
      const data = encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
      const response = await readHex(contract, data)
      if (response === undefined) return undefined
      try {
        return decodeFunctionResult({ abi, functionName, data: response } as unknown as Parameters<
          typeof decodeFunctionResult
        >[0]) as ReadResult<Name>
      } catch {
        return undefined
      }
    },
    /** The response as it is. */
    readBytes: (contract: Hex, functionName: RawReadName) =>
      readHex(contract, encodeFunctionData({ abi: rawReadFunctions, functionName })),
  }
}
