import { expect, test } from 'vitest'
import { noteAge, staleSince } from '../../packages/explorer/src/requests/staleness.ts'

const kept = (age: number) =>
  new Response('{}', { headers: { age: String(age), 'cache-status': 'reward-campaigns; hit; fwd=stale' } })

test('an answer that was kept for when the database is away says since when, until there is a new one', () => {
  noteAge(new Response('{}'))
  expect(staleSince()).toBeUndefined()
  noteAge(kept(42))
  expect(Math.abs(Date.now() - 42_000 - Number(staleSince()))).toBeLessThan(1_000)
  noteAge(new Response('{}', { status: 503 }))
  expect(staleSince(), 'a refusal brings no figures').toBeDefined()
  noteAge(new Response(null, { status: 304 }))
  expect(staleSince()).toBeUndefined()
})
