import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { addVary, prefersType } from 'reward-campaigns-strict-http/content/negotiation'
import { clientNetworkOf } from 'reward-campaigns-strict-http/security/client-addresses'
import type { RecordKind } from '../../database/exported-records/record-columns.ts'
import type { RecordFormat } from '../../database/exported-records/record-sql.ts'
import { streamedResponsesOf } from '../../http/responses.ts'
import examples from './export-examples.json' with { type: 'json' }
import type { ExportRepository } from './export-repository.ts'
import { ExportQuery, ExportTimeRangeQuery } from './export-schemas.ts'

/** A record in both forms. */
const exampleOf = ({ type, ...record }: { type: string }) => ({
  ndjson: `${JSON.stringify({ type, ...record })}\n`,
  csv: `${Object.keys(record).join()}\r\n${Object.values(record).join()}\r\n`,
})

const contentTypes: Record<RecordFormat, string> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
}

const operationOf = (kind: RecordKind, operationId: string, what: string, querystring: typeof ExportQuery) => ({
  operationId,
  summary: `Export ${kind}`,
  description: `${what} As records in NDJSON, one a line, or with \`Accept: text/csv\` as CSV.`,
  tags: ['Export'],
  querystring,
  response: streamedResponsesOf(
    { description: 'The records of the page.', examples: exampleOf(examples[kind]) },
    { 400: `limit must be an integer from 1 to 100000, got 0` },
  ),
})

const operations = {
  campaigns: operationOf(
    'campaigns',
    'exportCampaigns',
    'Campaigns by chain, core contract and identifier. Before them, in NDJSON, the action templates, contracts, claim signatures and claim proofs that they need, which `limit` does not count.',
    ExportQuery,
  ),
  claims: operationOf('claims', 'exportClaims', 'Claims by chain and time, the oldest first.', ExportTimeRangeQuery),
  tokens: operationOf('tokens', 'exportTokens', 'Tokens by chain and address, without their prices.', ExportQuery),
  prices: operationOf(
    'prices',
    'exportPrices',
    'Prices of tokens by chain, address and time: those that count, wherever they come from.',
    ExportTimeRangeQuery,
  ),
}

interface ExportRoutes {
  exports: ExportRepository
  /** From now on the response takes as long as its client does. */
  startStream: (request: FastifyRequest) => void
}

export const exportRoutes: FastifyPluginAsyncTypebox<ExportRoutes> = async (app, { exports, startStream }) => {
  for (const kind of ['campaigns', 'claims', 'tokens', 'prices'] as const) {
    app.get(`/export/${kind}`, { schema: operations[kind] }, async (request, reply) => {
      const format = prefersType(request.headers.accept, 'text/csv', 'application/x-ndjson') ? 'csv' : 'ndjson'
      const { body, nextCursor, changesCursor, asOf } = await exports.open(
        kind,
        request.query,
        format,
        clientNetworkOf(request),
      )
      addVary(reply, 'accept')
      void reply.headers({
        'content-type': contentTypes[format],
        'cache-control': 'no-store',
        'x-changes-cursor': changesCursor,
      })
      if (nextCursor !== undefined) void reply.header('link', `<?${withCursor(request.url, nextCursor)}>; rel="next"`)
      if (asOf !== undefined) void reply.header('x-as-of', asOf)
      if (request.method !== 'HEAD') {
        startStream(request)
        return reply.send(body)
      }
      body.destroy()
      // A stream also here: to whatever else is sent, Fastify adds a charset.
      return reply.send(Readable.from([]))
    })
  }
}

/** The query of the page with this cursor. */
function withCursor(url: string, cursor: string) {
  const [, query] = url.split('?', 2)
  const parameters = (query ?? '').split('&').filter((pair) => pair !== '' && !/^cursor=/.test(pair))
  return [...parameters, `cursor=${cursor}`].join('&')
}
