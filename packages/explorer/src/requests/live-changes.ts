import { PREFIX, servicePath } from '../navigation/service-path.ts'

/*
 * What changes while a page is looked at, by a stream of events: one for all that the page shows. Where there is none, pages
 * poll more often.
 */

const KINDS = [
  ...['campaign.added', 'campaign.changed', 'campaign.removed', 'claim.added', 'claim.removed'],
  ...['token.changed', 'price.changed', 'chain.reorganised', 'reset'],
]

/** The service refused the stream, or has no room for it now. */
const RETRY_MS = 60_000

const listeners = new Set<() => void>()
let source: EventSource | undefined
let url: string | undefined

/** Whether what changes is known at once. */
export const isLive = () => source?.readyState === 1

/** Calls a listener where something may have changed that the page shows, and where it begins or ends to be live. @returns what ends it. */
export function onChange(listener: () => void): () => void {
  listeners.add(listener)
  connect()
  return () => {
    listeners.delete(listener)
  }
}

/** Has the page ask again for all that it shows. */
export function notifyAll() {
  for (const listener of listeners) listener()
}

/** Follows what the page is about, as long as it is looked at. */
function connect() {
  const campaign = /^\/explorer\/campaigns\/([^/]+)/.exec(location.pathname.slice(PREFIX.length))?.[1]
  const wanted = document.hidden ? undefined : servicePath(`/changes${campaign ? `?campaignId=${campaign}` : ''}`)
  if (wanted === url || !('EventSource' in globalThis)) return
  source?.close()
  url = wanted
  source = wanted === undefined ? undefined : new EventSource(wanted)
  if (source === undefined) return
  for (const kind of ['open', ...KINDS]) source.addEventListener(kind, notifyAll)
  source.addEventListener('error', ({ target }) => {
    notifyAll()
    // Otherwise the browser connects again by itself.
    if (target === source && source?.readyState === 2) setTimeout(reconnect, RETRY_MS, source)
  })
}

function reconnect(refused: EventSource) {
  if (refused !== source) return
  url = undefined
  connect()
}

document.addEventListener('visibilitychange', connect)
