import { useState } from 'preact/hooks'
import type { Campaign } from 'reward-campaigns-client'
import { Address } from '../parts/address.tsx'
import { ZERO_ADDRESS } from '../texts/zero-address.ts'
import { receiversOf } from './incentives/incentive-sentences.ts'
import { counted } from './prose.ts'
import { Prose } from './prose-view.tsx'

/** How many addresses are shown, at first and with each click; a list can have a million. */
const STEP = 24
const MAX = 480

const KINDS: Readonly<Record<Campaign['allowList']['type'], string>> = {
  SimpleAllowList: 'Allow list',
  SimpleDenyList: 'Deny list',
  OpenAllowList: 'Open to all',
  OffchainAccessList: 'Access list of the service',
}

/** Who may claim. */
export function AllowList({ campaign }: { campaign: Campaign }) {
  const { chainId, allowList } = campaign
  const { addresses, type } = allowList
  return (
    <>
      <p>
        <strong>{KINDS[type]}</strong>: <Prose sentence={receiversOf(campaign)} /> may claim.
        <Keeper allowList={allowList} chainId={chainId} />
      </p>
      {addresses.length > 0 && (
        <details>
          <summary>{counted(addresses.length, 'address', 'addresses')} on the list</summary>
          <Addresses chainId={chainId} addresses={addresses} />
        </details>
      )}
    </>
  )
}

/** Who keeps a list, and where; a campaign without a list has the zero address in its place. */
function Keeper({ allowList, chainId }: { allowList: Campaign['allowList']; chainId: number }) {
  const { owner, contractAddress, type } = allowList
  const isContract = contractAddress !== ZERO_ADDRESS
  if (owner === ZERO_ADDRESS || (!isContract && type !== 'OffchainAccessList')) return null
  return (
    <>
      {' '}
      Kept by <Address chainId={chainId} address={owner} what="owner of the list" />
      {isContract && (
        <>
          {' '}
          at <Address chainId={chainId} address={contractAddress} what="list" />
        </>
      )}
    </>
  )
}

/** Some of the addresses on a list, of a long one those that are looked for. */
function Addresses({ chainId, addresses }: { chainId: number; addresses: readonly string[] }) {
  const [max, setMax] = useState(STEP)
  const [searched, setSearched] = useState('')
  const part = searched.trim().toLowerCase()
  const found = part === '' ? addresses : addresses.filter((address) => address.includes(part))
  const left = found.length - max
  return (
    <>
      {addresses.length > STEP && (
        <label class="field finder">
          Find an address on the list
          <input
            type="search"
            value={searched}
            placeholder="0x…"
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setSearched(event.currentTarget.value)}
          />
        </label>
      )}
      <p class="hidden" role="status">
        {part !== '' && `${counted(found.length, 'address', 'addresses')} found`}
      </p>
      <ul class="addresses" aria-label="Addresses on the list">
        {found.slice(0, max).map((address) => (
          <li key={address}>
            <Address chainId={chainId} address={address} />
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="soft">It is not on the list.</p>}
      {left > 0 && (
        <p class="soft">
          {counted(left, 'more address', 'more addresses')}{' '}
          {max < MAX && (
            <button type="button" class="copy" onClick={() => setMax(max + STEP * 2)}>
              Show more
            </button>
          )}
        </p>
      )}
    </>
  )
}
