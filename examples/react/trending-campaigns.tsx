import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import createQueryHooks from 'openapi-react-query'
import { createRoot } from 'react-dom/client'
import { createClient } from 'reward-campaigns-client'

const service = createQueryHooks(createClient({ baseUrl: 'http://localhost:3000' }).api)

function TrendingCampaigns() {
  const query = { params: { query: { period: '1h' } } } as const
  const { data, error } = service.useQuery('get', '/reward-kit/trending', query, { refetchInterval: 10_000 })
  if (error) return <p role="alert">{error instanceof Error ? error.message : error.error}</p>
  if (!data) return <p>Loading…</p>
  return (
    <ol>
      {data.trendingCampaigns.map(({ id, campaignName, usdDistributed1Hr }) => (
        <li key={id}>
          {campaignName ?? 'Unnamed'}: ${usdDistributed1Hr.toFixed(2)}
        </li>
      ))}
    </ol>
  )
}

// What is worth repeating, the client repeats.
const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })

createRoot(document.body).render(
  <QueryClientProvider client={queries}>
    <TrendingCampaigns />
  </QueryClientProvider>,
)
