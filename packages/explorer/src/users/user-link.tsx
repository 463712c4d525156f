import { servicePath } from '../navigation/service-path.ts'
import { shortenHex } from '../texts/shorten-hex.ts'

/** Where the page of an account is. */
export const userPath = (address: string) => servicePath(`/explorer/users/${address}`)

/** Whether the service says what an account has claimed and can claim; the page that it sends tells where it does not. */
export const hasAddressLookups = () => document.documentElement.dataset.addressLookups !== 'off'

/** An account, and the way to what it has claimed and can claim. */
export function UserLink({ address }: { address: string }) {
  const name = <code title={address}>{shortenHex(address)}</code>
  return hasAddressLookups() ? <a href={userPath(address)}>{name}</a> : name
}
