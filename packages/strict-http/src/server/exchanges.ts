import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Usage, Usages } from './address-usage.ts'
import { createSharedBodies } from './response-buffers.ts'

/**
 * A request that has started and whose response has not been sent completely. Times are those of `performance.now()`.
 */
export interface Exchange {
  /** Ends it, whatever is left of it. */
  reset: () => void
  /** The client's address; the one that a trusted proxy names, if there is a proxy. */
  client: Usage
  /** Whether its response is ready and is being sent. */
  isRendered: boolean
  /** Whether it takes as long as its client wants. */
  isStream?: boolean
  sendingSince: number
  /** When the client last took some bytes, and how many the connection had sent by then. */
  progressAt: number
  sentBytes: number
  /** The key under which a large body is held while it is sent. */
  bodyKey?: string
}

/** One on a connection of its client. */
export interface ConnectionExchange extends Exchange {
  socket: Socket
  response: ServerResponse
}

export type Exchanges = ReturnType<typeof createExchanges>

/** Responses being made and responses being sent are counted separately: a slow reader uses only its connection. */
export function createExchanges(usages: Usages) {
  const bodies = createSharedBodies()
  let rendering = 0

  function endRendering(exchange: Exchange) {
    if (exchange.isRendered) return
    exchange.isRendered = true
    exchange.client.rendering -= 1
    rendering -= 1
  }

  /** The response is ready: from now on the client decides how long it takes. */
  function startSending(exchange: Exchange) {
    endRendering(exchange)
    exchange.sendingSince = performance.now()
    exchange.progressAt = exchange.sendingSince
  }

  return {
    /** How many responses are being made. */
    get rendering() {
      return rendering
    },

    begin(client: Usage, reset: () => void): Exchange {
      rendering += 1
      client.rendering += 1
      client.holders += 1
      return { reset, client, isRendered: false, sendingSince: 0, progressAt: 0, sentBytes: 0 }
    },

    /** Counts a request for the client that a proxy has named. */
    assign(exchange: Exchange, address: string) {
      exchange.client.rendering -= 1
      usages.release(exchange.client)
      exchange.client = usages.of(address)
      exchange.client.rendering += 1
    },

    startSending,

    /** `startSending` of one that takes as long as its client wants. */
    startStream(exchange: Exchange | undefined) {
      if (exchange === undefined) return
      exchange.isStream = true
      startSending(exchange)
    },

    /** Holds a large body to the end, and returns the bytes to send. */
    shareBody(exchange: Exchange, key: string, bytes: Buffer) {
      exchange.bodyKey = key
      return bodies.share(key, bytes, exchange)
    },

    end(exchange: Exchange) {
      endRendering(exchange)
      if (exchange.bodyKey !== undefined) bodies.release(exchange.bodyKey, exchange)
      usages.release(exchange.client)
    },
  }
}
