import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createRepresentations, toContent } from './representations.ts'

/** Paths of the explorer's pages besides `/`; which of them it is, the page sees by itself. */
const PAGES = ['/explorer/campaigns', '/explorer/campaigns/:id', '/explorer/contracts', '/explorer/chains']

/** What its pages may load and ask: what this service itself serves. */
const POLICY =
  "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; connect-src 'self'; " +
  "img-src 'self' data:; script-src 'self'; style-src 'self'"

/**
 * The explorer: pages for people at `/`, which ask the public operations of this service. Programs, and everybody where
 * there is no folder, are led from `/` to the documentation. Names of scripts and styles change with what is in them, so
 * they may be kept; the page is asked for anew each time.
 */
export async function serveExplorer(app: FastifyInstance, folder: string | undefined) {
  const hidden = { schema: { hide: true } }
  if (folder === undefined) {
    app.get('/', hidden, async (_request, reply) => reply.redirect('/docs'))
    return
  }
  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/explorer/assets/',
    // These files and no others: a path leads nowhere else, however it is written.
    wildcard: false,
    index: false,
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
    schemaHide: true,
  })
  // Its tag is of what is in it: files of two versions can be of the same size and time.
  const page = toContent(await readFile(join(folder, 'explorer.html'), 'utf8'), 'text/html; charset=utf-8')
  const representations = createRepresentations('public, no-cache')
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    void reply.header('content-security-policy', POLICY)
    await representations.send(request, reply, page, () => undefined)
    return reply
  }
  app.get('/', hidden, async (request, reply) => {
    const origin = reply.getHeader('vary')
    void reply.header('vary', origin === undefined ? 'accept' : `${origin}, accept`)
    // Only browsers ask for pages by name.
    return request.headers.accept?.includes('text/html') ? sendPage(request, reply) : reply.redirect('/docs')
  })
  for (const url of PAGES) app.get(url, hidden, sendPage)
}
