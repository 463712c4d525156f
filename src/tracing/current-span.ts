import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from '@opentelemetry/api'

/** The span of the request that is being answered; it goes along with the work. */
export const currentSpan = new AsyncLocalStorage<Span>()
