import { type Client, type ClientOptions, createClient } from 'reward-campaigns-client'
import { startTestApp, type TestApp } from './test-app.ts'

export interface TestClient extends AsyncDisposable {
  api: TestApp
  baseUrl: string
  client: Client
  /** What was asked so far, and what the responses were. */
  exchanges: { request: Request; status: number }[]
}

/** The client beside the real service, which it asks over HTTP. */
export async function startTestClient(
  options: Omit<Partial<ClientOptions>, 'fetch'> = {},
  settings: Record<string, string> = {},
): Promise<TestClient> {
  const api = await startTestApp(settings)
  const baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const exchanges: TestClient['exchanges'] = []
  const client = createClient({
    baseUrl,
    async fetch(request) {
      const response = await fetch(request)
      exchanges.push({ request, status: response.status })
      return response
    },
    ...options,
  })
  return { api, baseUrl, client, exchanges, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}
