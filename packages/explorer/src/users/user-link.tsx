import { shortenHex } from '../address.tsx'

/** Where the page of an account is. */
export const userPath = (address: string) => `/explorer/users/${address}`

/** The way to what an account has claimed and can claim. */
export function UserLink({ address }: { address: string }) {
  return (
    <a href={userPath(address)}>
      <code title={address}>{shortenHex(address)}</code>
    </a>
  )
}
