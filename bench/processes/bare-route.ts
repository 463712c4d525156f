/*
 * The maximum rate of Fastify: one route that responds with bytes in memory. It fetches them once from the URL that it is
 * given, and reports the address on which it listens.
 */
import { fastify } from 'fastify'
import { request } from '../measuring/measure.ts'

process.once('message', ({ url, paths }: { url: string; paths: string[] }) => {
  void serve(url, paths)
})
process.once('disconnect', () => process.exit())

async function serve(url: string, paths: string[]) {
  const responses = new Map<string | undefined, Buffer>()
  for (const path of new Set(paths)) responses.set(path, await request(url + path))
  const app = fastify()
  app.get('/*', (request, reply) => {
    void reply.header('content-type', 'application/json; charset=utf-8').send(responses.get(request.raw.url))
  })
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
}
