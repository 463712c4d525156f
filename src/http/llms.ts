import type { FastifyInstance } from 'fastify'
import { readGuides } from './guides.ts'
import { toLlmsText } from './llms-text.ts'
import { type Content, createRepresentations, toContent } from './representations.ts'

/** `/llms.txt`, made when it is asked for the first time: by then every operation is registered. */
export function serveLlmsText(app: FastifyInstance) {
  // Another version of the service may say something else.
  const representations = createRepresentations('public, no-cache')
  let made: Content | undefined
  app.get('/llms.txt', { schema: { hide: true } }, async (request, reply) => {
    made ??= toContent(toLlmsText(app.swagger(), await readGuides()), 'text/markdown; charset=utf-8')
    await representations.send(request, reply, made, () => undefined)
    return reply
  })
}
