import { useState } from 'preact/hooks'
import type { Campaign } from 'reward-campaigns-client'
import { Address } from '../address.tsx'
import { receiversOf } from './incentive-sentences.ts'
import { counted } from './prose.ts'
import { Prose } from './prose-shown.tsx'

/** How many addresses are shown, at first and with each click; a list can have a million. */
const STEP = 24
const MOST = 480

const KINDS: Readonly<Record<Campaign['allowList']['type'], string>> = {
  SimpleAllowList: 'Allow list',
  SimpleDenyList: 'Deny list',
  OpenAllowList: 'Open to all',
  OffchainAccessList: 'Access list of the service',
}

/** Who may claim. */
export function AllowList({ campaign }: { campaign: Campaign }) {
  const [shown, setShown] = useState(STEP)
  const { chainId, allowList } = campaign
  const { addresses, type, owner, contractAddress } = allowList
  const left = addresses.length - shown
  return (
    <>
      <p>
        <strong>{KINDS[type]}</strong>: <Prose sentence={receiversOf(campaign)} /> may claim. Kept by{' '}
        <Address chainId={chainId} address={owner} what="owner of the list" /> at{' '}
        <Address chainId={chainId} address={contractAddress} what="list" />
      </p>
      {addresses.length > 0 && (
        <ul class="addresses" aria-label={counted(addresses.length, 'address', 'addresses')}>
          {addresses.slice(0, shown).map((address) => (
            <li key={address}>
              <Address chainId={chainId} address={address} />
            </li>
          ))}
        </ul>
      )}
      {left > 0 && (
        <p class="soft">
          {counted(left, 'more address', 'more addresses')}
          {shown < MOST && (
            <>
              {' '}
              <button type="button" class="copy" onClick={() => setShown(shown + STEP * 2)}>
                Show more
              </button>
            </>
          )}
        </p>
      )}
    </>
  )
}
