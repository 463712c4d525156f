import { servicePath } from '../navigation/service-path.ts'
import { client } from './service.ts'
import { useRequest } from './use-request.ts'

/** Where a list is empty because nothing at all is stored: how something comes in. */
export function HowToImport() {
  const request = useRequest(
    (signal) => client.listCampaigns({ pageSize: 0, tokenWhitelist: false }, { signal }),
    'any',
  )
  // What stands below waits, as it would be moved.
  if (request.state === 'loading') return <span class="pending" />
  if (request.state !== 'shown' || request.response.totalCampaigns > 0) return null
  return (
    <p>
      No campaign is stored yet. <code>reward-campaigns import FILE</code> loads some:{' '}
      <a href={servicePath('/docs/guides/importing')}>how to import</a>,{' '}
      <a href={servicePath('/docs/guides/following-a-chain')}>how to follow a chain</a>.
    </p>
  )
}
