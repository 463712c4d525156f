import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CancelSignal, currentCaller, withAbort, withoutAbort } from '../../src/abort-context.ts'

test('what is asked for all does not end with the work that asks, and the rest of that work does', async () => {
  const abandonment = new CancelSignal()
  await withAbort(abandonment, async () => {
    const shared = withoutAbort(async () => {
      await sleep(1)
      return currentCaller()
    })
    expect(currentCaller()?.signal).toBe(abandonment)
    expect(await shared).toBeUndefined()
    expect(currentCaller()?.signal).toBe(abandonment)
  })
})
