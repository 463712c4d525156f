import { expect, test } from 'vitest'
import { aCampaign, anAddress } from '../setup/records.ts'
import { startTestApp } from '../setup/test-app.ts'

test('an owner is matched without regard to case', async () => {
  await using api = await startTestApp()
  const owner = anAddress('somebody')
  const mine = aCampaign({ owner })
  await api.save(mine, aCampaign())
  const answer = await api.get(`/campaigns?owner=0x${owner.slice(2).toUpperCase()}`)
  expect(answer.json().campaigns.map(({ id }: { id: string }) => id)).toEqual([mine.id])
  expect(answer.json().totalCampaigns).toBe(1)
})
