import { ChainCard } from '../chains/chain-card.tsx'
import { servicePath } from '../navigation/service-path.ts'
import { Heading } from '../parts/heading.tsx'
import { ApiRequests } from '../requests/api-requests.tsx'
import { Empty, Shown } from '../requests/request-result.tsx'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'

/** Blocks come every few seconds, and who looks here wants to see them come. */
const REFRESH_MS = 2_000

export function ChainsPage() {
  const request = useRequest((signal) => client.getStatus({ signal }), 'status', REFRESH_MS)
  return (
    <>
      <Heading title="Chains" />
      <p class="lead">
        Indexing status of each chain: the data includes everything up to its as-of block. This page updates itself.
      </p>
      <Shown request={request}>
        {({ chains }) =>
          chains.length === 0 ? (
            <Empty>
              <p>No chain is indexed here: the data was imported, and changes with the next import.</p>
              <p>
                <a href={servicePath('/docs/guides/following-a-chain')}>A guide</a> says how to index a chain.
              </p>
            </Empty>
          ) : (
            <ul class="cards">
              {chains.map((chain) => (
                <ChainCard key={chain.chainId} chain={chain} />
              ))}
            </ul>
          )
        }
      </Shown>
      <ApiRequests requests={[{ method: 'getStatus', path: '/status' }]} />
    </>
  )
}
