import type { Logger } from 'pino'
import type { ChainCampaign } from '../chains/campaign-reads.ts'
import type { ChainSettings } from '../chains/chain-file.ts'
import type { EndpointCounts } from '../chains/endpoints.ts'
import type { FollowingStep } from '../chains/following-steps.ts'
import type { ChainEvent } from './chain-events.ts'

/** Progress of a back-fill is told so often at most. */
const BACK_FILL_MS = 5000

/** Most components of a step that are told one by one. */
const MOST_TOLD = 10

type UnknownComponent = ChainCampaign['unknown'][number]

/**
 * What the log says of one chain: a change when it happens, how far the chain is when asked; nothing for each look.
 * @param clock milliseconds, from whenever.
 */
export function createJournal(
  parent: Logger,
  { chainId, urls, startBlock }: ChainSettings,
  clock: () => number = () => performance.now(),
) {
  const log = parent.child({ chain: chainId })
  const told = new Set<string>()
  let head: number | undefined
  let finalized: number | undefined
  let asOf: { number: number; timestamp?: number } | undefined
  let isFollowing = false
  /** What keeps the chain from being followed, as it was last told. */
  let trouble: string | undefined
  let backFill = { to: startBlock - 1, at: clock() }
  let counted: EndpointCounts[] = []

  log.info({ endpoints: urls.length, startBlock }, 'the chain is to be followed')

  function note(event: ChainEvent) {
    switch (event.type) {
      case 'waiting':
        return log.info('another process follows the chain: waiting for its end')
      case 'opened': {
        const { asOf: stored, backFilledTo } = event.state
        asOf = stored ?? undefined
        isFollowing = false
        backFill = { to: backFilledTo, at: clock() }
        return log.info({ asOf: stored?.number ?? null }, 'this process follows the chain')
      }
      case 'heads':
        head = event.head.number
        finalized = event.finalized?.number
        return
      case 'stored':
        tellEnd()
        return tellStep(event.step)
      case 'arrived':
        asOf = event.asOf
        if (!isFollowing) log.info({ asOf: asOf.number, lagSeconds: lag() }, 'following: the newest block is stored')
        isFollowing = true
        return
      case 'left-out': {
        const { campaignId, reason } = event
        if (reason === undefined) return log.info({ campaignId }, 'the campaign that was left out is stored')
        return log.error({ campaignId, reason }, 'the database refuses a campaign: it is left out, and tried again')
      }
      case 'trouble':
        return tellTrouble(event.reason, 'the chain cannot be read, trying again')
      case 'store-lost':
        return tellTrouble(event.reason, 'the chain cannot be stored, trying again')
      case 'defect':
        if (trouble !== String(event.error)) log.error({ err: event.error }, 'an unexpected error, trying again')
        trouble = String(event.error)
    }
  }

  function tellTrouble(reason: string, message: string) {
    if (trouble !== reason) log.warn({ reason }, message)
    trouble = reason
  }

  function tellEnd() {
    if (trouble !== undefined) log.info('the chain is read and stored again')
    trouble = undefined
  }

  function tellStep(step: FollowingStep) {
    if (step.type === 'restart') {
      isFollowing = false
      backFill = { to: startBlock - 1, at: clock() }
      log.warn('the chain has none of the stored blocks any more: all of it is read again')
    }
    if (step.type === 'back-fill') tellBackFill(step.to)
    if (step.type === 'advance') {
      asOf = step.asOf
      if (step.depth > 0) {
        log.info({ depth: step.depth, base: step.base, asOf: asOf.number }, 'a reorganisation was followed')
      }
    }
    if (step.type === 'back-fill' || step.type === 'advance') {
      const unreadable = step.unreadable.map((one): UnknownComponent => ({ kind: 'campaign', ...one }))
      tellUnknown([...unreadable, ...(step.type === 'advance' ? step.campaigns.flatMap(({ unknown }) => unknown) : [])])
      if (step.strayClaims > 0) {
        log.warn({ strayClaims: step.strayClaims }, 'claims on incentives that are not known were left out')
      }
    }
  }

  function tellBackFill(to: number) {
    const ms = clock() - backFill.at
    if (ms < BACK_FILL_MS) return
    const blocksPerSecond = Math.round((1000 * (to - backFill.to)) / ms)
    backFill = { to, at: clock() }
    const share = finalized === undefined ? undefined : (to - startBlock + 1) / (finalized - startBlock + 1)
    const percent = share === undefined ? undefined : Math.floor(1000 * share) / 10
    log.info({ block: to, finalized, percent, blocksPerSecond }, 'back-filling')
  }

  /** Each once: a campaign is read again with each claim. */
  function tellUnknown(components: UnknownComponent[]) {
    const keyOf = ({ kind, campaignId, position }: UnknownComponent) => `${kind} ${campaignId} ${position}`
    const fresh = components.filter((component) => !told.has(keyOf(component)))
    for (const component of fresh) told.add(keyOf(component))
    for (const component of fresh.slice(0, MOST_TOLD)) {
      log.warn(component, 'a component is of no known kind, or cannot be read')
    }
    if (fresh.length > MOST_TOLD) {
      log.warn({ count: fresh.length - MOST_TOLD }, 'more such components; `index --status` names them')
    }
  }

  /** Seconds since the newest stored block. */
  const lag = () =>
    asOf?.timestamp === undefined ? undefined : Math.max(0, Math.floor(Date.now() / 1000) - asOf.timestamp)

  return {
    note,
    /** @param counts of the endpoints: what has failed since the last time is told. */
    tellProgress(counts: EndpointCounts[]) {
      const failures = Object.fromEntries(counts.flatMap((now) => failuresSince(counted, now)))
      counted = counts
      const endpointErrors = Object.keys(failures).length === 0 ? undefined : failures
      log.info({ asOf: asOf?.number, head, finalized, lagSeconds: lag(), endpointErrors }, 'so far')
    },
  }
}

/** What an endpoint has failed at since it was counted before, by its name; empty where there is nothing. */
function failuresSince(earlier: EndpointCounts[], { position, errors }: EndpointCounts) {
  const before: Record<string, number> = earlier.find((one) => one.position === position)?.errors ?? {}
  const recent = Object.entries(errors)
    .map(([fault, count]) => [fault, count - (before[fault] ?? 0)] as const)
    .filter(([, count]) => count > 0)
  return recent.length === 0 ? [] : [[`endpoint ${position}`, Object.fromEntries(recent)] as const]
}
