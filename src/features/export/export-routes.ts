import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { RecordFormat } from '../../database/records/record-pages.ts'
import type { RecordKind } from '../../database/records/record-sources.ts'
import { addVary, prefersType } from '../../http/request/negotiation.ts'
import { streamedResponsesOf } from '../../http/request/responses.ts'
import type { ExportRepository } from './export-repository.ts'
import { ExportQuery, ExportTimeRangeQuery } from './export-schemas.ts'

interface ExportExample {
  ndjson: string
  csv: string
}

const campaign = {
  type: 'campaign',
  id: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1657',
  action: '0x6685aaca2edb9205f5b8ef2a614ceb88fc55b132',
  campaignName: 'Swap on Base',
  '…': '…',
}
const claim = {
  type: 'claim',
  campaignId: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1657',
  incentiveIndex: 0,
  claimant: '0x1ed08f5f7ed154e19d18f21e6b7f4a8402033aaa',
  amount: '2500000',
  '…': '…',
}
const token = {
  type: 'token',
  chainId: 8453,
  address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  decimals: 6,
  name: 'USD Coin',
  '…': '…',
}
const price = {
  type: 'tokenPrice',
  chainId: 8453,
  address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  at: '2026-01-31T12:00:00.000Z',
  priceUsd: '0.9998',
}

const exampleOf = ({ type, ...record }: { type: string }): ExportExample => ({
  ndjson: `${JSON.stringify({ type, ...record })}\n`,
  csv: `${Object.keys(record).join()}\r\n${Object.values(record).join()}\r\n`,
})

export const exportExamples: Record<RecordKind, ExportExample> = {
  campaigns: exampleOf(campaign),
  claims: exampleOf(claim),
  tokens: exampleOf(token),
  prices: exampleOf(price),
}

const contentTypes: Record<RecordFormat, string> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
}

const operationOf = (kind: RecordKind, operationId: string, what: string, querystring: typeof ExportQuery) => ({
  operationId,
  summary: `Export ${kind}`,
  description: what,
  tags: ['Export'],
  querystring,
  response: streamedResponsesOf(
    { description: 'The records of the page.', examples: exportExamples[kind] },
    { 400: `limit must be an integer from 1 to 100000, got 0` },
  ),
})

const operations = {
  campaigns: operationOf(
    'campaigns',
    'exportCampaigns',
    'Campaigns by chain, core contract and identifier. Before them, in NDJSON, the action templates, contracts and claim signatures that they need.',
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
      const { body, nextCursor, changesCursor, asOf } = await exports.open(kind, request.query, format)
      addVary(reply, 'accept')
      void reply.headers({
        'content-type': contentTypes[format],
        'cache-control': 'no-store',
        'x-changes-cursor': changesCursor,
      })
      if (nextCursor !== undefined) void reply.header('link', `<${withCursor(request.url, nextCursor)}>; rel="next"`)
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

function withCursor(url: string, cursor: string) {
  const [path, query] = url.split('?', 2)
  const parameters = (query ?? '').split('&').filter((pair) => pair !== '' && !/^cursor=/.test(pair))
  return `${path}?${[...parameters, `cursor=${cursor}`].join('&')}`
}
