import type { Provider } from './injected-wallets.ts'
import { causeOf, toProblem, WalletProblem } from './wallet-problems.ts'

/** A call that claims. */
export interface ClaimCall {
  chainId: number
  to: string
  data: string
  /** wei */
  value?: string
  /** Whether it has several calls, each of which may fail. */
  isMulticall: boolean
}

/** A transaction that is in a block. */
export interface Included {
  chainId: number
  transactionHash: string
  blockNumber: number
}

/** What is under way, for who looks. */
export type Report = (step: string) => void

const POLL_MS = 1000
/** Some chains have a block in 12 seconds, and now and then none for minutes. */
const LONGEST_WAIT_MS = 300_000

const toHex = (number: bigint | number) => `0x${number.toString(16)}`

/**
 * Sends a claim from the account of a wallet, if the contract would accept it, and waits for its block.
 * @throws {WalletProblem} with a sentence.
 */
export async function sendClaim(provider: Provider, from: string, call: ClaimCall, report: Report): Promise<Included> {
  try {
    report('Asking the wallet for the chain')
    await switchTo(provider, call.chainId)
    const transaction = {
      ...{ from, to: call.to, data: call.data },
      ...(call.value !== undefined && call.value !== '0' && { value: toHex(BigInt(call.value)) }),
    }
    report('Trying it first')
    const result = await provider.request({ method: 'eth_call', params: [transaction, 'latest'] })
    if (call.isMulticall) requireSome(String(result))
    report('Confirm it in the wallet')
    const hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] })
    report('Waiting for a block')
    return await waitFor(provider, { chainId: call.chainId, transactionHash: String(hash) })
  } catch (error) {
    throw toProblem(error, call.chainId)
  }
}

async function switchTo(provider: Provider, chainId: number) {
  const current = await provider.request({ method: 'eth_chainId' })
  if (Number(current) === chainId) return
  await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: toHex(chainId) }] })
}

const WORD = 64

/** The results of several calls, each of which may fail: `(bool success, bytes returnData)[]`. */
function resultsOf(result: string) {
  const data = result.slice(2)
  const numberAt = (place: number) => Number(`0x${data.slice(place, place + WORD)}`)
  const list = 2 * numberAt(0)
  const first = list + WORD
  return Array.from({ length: numberAt(list) }, (_, index) => {
    const tuple = first + 2 * numberAt(first + index * WORD)
    const bytes = tuple + 2 * numberAt(tuple + WORD)
    return {
      isSuccess: numberAt(tuple) === 1,
      data: `0x${data.slice(bytes + WORD, bytes + WORD + 2 * numberAt(bytes))}`,
    }
  })
}

/** A transaction of claims that all fail would only cost. */
function requireSome(result: string) {
  const results = resultsOf(result)
  if (results.length === 0 || results.some(({ isSuccess }) => isSuccess)) return
  throw new WalletProblem(
    `The contracts would refuse all of it: ${causeOf(results[0]?.data ?? '') ?? 'no cause is told'}.`,
  )
}

async function waitFor(provider: Provider, sent: Pick<Included, 'chainId' | 'transactionHash'>): Promise<Included> {
  for (const end = Date.now() + LONGEST_WAIT_MS; Date.now() < end; ) {
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [sent.transactionHash] })
    if (receipt !== null && receipt !== undefined) {
      const { status, blockNumber } = receipt as { status: string; blockNumber: string }
      if (Number(status) === 0)
        throw new WalletProblem(`It came into block ${Number(blockNumber)}, and was refused there.`)
      return { ...sent, blockNumber: Number(blockNumber) }
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new WalletProblem('It is sent, and in no block yet. Look for it in the wallet.')
}
