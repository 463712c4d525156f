import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { allowListeners } from '../abort-signals.ts'

/*
 * How the process ends at a signal: what was opened is closed, the last first. There is one shutdown for the whole
 * process, as signals are for the whole process.
 */

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const

/**
 * Repetitions of one signal: a terminal signals the whole process group, and npm and `timeout` pass on what they
 * receive.
 */
const DUPLICATE_SIGNAL_MS = 100

/** A signal that comes twice within this time counts once; the third one, or a later one, forces the end. */
const DOUBLE_SIGNAL_MS = 3000

/** How long a forced close may take. */
const FORCED_EXIT_MS = 5000

/** The part of the time in which a service may end its requests and pools; the rest is for the embedded server. */
export const SHARE_OF_REQUESTS = 0.9

interface Closing {
  close: () => Promise<void>
  closesWhenForced: boolean
}

const closings: Closing[] = []
const requested = new AbortController()

/** Aborted when a shutdown is requested. */
export const ending: AbortSignal = requested.signal
allowListeners(ending)

/**
 * Registers something to close before the process ends; with `closesWhenForced` also if there is no time for the rest.
 * Returns a function that closes it earlier; it is closed once.
 */
export function onShutdown(close: () => Promise<void>, { closesWhenForced = false } = {}): () => Promise<void> {
  let closed: Promise<void> | undefined
  const closing: Closing = {
    closesWhenForced,
    close() {
      closed ??= close().finally(() => closings.splice(closings.indexOf(closing), 1))
      return closed
    },
  }
  closings.push(closing)
  return closing.close
}

/** Closes what is open, the last first; also what is opened meanwhile. */
export async function closeAll(onError?: (error: unknown) => void) {
  for (let closing = closings.at(-1); closing !== undefined; closing = closings.at(-1)) {
    await closing.close().catch((error: unknown) => onError?.(error))
  }
}

export interface ShutdownOptions {
  /** How long everything together may take to close; a forced close comes after it. */
  timeoutMs: number
  /** The exit code of an orderly end. */
  toExitCode: (signalCode: number) => number
  onError: (error: unknown) => void
}

/** From now on the process shuts down in order on a signal or an unexpected error. */
export function handleSignals({ timeoutMs, toExitCode, onError }: ShutdownOptions) {
  const requests = createRequestCounter()
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      const signalCode = 128 + constants.signals[signal]
      const request = requests.count(performance.now())
      if (request === 'first') void end(toExitCode(signalCode))
      if (request === 'forced') void forceExit(signalCode)
    })
  }
  // The reader of the output is gone: reporting that would fail too, again and again.
  process.stderr.on('error', () => undefined)
  process.on('uncaughtException', (error) => {
    fail(error)
    void end(1)
  })

  async function end(code: number) {
    if (ending.aborted) return
    process.exitCode = code
    requested.abort()
    const isInTime = await Promise.race([closeAll(fail).then(() => true), sleep(timeoutMs, false)])
    if (!isInTime) await forceExit(1)
    process.exit()
  }

  async function forceExit(code: number) {
    const needed = closings.filter(({ closesWhenForced }) => closesWhenForced)
    await Promise.race([Promise.all(needed.map(({ close }) => close().catch(fail))), sleep(FORCED_EXIT_MS)])
    process.exit(code)
  }

  function fail(error: unknown) {
    process.exitCode = 1
    onError(error)
  }
}

/** Distinguishes the first shutdown signal, duplicates of it, and a signal that forces the exit. */
export function createRequestCounter() {
  let count = 0
  let firstAt = 0
  let lastAt = Number.NEGATIVE_INFINITY
  return {
    count(now: number): 'first' | 'same' | 'forced' {
      const isEcho = now - lastAt < DUPLICATE_SIGNAL_MS
      lastAt = now
      if (isEcho) return 'same'
      count += 1
      if (count === 1) firstAt = now
      if (count === 1) return 'first'
      return count === 2 && now - firstAt < DOUBLE_SIGNAL_MS ? 'same' : 'forced'
    },
  }
}
