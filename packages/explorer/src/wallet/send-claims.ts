import type { Claim } from 'reward-campaigns-client'
import { type Call, sendClaim } from './send-claim.ts'
import type { Connection } from './wallet-state.ts'

/** What has become of claims, for the page. */
export interface Outcome {
  /** While it goes on. */
  progress?: string
  problem?: string
  notices?: readonly string[]
  claims?: readonly Claim[]
}

/** Where a transaction is. */
export interface Receipt {
  chainId: number
  transactionHash: string
  blockNumber: bigint
}

/** The claims of a transaction, once the service has read its block; else why it has not. */
type ReadClaims = (receipt: Receipt) => Promise<readonly Claim[] | 'not followed' | 'not read yet'>

/**
 * Sends transactions one after the other, and waits until the service has seen what they claimed.
 *
 * @param report is called at each step, with all that was claimed so far.
 * @throws with a sentence for people if one cannot be sent; those before it stay.
 */
export async function sendClaims(
  connection: Connection,
  calls: readonly Call[],
  read: ReadClaims,
  report: (outcome: Outcome) => void,
) {
  const claims: Claim[] = []
  const notices: string[] = []
  const done = () => ({ claims: [...claims], notices: [...notices] })
  for (const [index, call] of calls.entries()) {
    const { chainId, chainName } = call
    const step = calls.length === 1 ? '' : ` (${index + 1} of ${calls.length}, on ${chainName})`
    const reportStep = (progress: string) => report({ ...done(), progress: progress + step })
    const { notice, transactionHash, blockNumber } = await sendClaim(connection, call, reportStep)
    if (notice !== undefined) notices.push(notice)
    reportStep(`In block ${blockNumber}. Waiting until this service has read it…`)
    const found = await read({ chainId, transactionHash, blockNumber })
    if (typeof found !== 'string') claims.push(...found)
    if (found.length === 0) notices.push('The transaction has claimed nothing.')
    if (found === 'not followed') {
      notices.push(
        `It is in block ${blockNumber}. This service does not follow ${chainName}, and shows the claim once it is imported.`,
      )
    }
    if (found === 'not read yet') {
      notices.push(
        `It is in block ${blockNumber}, which this service has not read yet: it shows the claim once it has.`,
      )
    }
  }
  report(done())
}
