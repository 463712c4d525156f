import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLoopTurns, mapInTurns } from '../../src/turns.ts'

/** Keeps the event loop busy. */
function work(ms: number) {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('who waits takes turns, however much each of them wants', async () => {
  const awaitTurn = createLoopTurns()
  const order: string[] = []
  const take = async (who: string) => {
    await awaitTurn(who)
    order.push(who)
  }
  await Promise.all(['a', 'a', 'a', 'b', 'b', 'c'].map(take))
  expect(order.join('')).toBe('abcaba')
  await take('c')
  expect(order.at(-1)).toBe('c')
})

test('after each piece of work, as much time is left to everything else', async () => {
  const awaitTurn = createLoopTurns()
  const pieces: { begun: number; ended: number }[] = []
  const take = async () => {
    await awaitTurn('a')
    const begun = performance.now()
    work(20)
    pieces.push({ begun, ended: performance.now() })
  }
  let other = 0
  const others = setInterval(() => {
    other += 1
  }, 1)
  await Promise.all(Array.from({ length: 5 }, take))
  clearInterval(others)
  for (const [index, { begun }] of pieces.entries()) {
    // A timer may fire a millisecond early.
    if (index > 0) expect(begun - (pieces[index - 1]?.ended ?? 0)).toBeGreaterThan(18)
  }
  expect(other).toBeGreaterThan(4)
})

test('work that fails keeps nobody waiting', async () => {
  const awaitTurn = createLoopTurns()
  const failing = awaitTurn('a').then(() => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  await sleep(1)
  await awaitTurn('a')
})

test('short pieces of work have a turn in parts, and all else has one between them', async () => {
  const turns: number[] = []
  let turn = 0
  const others = () => {
    turn += 1
    if (turns.length < 7) setImmediate(others)
  }
  setImmediate(others)
  const outcomes = await mapInTurns(
    [1, 2, 3, 4, 5, 6, 7],
    async (number) => {
      turns.push(turn)
      return 2 * number
    },
    3,
  )
  expect(outcomes).toEqual([2, 4, 6, 8, 10, 12, 14])
  expect(turns.slice(0, 3)).toEqual([0, 0, 0])
  const [, , , second, , , third] = turns
  expect(second).toBeGreaterThan(0)
  expect(turns.slice(3, 6)).toEqual([second, second, second])
  expect(third).toBeGreaterThan(second ?? 0)
  expect(await mapInTurns([], async () => 1)).toEqual([])
})
