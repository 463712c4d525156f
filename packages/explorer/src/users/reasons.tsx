import type { ClaimReason, Verdict } from 'reward-campaigns-client'
import { Transaction } from '../parts/address.tsx'
import { Count } from '../parts/amounts.tsx'
import { RelativeTime } from '../parts/times.tsx'

/** What each reason says; one without words here does not compile. */
const WORDS: Readonly<Record<ClaimReason['code'], string>> = {
  'not-started': 'The campaign starts',
  ended: 'The campaign ended',
  'claim-window-closed': 'It could be claimed until',
  'max-participants-reached': 'As many accounts have claimed as may',
  'incentive-spent': 'Nothing is left of it',
  'reward-exceeds-budget': 'It would pay more than is left, so the campaign would refuse it',
  'on-deny-list': 'The list keeps this account out',
  'not-on-allow-list': 'This account is not on the list of those who may',
  'list-unknown': 'Who is on its list is not known here',
  'already-claimed': 'Claimed as often as allowed',
  'claimed-before': 'Claimed before',
  'signature-missing': 'No signature or proof is recorded yet',
  'proof-outdated': 'The campaign has new amounts: the recorded proof is of earlier ones',
  'claim-fee-unknown': 'Its validator takes a fee that is not known here',
  'signature-invalid': 'The recorded signature is not by the signer that it names: the campaign would refuse it',
}

function sayingOf(code: ClaimReason['code'], allowed: number | undefined) {
  if (code !== 'already-claimed') return WORDS[code]
  // By a proof, there is no number of claims that are allowed.
  if (allowed === undefined) return 'All that the recorded proof pays was claimed'
  return allowed === 1 ? 'Already claimed' : WORDS[code]
}

/** Why an account can or cannot claim, with what proves it. */
export function Reasons({
  verdict,
  reasons,
  chainId,
}: {
  verdict: Verdict
  reasons: readonly ClaimReason[]
  chainId: number
}) {
  // No signature would help an account that cannot claim.
  const shown = verdict === 'blocked' ? reasons.filter(({ code }) => code !== 'signature-missing') : reasons
  if (shown.length === 0) return null
  return (
    <ul class="reasons">
      {shown.map((reason) => (
        <li key={reason.code}>
          <Reason reason={reason} chainId={chainId} />
        </li>
      ))}
    </ul>
  )
}

function Reason({
  reason: { code, at, txHash, allowed, maxParticipants },
  chainId,
}: {
  reason: ClaimReason
  chainId: number
}) {
  return (
    <>
      {sayingOf(code, allowed)}
      {allowed !== undefined && allowed > 1 && (
        <>
          {' '}
          (<Count value={allowed} />)
        </>
      )}
      {maxParticipants !== undefined && (
        <>
          {' '}
          (<Count value={maxParticipants} />)
        </>
      )}
      {at !== undefined && (
        <>
          {' '}
          <RelativeTime at={at} />
        </>
      )}
      {txHash !== undefined && (
        <>
          {' '}
          <Transaction chainId={chainId} hash={txHash} />
        </>
      )}
    </>
  )
}
