import { type Claim, ServiceError } from 'reward-campaigns-client'
import { notifyAll } from '../requests/live-changes.ts'
import { patientClient } from '../requests/service.ts'
import { loadWallet } from './load-wallet.ts'
import type { Call } from './wallet.ts'
import { changeWallet, sentenceOf, walletState } from './wallet-state.ts'

/** What has become of a claim, for the page. */
export interface Outcome {
  /** While it goes on. */
  progress?: string
  problem?: string
  notices?: readonly string[]
  claims?: readonly Claim[]
}

/**
 * Sends transactions by the connected wallet, one after the other, and waits until the service has seen what they claimed.
 *
 * @param toCalls finds them; what it refuses is reported.
 * @param report is called at each step; the last time without `progress`.
 */
export async function claimRewards(toCalls: () => Promise<Call[]>, report: (outcome: Outcome) => void) {
  const { connection, isClaiming } = walletState()
  if (connection === undefined || isClaiming) return
  changeWallet({ isClaiming: true })
  const claims: Claim[] = []
  const notices: string[] = []
  const done = () => ({ claims, notices })
  try {
    report({ progress: 'Preparing…' })
    const { sendClaim } = await loadWallet()
    const calls = await toCalls()
    for (const [index, call] of calls.entries()) {
      const step = calls.length === 1 ? '' : ` (${index + 1} of ${calls.length}, on ${call.chainName})`
      const sent = await sendClaim(connection, call, (progress) => report({ ...done(), progress: progress + step }))
      if (sent.notice !== undefined) notices.push(sent.notice)
      report({ ...done(), progress: `In block ${sent.blockNumber}. Waiting until this service has read it…${step}` })
      const read = await claimsOf(sent, call)
      if (typeof read === 'string') notices.push(read)
      else claims.push(...read)
    }
    report(done())
  } catch (failure) {
    report({ ...done(), problem: sentenceOf(failure) })
  }
  changeWallet({ isClaiming: false, claimed: [...claims, ...walletState().claimed] })
  notifyAll()
}

/** What a transaction has claimed, or a sentence that says why that is not known. */
async function claimsOf(
  { transactionHash, blockNumber }: { transactionHash: string; blockNumber: bigint },
  { chainId, chainName }: Call,
): Promise<Claim[] | string> {
  try {
    const claims = await patientClient.afterReceipt({ chainId, transactionHash, blockNumber })
    return claims.length > 0 ? claims : 'The transaction has claimed nothing.'
  } catch (failure) {
    return failure instanceof ServiceError && failure.status === 400
      ? `It is in block ${blockNumber}. This service does not follow ${chainName}, and shows the claim once it is imported.`
      : `It is in block ${blockNumber}, which this service has not read yet: it shows the claim once it has.`
  }
}
