import { expect, test } from 'vitest'
import { version } from '../../src/schemas/version.ts'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { borrowTestApp } from '../setup/test-app.ts'

const now = new Date('2026-03-01T12:00:00.900Z')

test('where no chain is followed there are none', async () => {
  await using api = await borrowTestApp()
  const response = await api.get('/status')
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({ chains: [], version })
  expect(response.headers['cache-control']).toBe('no-store')
  expect(response.headers).not.toHaveProperty('x-as-of')
})

test('followed chains are told with how far they are, ascending', async () => {
  await using api = await borrowTestApp()
  api.setNow(now)
  const looked = { looked_at: '2026-03-01T11:59:59Z' }
  await setFollowed(api.database, 10, null, { head_block: 900, finalized_block: 800, ...looked })
  const unproven = { provenBlock: null, provenAt: null, provenCampaigns: null, provenClaims: null, differences: 0 }
  const proof = { proven_block: 100, proven_at: '2026-03-01T11:50:00Z', proven_campaigns: 3, proven_claims: 7 }
  await setFollowed(api.database, 8453, 120, {
    head_block: 122,
    finalized_block: 100,
    contract_version: '1.2.0, 2.4.0',
    ...looked,
    ...proof,
    differences: 1,
  })
  const proven = { provenBlock: '100', provenAt: '2026-03-01T11:50:00.000Z', provenCampaigns: 3, provenClaims: 7 }
  const seen = {
    ...{ ...proven, differences: 1 },
    asOfBlockHash: `0x${'1'.repeat(64)}`,
    asOfTime: '2026-03-01T11:59:58.000Z',
    lagSeconds: 2,
    contractVersion: '1.2.0, 2.4.0',
    unvaluedClaims24h: 0,
  }
  const unseen = {
    asOfBlock: null,
    asOfBlockHash: null,
    asOfTime: null,
    lagSeconds: null,
    unvaluedClaims24h: 0,
    ...unproven,
    contractVersion: null,
  }
  expect((await api.get('/status')).json()).toEqual({
    chains: [
      { chainId: 10, ...unseen, headBlock: '900', finalizedBlock: '800', state: 'back-filling' },
      { chainId: 8453, asOfBlock: '120', ...seen, headBlock: '122', finalizedBlock: '100', state: 'following' },
    ],
    version,
  })
})

test.each([
  { what: 'more than two blocks behind the head', columns: { head_block: 123 }, state: 'behind' },
  { what: 'silent for more than 15 seconds', columns: { looked_at: '2026-03-01T11:59:45Z' }, state: 'behind' },
  { what: 'never heard of since it was stored', columns: { looked_at: null }, state: 'behind' },
  { what: 'read again from its start', columns: { is_back_filling: true }, state: 'back-filling' },
  {
    what: 'read from its start, and silent for more than 15 seconds',
    columns: { is_back_filling: true, looked_at: '2026-03-01T11:59:45Z' },
    state: 'behind',
  },
])('a chain that is $what is $state', async ({ columns, state }) => {
  await using api = await borrowTestApp()
  api.setNow(now)
  await setFollowed(api.database, 1, 120, { head_block: 121, looked_at: '2026-03-01T11:59:59Z', ...columns })
  expect((await api.get('/status')).json().chains).toMatchObject([{ asOfBlock: '120', state }])
})

test('a clock behind that of the chain makes no negative lag', async () => {
  await using api = await borrowTestApp()
  api.setNow(new Date('2026-03-01T11:59:00Z'))
  await setFollowed(api.database, 1, 120)
  expect((await api.get('/status')).json().chains).toMatchObject([{ lagSeconds: 0 }])
})

test('it takes no parameters, needs no token, and is not there where only the protected operations are served', async () => {
  await using api = await borrowTestApp()
  const refused = await api.get('/status?chainId=1')
  expect(refused.statusCode).toBe(400)
  expect(refused.json()).toEqual({ error: 'unknown parameter "chainId": this operation takes none' })
  await using staging = await borrowTestApp({ SURFACES: 'staging' })
  expect((await staging.get('/status')).statusCode).toBe(404)
})
