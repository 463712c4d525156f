import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Content, createRepresentations } from '../http/representations.ts'
import type { ApiDocument } from './api-document.ts'

/** Addresses of pages; what is there is known when they are made. */
const PATHS = ['/llms.txt', '/docs', '/docs/:page', '/docs/guides/:guide']

/** What the pages may load: what this service itself serves. To try operations they may ask where these are served too. */
function docsPolicy(baseUrls: string[]) {
  const origins = baseUrls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin)
  const connectable = [...new Set(["'self'", ...origins])].join(' ')
  return (
    `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src ${connectable}; ` +
    "img-src 'self'; script-src 'self'; style-src 'self'"
  )
}

/**
 * `/docs`: the reference and the guides, which need nothing from the internet; `/llms.txt`: what leads a language model to both. They are made when somebody asks for the
 * first of them, so that no start waits for it.
 */
export function serveDocs(app: FastifyInstance, baseUrls: string[], hasExplorer: boolean) {
  const policy = docsPolicy(baseUrls)
  const representations = createRepresentations('public, no-cache')
  let pages: Promise<Map<string, Content>> | undefined

  async function make() {
    const { makePages } = await import('./pages.ts')
    return makePages(app.swagger() as ApiDocument, hasExplorer)
  }

  async function send(request: FastifyRequest, reply: FastifyReply) {
    pages ??= make()
    // What goes wrong once is tried again.
    pages.catch(() => {
      pages = undefined
    })
    const [path = ''] = request.url.split('?')
    const content = (await pages).get(path.replace(/\/$/, ''))
    if (content === undefined) return reply.callNotFound()
    void reply.header('content-security-policy', policy)
    await representations.send(request, reply, content, () => undefined)
    return reply
  }
  for (const url of PATHS) app.get(url, { schema: { hide: true } }, send)
}
