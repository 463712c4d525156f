import '../users/users.css'
import { useLocation } from 'preact-iso'
import { Choice, chosenOf } from '../navigation/choice.tsx'
import { servicePath } from '../navigation/service-path.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Heading } from '../parts/heading.tsx'
import { ApiRequests } from '../requests/api-requests.tsx'
import { Shown } from '../requests/request-result.tsx'
import { requestPath } from '../requests/request-text.ts'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'
import { shortenHex } from '../texts/shorten-hex.ts'
import { AddressForm } from '../users/address-form.tsx'
import { RewardsView, STATES } from '../users/rewards-view.tsx'
import { userPath } from '../users/user-link.tsx'
import { WalletView } from '../wallet/wallet-view.tsx'

const PAGE_SIZE = 20

/** Whose rewards are to be shown. */
export function UsersPage() {
  return (
    <>
      <Heading title="Rewards" />
      <p class="lead">What an account can claim now and how, why not, and what it has claimed.</p>
      <AddressForm address={undefined} toUrl={userPath} label="Account" />
      <WalletView user={undefined} />
    </>
  )
}

/** What an account can claim, and has claimed. */
export function UserPage({ address = '' }: { address?: string }) {
  const { query } = useLocation()
  const state = chosenOf(STATES, query.state)
  const { cursor } = query
  const parameters = {
    ...(state !== 'all' && { state }),
    ...(cursor !== undefined && { cursor }),
    pageSize: PAGE_SIZE,
  }
  const request = {
    method: 'listRewards',
    path: `/users/${encodeURIComponent(address)}/rewards`,
    id: address,
    query: parameters,
  } as const
  const rewards = useRequest((signal) => client.listRewards(address, parameters, { signal }), requestPath(request))
  return (
    <>
      <p class="way">
        <a href={servicePath('/explorer/users')}>Rewards</a>
      </p>
      <Heading title={`Rewards of ${shortenHex(address)}`} />
      <p class="whole-address">
        <code>{address}</code> <CopyButton text={address} what="address" />
      </p>
      <AddressForm address={address} toUrl={userPath} label="Another account" />
      <WalletView user={address} />
      <div class="choices">
        <Choice legend="Show" name="state" options={STATES} chosen={state} />
      </div>
      <Shown request={rewards} lines={6}>
        {(response) => <RewardsView response={response} state={state} cursor={cursor} />}
      </Shown>
      <ApiRequests requests={[request]} />
    </>
  )
}
