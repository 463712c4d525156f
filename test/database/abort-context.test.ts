import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Abandonment, askForAll, askUntil, currentAsker } from '../../src/database/connection/abort-context.ts'

test('what is asked for all does not end with the work that asks, and the rest of that work does', async () => {
  const abandonment = new Abandonment()
  await askUntil(abandonment, async () => {
    const shared = askForAll(async () => {
      await sleep(1)
      return currentAsker()
    })
    expect(currentAsker()?.signal).toBe(abandonment)
    expect(await shared).toBeUndefined()
    expect(currentAsker()?.signal).toBe(abandonment)
  })
})
