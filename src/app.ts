import { join } from 'node:path'
import { type FastifyInstance, fastify } from 'fastify'
import { handleErrors, rejectMalformedQueries } from 'reward-campaigns-strict-http/request/errors/error-handling'
import { MAX_PROBLEMS, parseQuery } from 'reward-campaigns-strict-http/request/query-strings'
import { createRawResponses } from 'reward-campaigns-strict-http/request/raw-responses'
import {
  MAX_HEADER_BYTES,
  rejectAmbiguousRequests,
  rejectUnroutable,
  routeMalformed,
} from 'reward-campaigns-strict-http/request/routing'
import { validateParameters } from 'reward-campaigns-strict-http/request/validation'
import { addSecurityHeaders, allowOrigins } from 'reward-campaigns-strict-http/security/browser-headers'
import {
  clientNetworkOf,
  reportUnknownProxies,
  trustProxies,
} from 'reward-campaigns-strict-http/security/client-addresses'
import {
  createClientCounts,
  createRateLimit,
  enforceRateLimit,
} from 'reward-campaigns-strict-http/security/rate-limits'
import { shareOf } from 'reward-campaigns-strict-http/server/address-usage'
import { Connections } from 'reward-campaigns-strict-http/server/connections'
import { closeGracefully } from 'reward-campaigns-strict-http/server/graceful-shutdown'
import { connectionLimit, createHttpServer } from 'reward-campaigns-strict-http/server/http-server'
import { rejectWhileOverloaded } from 'reward-campaigns-strict-http/server/overload'
import { sendInPieces } from 'reward-campaigns-strict-http/server/response-sending'
import { ResponseCache } from './cache/response-cache.ts'
import { DatabaseUnreachableError } from './database/connection/database-errors.ts'
import { type Database, LOADING_CONNECTIONS, LOOKUP_CONNECTIONS } from './database/connection/open-database.ts'
import type { ServerState } from './database/connection/timeline-guard.ts'
import type { OpenSnapshot } from './database/exported-records/export-snapshots.ts'
import { serveDocs } from './features/docs/docs-routes.ts'
import { createExplorerRepository } from './features/explorer/explorer-repository.ts'
import { serveExplorer } from './features/explorer/explorer-routes.ts'
import type { LoadMcp } from './features/mcp/mcp-routes.ts'
import { serveWellKnown } from './features/well-known/well-known-routes.ts'
import { errorOptionsOf, problemTypeOf } from './http/failure-texts.ts'
import { collectOpenApi, serveOpenApi } from './http/openapi.ts'
import { EXPOSED_HEADERS } from './http/response-headers.ts'
import { serviceBaseUrl } from './http/service-links.ts'
import { createServiceCounts, type ServiceCounts } from './observability/counters.ts'
import { addHealthRoutes } from './observability/health.ts'
import type { LogStream } from './observability/log-output.ts'
import { createLogging, createRequestId, decorateForLog } from './observability/logging.ts'
import { schemas, serveOperations } from './operations.ts'
import { type CampaignIndexReader, followCampaigns } from './read-models/campaign-index/read.ts'
import { createDataVersionReader } from './read-models/data-version/read.ts'
import { suggestParameter } from './schemas/parameters/nearest-name.ts'
import { truncate } from './schemas/texts.ts'
import { createValidator, describeFault, type Validator } from './schemas/validator.ts'
import type { Settings } from './settings.ts'

export interface AppOptions {
  database: Database
  /** For cheap queries, so that they never wait for slow ones; by default `database`. */
  lookups?: Database
  /** How exports, and all campaigns, are read from the database; without it, that fails. */
  openSnapshot?: OpenSnapshot
  /** The index that lists of campaigns are found in; by default one that is loaded for the first of them. */
  campaignIndex?: CampaignIndexReader
  settings: Settings
  /** Whether the database is there and its schema current. */
  isReady: () => Promise<boolean>
  /** Whether that was once so since the start; every operation is refused until then. */
  isStarted?: () => Promise<boolean>
  /** The current PostgreSQL server, if known. */
  databaseServer?: () => ServerState | undefined
  /** Folder of the explorer's files, to be served where the settings say so; absent: `/` leads to the documentation. */
  explorerFolder?: string
  /** Folder of the documentation's pages, a folder of it for each set of what is served; absent: there is none. */
  docsFolder?: string
  /** Loads the tools for agents, where the settings say that they are served; absent: there are none. */
  loadMcp?: LoadMcp | undefined
  /** Traces requests, from their first hook on. */
  trace?: ((app: FastifyInstance) => void) | undefined
  /** The counters of the metrics. */
  counts?: ServiceCounts
  /** The moment of a response. */
  now?: () => Date
  /** Where log lines go; by default standard output. */
  logStream?: LogStream
}

/** What it has compiled holds for every app: it depends on the schemas alone. */
let validator: Validator | undefined

/** The whole HTTP service, not yet listening. Reads neither the environment nor the clock by itself. */
export async function buildApp(options: AppOptions) {
  const { database, lookups = database, settings } = options
  const { now = () => new Date(), counts = createServiceCounts(), databaseServer = () => undefined } = options
  const { openSnapshot = () => Promise.reject(new DatabaseUnreachableError('there is no way to it')) } = options
  const isProxy = settings.TRUSTED_PROXIES === undefined ? undefined : trustProxies(settings.TRUSTED_PROXIES)
  const connections = createConnections(settings, isProxy)
  const app = await createServer(options, connections, isProxy)

  options.trace?.(app)
  await handleRequests(app, connections, settings, isProxy)
  await collectOpenApi(app, settings)

  const versions = createDataVersionReader(lookups, now)
  const responseCache = new ResponseCache({
    versions,
    maxBytes: settings.RESPONSE_CACHE_MB * 1024 * 1024,
    staleIfErrorMs: settings.STALE_IF_ERROR_SECONDS * 1000,
    cacheControl: `public, max-age=${settings.CACHE_MAX_AGE_SECONDS}, stale-while-revalidate=${settings.CACHE_STALE_WHILE_REVALIDATE_SECONDS}`,
    counts,
    now,
    signalOf: ({ raw }) => connections.signalOf(raw),
    addressOf: clientNetworkOf,
  })
  const countClient = createClientCounts(now)
  const limit =
    settings.REQUESTS_PER_MINUTE === 0
      ? undefined
      : createRateLimit('requests', settings.REQUESTS_PER_MINUTE, countClient, counts.beyondLimit)
  const attempts = createRateLimit('failed-attempts', settings.FAILED_AUTH_PER_MINUTE, countClient, counts.beyondLimit)
  const { isReady, isStarted, loadMcp } = options
  const { campaignIndex = followCampaigns(lookups, openSnapshot) } = options
  const context = {
    database,
    lookups,
    openSnapshot,
    versions,
    campaignIndex,
    responseCache,
    connections,
    counts,
    settings,
  }
  await serveOperations(app, { ...context, databaseServer, loadMcp, now }, { limit, attempts }, isStarted)

  const isListing = settings.SURFACES.includes('public')
  addHealthRoutes(app, async () => {
    if (!(await isReady())) return false
    if (isListing) await campaignIndex.start()
    return true
  })
  await app.register(async (pages) => {
    if (limit !== undefined) enforceRateLimit(pages, limit)
    await servePages(pages, options, lookups, now)
  })
  return app
}

type IsProxy = ReturnType<typeof trustProxies> | undefined

const maxConnectionsOf = ({ MAX_CONNECTIONS, DATABASE_POOL_SIZE, MAX_EXPORTS }: Settings) =>
  connectionLimit(MAX_CONNECTIONS, DATABASE_POOL_SIZE + LOOKUP_CONNECTIONS + MAX_EXPORTS + LOADING_CONNECTIONS)

function createConnections(settings: Settings, isProxy: IsProxy) {
  const maxConnections = maxConnectionsOf(settings)
  return new Connections({
    maxConnections,
    maxConnectionsPerAddress: shareOf(maxConnections, settings.ADDRESS_SHARE_PERCENT),
    maxPipelined: settings.MAX_PIPELINED_REQUESTS,
    isProxy: (address) => isProxy?.(address, 0) ?? false,
    responses: createRawResponses(problemTypeOf(serviceBaseUrl(settings))),
  })
}

/** A server without routes: how it reads and validates requests, and writes its log. */
async function createServer(
  { settings, logStream, databaseServer }: AppOptions,
  connections: Connections,
  isProxy: IsProxy,
) {
  const app = fastify({
    ...(await createLogging(settings.LOG_LEVEL, logStream, {
      percent: settings.LOG_REQUESTS_PERCENT,
      server: () => databaseServer?.()?.address,
    })),
    genReqId: createRequestId,
    trustProxy: isProxy ?? false,
    // No parameter is too long for the router: whether it is a campaign ID is for the validator to say.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_HEADER_BYTES, querystringParser: parseQuery },
    serverFactory: (handler) =>
      createHttpServer(handler, connections, {
        maxConnections: maxConnectionsOf(settings),
        responses: createRawResponses(problemTypeOf(serviceBaseUrl(settings))),
        // The queries of a request are few, and each is over by then.
        silenceMs: 30_000 + 4 * (settings.DATABASE_ACQUIRE_TIMEOUT_MS + settings.STATEMENT_TIMEOUT_MS),
      }),
    // The server has its own, on all its addresses.
    clientErrorHandler: () => undefined,
    return503OnClosing: false,
    // A machine that is busy at the start makes the start slow, not wrong.
    pluginTimeout: 60_000,
    frameworkErrors: routeMalformed,
  })
  validator ??= createValidator(schemas, { maxFaults: MAX_PROBLEMS + 1 })
  decorateForLog(app)
  app.setValidatorCompiler(validateParameters(validator, { describeFault, suggest: suggestParameter, truncate }))
  // The types see to it that a response has the shape of its schema, and the tests check it: no need to do so each time.
  app.setSerializerCompiler(() => JSON.stringify)
  for (const schema of schemas) app.addSchema(schema)
  return app
}

/** What happens to every request, in this order. */
async function handleRequests(app: FastifyInstance, connections: Connections, settings: Settings, isProxy: IsProxy) {
  handleErrors(app, errorOptionsOf(serviceBaseUrl(settings)))
  reportUnknownProxies(app, isProxy, 'TRUSTED_PROXIES')
  const drainMs = settings.DRAIN_SECONDS * 1000
  // Before the whole process has to be gone.
  closeGracefully(app, connections, {
    drainMs,
    responseMs: (settings.SHUTDOWN_TIMEOUT_SECONDS * 1000 - drainMs) * 0.8,
  })
  addSecurityHeaders(app)
  rejectMalformedQueries(app)
  await allowOrigins(app, settings.CORS_ORIGINS, EXPOSED_HEADERS)
  // After CORS, so that pages can read these refusals too.
  rejectWhileOverloaded(app, connections, {
    maxConcurrent: settings.MAX_CONCURRENT_REQUESTS,
    maxConcurrentPerAddress: shareOf(settings.MAX_CONCURRENT_REQUESTS, settings.ADDRESS_SHARE_PERCENT),
    maxDelayMs: settings.MAX_EVENT_LOOP_DELAY_MS,
    isBehindProxy: isProxy !== undefined,
  })
  sendInPieces(app, connections)
  rejectAmbiguousRequests(app)
  rejectUnroutable(app)
}

/** What is no operation: the OpenAPI document, the explorer, the documentation, and what is well known. */
async function servePages(
  pages: FastifyInstance,
  { settings, ...folders }: AppOptions,
  lookups: Database,
  now: () => Date,
) {
  const isExplorerServed = settings.EXPLORER && settings.SURFACES.includes('public')
  const explorerFolder = isExplorerServed ? folders.explorerFolder : undefined
  serveOpenApi(pages)
  await serveExplorer(pages, explorerFolder, {
    campaigns: createExplorerRepository(lookups),
    hasAddressLookups: settings.ADDRESS_LOOKUPS,
    imageHosts: settings.IMAGE_HOSTS ?? [],
    surfaces: settings.SURFACES,
  })
  serveWellKnown(pages, settings, now)
  if (folders.docsFolder === undefined) return
  const served = ['public', 'staging'].filter((surface) => settings.SURFACES.includes(surface))
  const hasLookups = settings.ADDRESS_LOOKUPS || !served.includes('public')
  const set = [
    ...served,
    ...(explorerFolder === undefined ? [] : ['explorer']),
    ...(hasLookups ? [] : ['without-lookups']),
  ].join('-')
  serveDocs(pages, join(folders.docsFolder, set), settings)
}
