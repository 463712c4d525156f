import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { uncachedResponsesOf } from '../../http/responses.ts'
import { queryOf } from '../../schemas/parameters/query-values.ts'
import { version } from '../../schemas/version.ts'
import type { StatusRepository } from './status-repository.ts'
import { GetStatusResponse } from './status-schemas.ts'

const example: GetStatusResponse = {
  chains: [
    {
      chainId: 8453,
      asOfBlock: '38401005',
      asOfBlockHash: '0x25a9b1e5e4e2b5f0a3f8f1c6d2b7e9a4c3d8f7b6a5e4d3c2b1a0f9e8d7c6b5a4',
      asOfTime: '2026-01-31T12:00:00.000Z',
      headBlock: '38401005',
      finalizedBlock: '38400600',
      lagSeconds: 2,
      state: 'following',
      contractVersion: '1.2.0, 2.4.0',
      unvaluedClaims24h: 0,
      provenBlock: '38400600',
      provenAt: '2026-01-31T11:58:00.000Z',
      provenCampaigns: 12431,
      provenClaims: 1204331,
      differences: 0,
    },
  ],
  version,
}

const getStatus = {
  operationId: 'getStatus',
  summary: 'List indexed chains, and how fresh each is',
  description:
    'The indexed chains with the newest block of each. `x-as-of` names the blocks of a response; `minBlock` requires a minimum.',
  tags: ['Status'],
  querystring: queryOf({}),
  response: uncachedResponsesOf(
    {
      description: 'The current status.',
      schema: GetStatusResponse,
      example,
      otherExamples: { none: ['/status', { chains: [], version }, ' without indexed chains'] },
    },
    { 400: 'unknown parameter "chainId": this operation takes none' },
  ),
}

export const statusRoutes: FastifyPluginAsyncTypebox<{ status: StatusRepository }> = async (app, { status }) => {
  app.get('/status', { schema: getStatus }, async (_request, reply) => {
    void reply.header('cache-control', 'no-store')
    return { chains: await status.list(), version }
  })
}
