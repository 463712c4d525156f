import { expect, test } from 'vitest'
import { anAddress } from '../../setup/records.ts'
import { refusalOf } from '../../setup/refusals.ts'

const address = anAddress('token')
const token = `8453:${address}`

test('what makes no sense is refused with all that is wrong', async () => {
  const refused = (query: string) => refusalOf(`/prices?${query}`)
  expect(await refused('')).toBe('token is required')
  for (const unknown of ['usdc', `9007199254740992:${address}`]) {
    expect(await refused(`token=${unknown}`)).toContain('token must be a token <chainId>:<address>')
  }
  expect(await refused(`token=${token}&at=2999-01-01T00:00:00Z`)).toBe('at must not be in the future')
  expect(await refused(`token=${token}&since=2026-01-01T00:00:00Z`)).toBe(
    'since needs until too; since needs interval too',
  )
  const series = (until: string) => `token=${token}&since=2026-01-01T00:00:00Z&until=${until}&interval=1h`
  expect(await refused(`${series('2026-01-01T04:00:00Z')}&at=2026-01-01T00:00:00Z`)).toBe(
    'at must not be given with interval',
  )
  expect(await refused(series('2999-01-01T00:00:00Z'))).toBe(
    'until must not be in the future; since, until and interval ask for 8529144 points: at most 400 are allowed',
  )
  expect(await refused(series('2026-01-17T16:00:01Z'))).toBe(
    'since, until and interval ask for 401 points: at most 400 are allowed',
  )
  expect(await refused(`token=${token}&interval=1h`)).toContain('interval needs since too')
})
