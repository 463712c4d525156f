import { expect, test } from 'vitest'
import { anAddress } from '../../setup/records.ts'
import { refusalOf } from '../../setup/refusals.ts'

const idOf = (identifier: number) => `8453:${anAddress('core')}:${identifier}`

test('both parameters are required, and of at most 50 campaigns', async () => {
  const user = anAddress('user')
  const refused = (query: string) => refusalOf(`/eligibility?${query}`)
  expect(await refused('')).toBe('user is required; campaignId is required')
  const twice = `user=${user}&user=${user}&campaignId=${idOf(1)}`
  expect(await refused(twice)).toBe('user must be given at most once')
  expect(await refused(`user=${user}`)).toBe('campaignId is required')
  expect(await refused(`campaignId=${idOf(1)}`)).toBe('user is required')
  expect(await refused('user=x')).toContain('user must be an address')
  const many = Array.from({ length: 51 }, (_, index) => idOf(index))
  expect(await refused(`user=${user}&campaignId=${many}`)).toContain('campaignId must have at most 50 entries')
})
