import { EventEmitter, once } from 'node:events'
import { withDeadline } from '../abort-signals.ts'
import type { Settings } from '../settings.ts'
import { ending } from './shutdown.ts'

/** How long a request waits for the embedded server and its sample data, which are made as fast as possible. */
const EMBEDDED_START_MS = 60_000

/** The startup of a service with its database, and the address of that once it is known. */
export interface StartupProgress {
  state: 'under way' | 'failing' | 'done'
  url: string | undefined
}

/** Whether the service has started: requests wait for a start that succeeds, and a failing one is reported at once. */
export function createStart({ DATABASE_URL: url, DATABASE_ACQUIRE_TIMEOUT_MS }: Settings) {
  const maxWaitMs = url === undefined ? EMBEDDED_START_MS : DATABASE_ACQUIRE_TIMEOUT_MS
  let news: StartupProgress = { state: 'under way', url }
  const changed = new EventEmitter().setMaxListeners(0)
  return {
    get isDone() {
      return news.state === 'done'
    },
    get url() {
      return news.url
    },
    record(next: StartupProgress) {
      news = next
      changed.emit('change')
    },
    async wait() {
      await withDeadline(maxWaitMs, ending, async (enough) => {
        while (news.state === 'under way' && !enough.aborted) {
          await once(changed, 'change', { signal: enough }).catch(() => undefined)
        }
      })
      return news.state === 'done'
    },
  }
}
