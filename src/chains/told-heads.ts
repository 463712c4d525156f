import { setTimeout as sleep } from 'node:timers/promises'
import { eitherSignal } from './either-signal.ts'
import type { BlockHeader } from './node-answers.ts'

/** Newest blocks as sockets tell them. Nobody believes them: they say when to look, and never what there is. */
export type ToldHeads = ReturnType<typeof createToldHeads>

export function createToldHeads() {
  let newest: BlockHeader | undefined
  let seen: BlockHeader | undefined
  let wake = () => {}

  /** What was told last, where it is not what was seen, nor older. */
  function news(): BlockHeader | undefined {
    if (newest === undefined || seen === undefined) return newest
    return newest.hash === seen.hash || newest.number < seen.number ? undefined : newest
  }

  return {
    tell(head: BlockHeader) {
      if (head.hash === newest?.hash) return
      newest = head
      if (news() !== undefined) wake()
    },
    /** The chain itself has said that this is its newest block. */
    see(head: BlockHeader) {
      seen = head
    },
    news,
    /** Waits for news, and no longer than it is told. */
    async wait(ms: number, signal: AbortSignal) {
      const waiting = new AbortController()
      wake = () => waiting.abort()
      await sleep(ms, undefined, { signal: eitherSignal(signal, waiting.signal) }).catch(() => undefined)
      waiting.abort()
    },
  }
}
