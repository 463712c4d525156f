import { withDeadline } from '../../abort-signals.ts'
import { version } from '../../schemas/version.ts'

/** For an operation and the way there and back. */
const TIMEOUT_MS = 30_000

/** `mcp`: tools for agents on standard input and output, over a deployment. Writes nothing, needs no settings. */
export async function mcp(baseUrl: string) {
  const { serveStandardStreams, ToolError } = await import('reward-campaigns-mcp')
  const send = async (url: string, signal: AbortSignal) => {
    const response = await fetch(url, { signal })
    return { status: response.status, body: await response.text() }
  }
  const ask = (path: string, signal: AbortSignal) => {
    const url = `${baseUrl.replace(/\/$/, '')}${path}`
    return withDeadline(TIMEOUT_MS, signal, (ended) => send(url, ended)).catch(() => {
      throw new ToolError(`the service at ${baseUrl} cannot be reached, or takes too long`)
    })
  }
  // Standard output is for messages to the client.
  serveStandardStreams({ ask, version, onError: (error) => console.error(error) })
}
