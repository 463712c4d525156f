import { ServiceError } from 'reward-campaigns-client'
import { notifyAll } from '../requests/live-changes.ts'
import { patientClient } from '../requests/service.ts'
import { loadWallet } from './load-wallet.ts'
import type { Call, Outcome, Receipt } from './wallet.ts'
import { changeWallet, sentenceOf, walletState } from './wallet-state.ts'

/**
 * Claims by the connected wallet.
 *
 * @param toCalls finds the transactions; what it refuses is reported.
 * @param report is called at each step; the last time without `progress`.
 */
export async function claimRewards(toCalls: () => Promise<Call[]>, report: (outcome: Outcome) => void) {
  const { connection, isClaiming } = walletState()
  if (connection === undefined || isClaiming) return
  changeWallet({ isClaiming: true })
  let last: Outcome = {}
  const reportStep = (outcome: Outcome) => {
    last = outcome
    report(outcome)
  }
  try {
    reportStep({ progress: 'Preparing…' })
    const { sendClaims } = await loadWallet()
    await sendClaims(connection, await toCalls(), readClaims, reportStep)
  } catch (failure) {
    const { progress: _, ...done } = last
    reportStep({ ...done, problem: sentenceOf(failure) })
  }
  changeWallet({ isClaiming: false, claimed: [...(last.claims ?? []), ...walletState().claimed] })
  notifyAll()
}

const readClaims = (receipt: Receipt) =>
  patientClient
    .afterReceipt(receipt)
    .catch((failure: unknown) =>
      failure instanceof ServiceError && failure.status === 400 ? 'not followed' : 'not read yet',
    )
