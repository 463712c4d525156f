import { expect, test } from 'vitest'
import { recordAge, staleSince } from '../../packages/explorer/src/requests/staleness.ts'

const kept = (age: number) =>
  new Response('{}', { headers: { age: String(age), 'cache-status': 'reward-campaigns; hit; fwd=stale' } })

test('an answer that was kept for when the database is away says since when, until there is a new one', () => {
  recordAge(new Response('{}'))
  expect(staleSince()).toBeUndefined()
  recordAge(kept(42))
  expect(Math.abs(Date.now() - 42_000 - Number(staleSince()))).toBeLessThan(1_000)
  recordAge(new Response('{}', { status: 503 }))
  expect(staleSince(), 'a refusal brings no figures').toBeDefined()
  recordAge(new Response(null, { status: 304 }))
  expect(staleSince()).toBeUndefined()
})
