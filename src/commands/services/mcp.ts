import { version } from '../../http/version.ts'

/** For an operation and the way there and back. */
const TIMEOUT_MS = 30_000

/** `mcp`: tools for agents on standard input and output, over a deployment. Writes nothing, needs no settings. */
export async function mcp(baseUrl: string) {
  const { serveStandardStreams, ToolError } = await import('reward-campaigns-mcp')
  const ask = async (path: string, signal: AbortSignal) => {
    try {
      const url = `${baseUrl.replace(/\/$/, '')}${path}`
      const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) })
      return { status: response.status, body: await response.text() }
    } catch {
      throw new ToolError(`the service at ${baseUrl} cannot be reached, or takes too long`)
    }
  }
  // Standard output is for messages to the client.
  serveStandardStreams({ ask, version, onError: (error) => console.error(error) })
}
