import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { RecordedClaim } from '../../schemas/payloads/claim-signers.ts'
import { createLoopTurns } from '../../turns.ts'

/** Some 4 MB. */
const MAX_REMEMBERED = 20_000

/** Outcomes, by what they follow from: they never change, and to recover a signer takes milliseconds. */
const remembered = new LRUCache<string, boolean>({ max: MAX_REMEMBERED })
const awaitTurn = createLoopTurns()

/**
 * Whether the validator of a claim would refuse its recorded signature, because the signer that it names has not signed it; see
 * schemas/campaigns/claim-signers. Leaves half of the event loop's time to others.
 */
export async function isRefused(claim: RecordedClaim): Promise<boolean> {
  const { campaignId, claimant, validator, validatorKind, signature } = claim
  const facts = [campaignId, claimant, validator, validatorKind, signature].join(' ')
  const key = createHash('sha256').update(facts).digest('base64')
  const known = remembered.get(key)
  if (known !== undefined) return known
  // Loads the coder of calls and the cryptography, which few requests need.
  const { isClaimPayload } = await import('../../schemas/payloads/encode-claim-transaction.ts')
  const { isWronglySigned } = await import('../../schemas/payloads/claim-signers.ts')
  // Only a whole payload has a signer to recover: all else need not wait for its turn.
  const isPayload = isClaimPayload(signature)
  if (isPayload) await awaitTurn(claimant)
  const outcome = isPayload && (await isWronglySigned(claim))
  remembered.set(key, outcome)
  return outcome
}
