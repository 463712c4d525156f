/** What a service has answered. */
export interface OperationResponse {
  status: number
  body: string
}

/** Requests a path with its query of a service. Ended by the signal; may reject with a `ToolError`. */
export type Ask = (path: string, signal: AbortSignal) => Promise<OperationResponse>

/** Arguments of a tool, by name. */
export type Arguments = Record<string, unknown>

/** Requests an operation, and returns its body. */
export type Get = <Body>(path: string, query?: Arguments) => Promise<Body>

/** Why a tool gives nothing, in a sentence for the agent. */
export class ToolError extends Error {}

/**
 * Requests operations by an `Ask`. Arguments become parameters of the same name, lists with commas; absent and `null` ones
 * are left out.
 */
export const createGet =
  (ask: Ask, signal: AbortSignal): Get =>
  async <Body>(path: string, query: Arguments = {}) => {
    const { status, body } = await ask(`${path}${toQuery(query)}`, signal)
    const parsed = parse(body)
    if (status >= 200 && status < 300 && parsed !== undefined) return parsed as Body
    const sentence = (parsed as { error?: unknown } | null | undefined)?.error
    throw new ToolError(typeof sentence === 'string' ? sentence : `the service answered ${path} with status ${status}`)
  }

function toQuery(query: Arguments) {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name}=${encodeURIComponent(String(value))}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
