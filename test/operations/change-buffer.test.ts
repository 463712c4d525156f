import { expect, test } from 'vitest'
import { ChangeBuffer, createFilter } from '../../src/features/changes/change-buffer.ts'
import type { Change } from '../../src/schemas/changes.ts'
import { collectGarbage } from '../setup/collect-garbage.ts'

/** About as many as are buffered. */
const CHANGES = 3000

const changes = Array.from({ length: CHANGES }, (_, index): Change => {
  const campaignId = `8453:0x${'c'.repeat(40)}:${index}`
  return {
    cursor: `cursor ${index}`,
    kind: 'campaign.changed',
    at: '2026-01-31T12:00:00.000Z',
    chainId: 8453,
    campaignId,
  }
})

test('however many cursors and filters are asked for while nothing changes, little of their events stays in memory', () => {
  const buffer = new ChangeBuffer()
  buffer.add({ changes, next: `cursor ${CHANGES}`, hasMore: false })
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  for (let other = 1; other <= 6; other += 1) {
    const filter = createFilter({ chainId: [8453, other], wait: 0, pageSize: 100 })
    for (const { cursor } of changes) expect(buffer.after(cursor)?.eventsOf(filter)).toBeDefined()
  }
  collectGarbage()
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
})
