import { expect, test } from 'vitest'
import { startTestApp } from '../../setup/test-app.ts'

const SHARED = 'all clients behind it share the limits of one address'

/** What the log says of requests: from an address, with these headers. */
async function warningsFor(
  settings: Record<string, string>,
  ...requests: [address: string, headers: Record<string, string>][]
) {
  await using api = await startTestApp(settings)
  for (const [remoteAddress, headers] of requests) await api.inject({ url: '/limits', remoteAddress, headers })
  return api.warnings
}

test.each(['X-Forwarded-For', 'Forwarded', 'X-Real-IP'])(
  '%s of somebody who is not trusted is told once, without what it says',
  async (header) => {
    const headers = { [header]: 'for=198.51.100.7' }
    const name = header.toLowerCase()
    expect(await warningsFor({}, ['::ffff:10.0.0.7', headers], ['10.0.0.8', headers])).toEqual([
      `${name} came from 10.0.0.7, which TRUSTED_PROXIES does not name: ${SHARED}`,
    ])
    expect(await warningsFor({ TRUSTED_PROXIES: 'loopback' }, ['10.0.0.7', headers])).toEqual([
      `${name} came from 10.0.0.7, which TRUSTED_PROXIES does not name: ${SHARED}`,
    ])
  },
)

test('a trusted proxy that names clients in another header is told', async () => {
  const trusted = { TRUSTED_PROXIES: '10.0.0.0/8' }
  expect(await warningsFor(trusted, ['10.0.0.7', { forwarded: 'for=198.51.100.7' }])).toEqual([
    `the proxy at 10.0.0.7 sends forwarded instead of x-forwarded-for: ${SHARED}`,
  ])
})

test('nothing is told of a proxy that is trusted, nor of a request without a proxy', async () => {
  const both = { 'x-forwarded-for': '198.51.100.7', 'x-real-ip': '198.51.100.7' }
  expect(await warningsFor({ TRUSTED_PROXIES: '10.0.0.0/8' }, ['10.0.0.7', both], ['192.0.2.1', {}])).toEqual([])
  expect(await warningsFor({}, ['192.0.2.1', {}])).toEqual([])
})
