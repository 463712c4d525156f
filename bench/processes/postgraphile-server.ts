/*
 * PostGraphile 5 configured for production: on Node's own HTTP server, without its IDE, with persisted operations only. A
 * process of its own; its packages are in a folder of the benchmark.
 * Parameters: that folder, the connection string, the file of the operations, the size of the pool.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

const [folder = '', connectionString = '', operationsFile = '', poolSize = ''] = process.argv.slice(2)
const load = (file: string) => import(join(folder, 'node_modules', file))

const { postgraphile } = await load('postgraphile/dist/index.js')
const { PostGraphileAmberPreset } = await load('postgraphile/dist/presets/amber.js')
const { makePgService } = await load('@dataplan/pg/dist/adaptors/pg.js')
const { pgSmartTags } = await load('graphile-utils/dist/index.js')
const { grafserv } = await load('grafserv/dist/servers/node/index.js')
const { PersistedPlugin } = await load('@grafserv/persisted/dist/index.js')

const preset = {
  extends: [PostGraphileAmberPreset],
  plugins: [
    PersistedPlugin,
    // Reward tokens may be unknown to the service, so the database has no such key.
    pgSmartTags({
      kind: 'class',
      match: 'incentives',
      tags: { foreignKey: '(chain_id, asset) references tokens (chain_id, address)' },
    }),
  ],
  // It would hide what no index of its own is for, and which indexes there are is the business of the service.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString, schemas: ['public'], poolConfig: { max: Number(poolSize) } })],
  grafast: { explain: false },
  grafserv: {
    graphqlPath: '/graphql',
    graphiql: false,
    websockets: false,
    watch: false,
    persistedOperations: JSON.parse(readFileSync(operationsFile, 'utf8')),
    hashFromPayload: ({ documentId }: { documentId?: string }) => documentId,
    allowUnpersistedOperation: false,
  },
}

const server = createServer()
await postgraphile(preset).createServ(grafserv).addTo(server)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') process.send?.(`http://127.0.0.1:${address.port}`)
})
process.once('disconnect', () => process.exit())
