import { callResults, revertCause } from './reverts.ts'
import { hasCode, toFailure } from './wallet-failures.ts'
import type { Connection, Provider } from './wallet-state.ts'

/** A transaction that claims something. */
export interface Call {
  chainId: number
  /** For people: `Base`. */
  chainName: string
  to: string
  data: string
  /** Wei, decimal. */
  value: string
  /** The validator, where it may take a fee. */
  validator: string | undefined
  /** Whether it has several claims, of which each may fail alone. */
  isMulticall: boolean
}

export interface Sent {
  transactionHash: string
  blockNumber: bigint
  /** What of it could not be claimed, in a sentence. */
  notice: string | undefined
}

/** A question that needs no person takes no longer. */
const TIMEOUT_MS = 20_000
const RECEIPT_POLL_MS = 1_000
/** For so long a wallet may be out of reach while a transaction is waited for. */
const MAX_FAILED_POLLS = 30

/** `getComponentInterface()`, and the kinds of validators that take a fee. */
const KIND_CALL = '0x28d6183b'
const KINDS_WITH_FEE = ['0xb0fafe58', '0x89b50fd9']
/** `getClaimFee()` */
const FEE_CALL = '0x4f361c9a'

const toHex = (value: bigint | number) => `0x${value.toString(16)}`

/**
 * Tries a claim, sends it, and waits for its receipt.
 *
 * @param report gets what happens now, in a sentence.
 * @throws with a sentence for people; it says so where something was sent.
 */
export async function sendClaim(
  { provider, account }: Connection,
  call: Call,
  report: (progress: string) => void,
): Promise<Sent> {
  report('Asking your wallet…')
  await useChain(provider, call)
  const accounts = (await read(provider, 'eth_accounts')) as string[]
  if (!accounts.some((one) => one.toLowerCase() === account)) {
    throw new Error('Your wallet is no longer connected with this page: connect it again.')
  }
  report('Trying the claim…')
  const value = BigInt(call.value) + (await feeOf(provider, call))
  const transaction = { from: account, to: call.to, data: call.data, value: toHex(value) }
  const returned = await read(provider, 'eth_call', transaction, 'latest')
  const notice = call.isMulticall ? toNotice(String(returned)) : undefined
  report('Confirm it in your wallet…')
  const hash = String(await ask(provider, 'eth_sendTransaction', transaction))
  report('Sent. Waiting for its block…')
  const { blockNumber, status } = await receiptOf(provider, hash)
  if (BigInt(status) === 0n) {
    throw new Error(`It was sent as ${hash}, and the campaign has refused it: only the gas was paid.`)
  }
  return { transactionHash: hash, blockNumber: BigInt(blockNumber), notice }
}

async function ask(provider: Provider, method: string, ...params: unknown[]): Promise<unknown> {
  try {
    return await provider.request({ method, params })
  } catch (failure) {
    throw toFailure(failure)
  }
}

/** Asks what no person has to answer. */
async function read(provider: Provider, method: string, ...params: unknown[]): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error('Your wallet does not answer: it may have lost its connection. Try again.')),
      TIMEOUT_MS,
    )
  })
  return await Promise.race([ask(provider, method, ...params), timeout]).finally(() => clearTimeout(timer))
}

async function useChain(provider: Provider, { chainId, chainName }: Call) {
  const isThere = async () => Number(await read(provider, 'eth_chainId')) === chainId
  if (await isThere()) return
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: toHex(chainId) }] })
  } catch (failure) {
    if (!hasCode(failure, 4902)) throw toFailure(failure)
    throw new Error(`Your wallet does not know ${chainName}: add it there, and try again.`, { cause: failure })
  }
  if (!(await isThere())) throw new Error(`Your wallet is not on ${chainName}: change to it there, and try again.`)
}

/** Wei that the validator takes, as of now. */
async function feeOf(provider: Provider, { validator }: Call): Promise<bigint> {
  if (validator === undefined) return 0n
  const ofValidator = (data: string) => read(provider, 'eth_call', { to: validator, data }, 'latest')
  // One that says nothing of itself takes no fee; where it does all the same, the claim is not sent: it is tried first.
  const kind = String(await ofValidator(KIND_CALL).catch(() => '')).slice(0, 10)
  return KINDS_WITH_FEE.includes(kind) ? BigInt(String(await ofValidator(FEE_CALL))) : 0n
}

/** What would fail in a transaction of several claims. @throws where all would. */
function toNotice(returned: string): string | undefined {
  if (returned === '0x') throw new Error('This chain has no contract for several claims: claim them one by one.')
  const results = callResults(returned)
  const causes = results.flatMap(({ isSuccess, data }) => (isSuccess ? [] : [revertCause(data)]))
  if (causes.length === 0) return undefined
  const why = [...new Set(causes)].join(' ')
  if (causes.length === results.length)
    throw new Error(causes.length === 1 ? why : `None of them can be claimed now: ${why}`)
  return `${causes.length} of ${results.length} could not be claimed: ${why}`
}

interface Receipt {
  blockNumber: string
  status: string
}

/** Waits until the transaction is in a block, however long that takes. */
async function receiptOf(provider: Provider, hash: string): Promise<Receipt> {
  for (let failures = 0; ; ) {
    try {
      const receipt = (await read(provider, 'eth_getTransactionReceipt', hash)) as Receipt | null
      if (receipt !== null) return receipt
      failures = 0
    } catch (failure) {
      failures += 1
      if (failures >= MAX_FAILED_POLLS) {
        throw new Error(
          `It was sent as ${hash}, but your wallet has lost its connection: look there what became of it.`,
          {
            cause: failure,
          },
        )
      }
    }
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_POLL_MS))
  }
}
