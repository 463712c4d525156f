import { join } from 'node:path'
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import { ResponseCache } from './cache/response-cache.ts'
import { DatabaseUnreachableError, describeFailure } from './database/connection/database-errors.ts'
import { type Database, LOOKUP_CONNECTIONS } from './database/connection/open-database.ts'
import type { ServerState } from './database/connection/timeline-guard.ts'
import { createCredentialStore } from './database/lookups/credentials.ts'
import type { OpenSnapshot } from './database/records/export-snapshots.ts'
import { createAccessListRepository } from './features/access-lists/access-list-repository.ts'
import { accessListRoutes } from './features/access-lists/access-list-routes.ts'
import { accessListSchemas } from './features/access-lists/access-list-schemas.ts'
import { createActivityRepository } from './features/activity/activity-repository.ts'
import { activityRoutes } from './features/activity/activity-routes.ts'
import { activitySchemas } from './features/activity/activity-schemas.ts'
import { createCampaignRepository } from './features/campaigns/campaign-repository.ts'
import { campaignRoutes } from './features/campaigns/campaign-routes.ts'
import { campaignSchemas } from './features/campaigns/campaign-schemas.ts'
import { ChangeFeed } from './features/changes/change-feed.ts'
import { changeRoutes } from './features/changes/change-routes.ts'
import { changeSchemas } from './features/changes/change-schemas.ts'
import { createClaimRepository } from './features/claims/claim-repository.ts'
import { claimRoutes } from './features/claims/claim-routes.ts'
import { claimSchemas } from './features/claims/claim-schemas.ts'
import { createContractRepository } from './features/contracts/contract-repository.ts'
import { contractRoutes } from './features/contracts/contract-routes.ts'
import { contractSchemas } from './features/contracts/contract-schemas.ts'
import { serveDocs } from './features/docs/docs-routes.ts'
import { createEligibilityRepository } from './features/eligibility/eligibility-repository.ts'
import { eligibilityRoutes } from './features/eligibility/eligibility-routes.ts'
import { eligibilityFeatureSchemas } from './features/eligibility/eligibility-schemas.ts'
import { createExplorerRepository } from './features/explorer/explorer-repository.ts'
import { serveExplorer } from './features/explorer/explorer-routes.ts'
import { createExportRepository } from './features/export/export-repository.ts'
import { exportRoutes } from './features/export/export-routes.ts'
import { limitsRoutes } from './features/limits/limits-routes.ts'
import { limitsSchemas } from './features/limits/limits-schemas.ts'
import { type LoadMcp, mcpRoutes } from './features/mcp/mcp-routes.ts'
import { createOutlookRepository } from './features/outlook/outlook-repository.ts'
import { outlookRoutes } from './features/outlook/outlook-routes.ts'
import { outlookSchemas } from './features/outlook/outlook-schemas.ts'
import { createPriceRepository } from './features/prices/price-repository.ts'
import { priceRoutes } from './features/prices/price-routes.ts'
import { priceSchemas } from './features/prices/price-schemas.ts'
import { createProfileRepository } from './features/profiles/profile-repository.ts'
import { profileRoutes } from './features/profiles/profile-routes.ts'
import { profileSchemas } from './features/profiles/profile-schemas.ts'
import { createRewardRepository } from './features/rewards/reward-repository.ts'
import { rewardRoutes } from './features/rewards/reward-routes.ts'
import { rewardSchemas } from './features/rewards/reward-schemas.ts'
import { createStatusRepository } from './features/status/status-repository.ts'
import { statusRoutes } from './features/status/status-routes.ts'
import { statusSchemas } from './features/status/status-schemas.ts'
import { createTokenRepository } from './features/tokens/token-repository.ts'
import { tokenRoutes } from './features/tokens/token-routes.ts'
import { tokenSchemas } from './features/tokens/token-schemas.ts'
import { createTrendingRepository } from './features/trending/trending-repository.ts'
import { trendingRoutes } from './features/trending/trending-routes.ts'
import { trendingSchemas } from './features/trending/trending-schemas.ts'
import { serveWellKnown } from './features/well-known/well-known-routes.ts'
import { bearerToken, collectOpenApi, serveOpenApi } from './http/openapi/openapi.ts'
import { handleErrors, rejectMalformedQueries } from './http/request/errors/error-handling.ts'
import { errorSchemas } from './http/request/errors/error-schemas.ts'
import { MAX_PROBLEMS, parseQuery } from './http/request/query-strings.ts'
import {
  hideSurface,
  MAX_HEADER_BYTES,
  rejectAmbiguousRequests,
  rejectUnroutable,
  routeMalformed,
  serveSurface,
} from './http/request/routing.ts'
import { validateParameters } from './http/request/validation.ts'
import { requireBearerToken } from './http/security/authentication.ts'
import { addSecurityHeaders, allowOrigins } from './http/security/browser-headers.ts'
import { clientNetworkOf, trustProxies } from './http/security/client-addresses.ts'
import { createClientCounts, createRateLimit, enforceRateLimit } from './http/security/rate-limits.ts'
import { shareOf } from './http/server/address-usage.ts'
import { Connections } from './http/server/connections.ts'
import { closeGracefully } from './http/server/graceful-shutdown.ts'
import { connectionLimit, createHttpServer } from './http/server/http-server.ts'
import { abandonWithClient, rejectWhileOverloaded } from './http/server/overload.ts'
import { sendInPieces } from './http/server/response-sending.ts'
import { createServiceCounts, type ServiceCounts } from './observability/counters.ts'
import { addHealthRoutes } from './observability/health.ts'
import type { LogStream } from './observability/log-output.ts'
import { createLogging, createRequestId, decorateForLog } from './observability/logging.ts'
import { createChangeReader } from './read-models/changes/read.ts'
import { createDataVersionReader } from './read-models/data-version/read.ts'
import { eligibilitySchemas } from './schemas/campaigns/account-eligibility.ts'
import { namedSchemas } from './schemas/named-schemas.ts'
import { createValidator, type Validator } from './schemas/validator.ts'
import type { Settings } from './settings.ts'

export interface AppOptions {
  database: Database
  /** For cheap queries, so that they never wait for slow ones; by default `database`. */
  lookups?: Database
  /** How exports read the database; without it, they fail. */
  openSnapshot?: OpenSnapshot
  settings: Settings
  /** Whether the database is there and its schema current. */
  isReady: () => Promise<boolean>
  /** Whether that was once so since the start; every operation is refused until then. */
  isStarted?: () => Promise<boolean>
  /** The current PostgreSQL server, if known. */
  databaseServer?: () => ServerState | undefined
  /** Folder of the explorer's files, to be served where the settings say so; absent: `/` leads to the documentation. */
  explorerFolder?: string
  /** Folder of the documentation's pages, a folder of it for each set of surfaces; absent: there is none. */
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

const schemas = [
  ...namedSchemas,
  ...errorSchemas,
  ...campaignSchemas,
  ...trendingSchemas,
  ...contractSchemas,
  ...activitySchemas,
  ...outlookSchemas,
  ...priceSchemas,
  ...claimSchemas,
  ...changeSchemas,
  ...eligibilitySchemas,
  ...eligibilityFeatureSchemas,
  ...rewardSchemas,
  ...tokenSchemas,
  ...statusSchemas,
  ...limitsSchemas,
  ...accessListSchemas,
  ...profileSchemas,
]

/** What it has compiled holds for every app: it depends on the schemas alone. */
let validator: Validator | undefined

/** The whole HTTP service, not yet listening. Reads neither the environment nor the clock by itself. */
export async function buildApp(options: AppOptions) {
  const { database, lookups = database, settings, isReady, logStream } = options
  const { openSnapshot = () => Promise.reject(new DatabaseUnreachableError('there is no way to it')) } = options
  const { isStarted = async () => true, databaseServer = () => undefined } = options
  const { now = () => new Date(), counts = createServiceCounts() } = options
  const countClient = createClientCounts(now)
  const isProxy = settings.TRUSTED_PROXIES === undefined ? undefined : trustProxies(settings.TRUSTED_PROXIES)
  const maxConnections = connectionLimit(
    settings.MAX_CONNECTIONS,
    settings.DATABASE_POOL_SIZE + LOOKUP_CONNECTIONS + settings.MAX_EXPORTS,
  )
  const connections = new Connections({
    maxConnections,
    maxConnectionsPerAddress: shareOf(maxConnections, settings.ADDRESS_SHARE_PERCENT),
    maxPipelined: settings.MAX_PIPELINED_REQUESTS,
    isProxy: (address) => isProxy?.(address, 0) ?? false,
  })
  const app = fastify({
    ...(await createLogging(settings.LOG_LEVEL, logStream, {
      percent: settings.LOG_REQUESTS_PERCENT,
      server: () => databaseServer()?.address,
    })),
    genReqId: createRequestId,
    trustProxy: isProxy ?? false,
    // No parameter is too long for the router: whether it is a campaign ID is for the validator to say.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_HEADER_BYTES, querystringParser: parseQuery },
    serverFactory: (handler) =>
      createHttpServer(handler, connections, {
        maxConnections,
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
  app.setValidatorCompiler(validateParameters(validator))
  // The types see to it that a response has the shape of its schema, and the tests check it: no need to do so each time.
  app.setSerializerCompiler(() => JSON.stringify)
  for (const schema of schemas) app.addSchema(schema)

  options.trace?.(app)
  handleErrors(app)
  const drainMs = settings.DRAIN_SECONDS * 1000
  // Before the whole process has to be gone.
  closeGracefully(app, connections, {
    drainMs,
    responseMs: (settings.SHUTDOWN_TIMEOUT_SECONDS * 1000 - drainMs) * 0.8,
  })
  addSecurityHeaders(app)
  rejectMalformedQueries(app)
  await allowOrigins(app, settings.CORS_ORIGINS)
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
  await collectOpenApi(app)

  const signalOf = ({ raw }: FastifyRequest) => connections.signalOf(raw)
  const versions = createDataVersionReader(lookups, now)
  const responseCache = new ResponseCache({
    versions,
    maxBytes: settings.RESPONSE_CACHE_MB * 1024 * 1024,
    staleIfErrorMs: settings.STALE_IF_ERROR_SECONDS * 1000,
    cacheControl: `public, max-age=${settings.CACHE_MAX_AGE_SECONDS}, stale-while-revalidate=${settings.CACHE_STALE_WHILE_REVALIDATE_SECONDS}`,
    counts,
    now,
    signalOf,
    addressOf: clientNetworkOf,
  })
  const limit =
    settings.REQUESTS_PER_MINUTE === 0
      ? undefined
      : createRateLimit('requests', settings.REQUESTS_PER_MINUTE, countClient, counts)
  if (settings.SURFACES.includes('public')) {
    await serveSurface(app, { baseUrl: settings.PUBLIC_BASE_URL, security: [], limit, isStarted }, async (surface) => {
      const campaigns = createCampaignRepository(database, lookups, versions, now)
      const trending = createTrendingRepository(database, now)
      const contracts = createContractRepository(database, now)
      const activity = createActivityRepository(database, now)
      const prices = createPriceRepository(database, now)
      const claims = createClaimRepository(database)
      const status = createStatusRepository(lookups, now)
      await surface.register(campaignRoutes, { campaigns, responseCache })
      await surface.register(trendingRoutes, { trending, responseCache })
      await surface.register(contractRoutes, { contracts, responseCache })
      await surface.register(tokenRoutes, { tokens: createTokenRepository(database, now), responseCache })
      await surface.register(activityRoutes, { activity, responseCache })
      await surface.register(outlookRoutes, { outlooks: createOutlookRepository(database, now), responseCache })
      await surface.register(priceRoutes, { prices, responseCache, clock: now })
      await surface.register(claimRoutes, { claims, responseCache, hasAddressLookups: settings.ADDRESS_LOOKUPS })
      if (settings.ADDRESS_LOOKUPS) {
        await surface.register(eligibilityRoutes, {
          eligibility: createEligibilityRepository(database, now),
          responseCache,
        })
        await surface.register(rewardRoutes, { rewards: createRewardRepository(database, now), responseCache })
      }
      const startStream = ({ raw }: FastifyRequest) => connections.exchanges.startStream(connections.exchangeOf(raw))
      const feed = new ChangeFeed(createChangeReader(lookups), settings.MAX_STREAMS)
      counts.streams = () => feed.size
      await surface.register(changeRoutes, {
        ...{ changes: createChangeReader(database), feed, signalOf, startStream },
        onCutOff() {
          counts.slowStreams += 1
        },
      })
      await surface.register(exportRoutes, {
        exports: createExportRepository(openSnapshot, settings.MAX_EXPORTS, counts.exports),
        startStream,
      })
      await surface.register(statusRoutes, { status })
      if (settings.MCP && options.loadMcp !== undefined) {
        await surface.register(mcpRoutes, { load: options.loadMcp, origins: settings.CORS_ORIGINS, signalOf })
      }
      await surface.register(limitsRoutes, { settings, isStandby: () => databaseServer()?.isStandby === true })
    })
  }
  if (settings.SURFACES.includes('staging')) {
    await serveSurface(
      app,
      { baseUrl: settings.STAGING_BASE_URL, security: [bearerToken], limit, isStarted },
      async (surface) => {
        const credentials = createCredentialStore(lookups, now, (error) =>
          app.log.warn({ reason: describeFailure(error) }, 'could not record the use of a token'),
        )
        const attempts = createRateLimit('failed-attempts', settings.FAILED_AUTH_PER_MINUTE, countClient, counts)
        abandonWithClient(surface, (request) => ({ signal: signalOf(request), address: clientNetworkOf(request) }))
        await requireBearerToken(surface, credentials, attempts, counts)
        await surface.register(accessListRoutes, { accessLists: createAccessListRepository(database) })
        await surface.register(profileRoutes, { profiles: createProfileRepository(lookups, now) })
      },
    )
  } else {
    // Not served, and not to be taken for the ID of a campaign.
    hideSurface(app, ['/campaigns/accesslists'])
  }

  addHealthRoutes(app, isReady)
  const isExplorerServed = settings.EXPLORER && settings.SURFACES.includes('public')
  const explorerFolder = isExplorerServed ? options.explorerFolder : undefined
  await app.register(async (documents) => {
    if (limit !== undefined) enforceRateLimit(documents, limit)
    serveOpenApi(documents)
    await serveExplorer(documents, explorerFolder, {
      campaigns: createExplorerRepository(lookups),
      hasAddressLookups: settings.ADDRESS_LOOKUPS,
      surfaces: settings.SURFACES,
    })
    serveWellKnown(documents, settings, now)
    if (options.docsFolder === undefined) return
    const served = ['public', 'staging'].filter((surface) => settings.SURFACES.includes(surface))
    const pages = [...served, ...(explorerFolder === undefined ? [] : ['explorer'])].join('-')
    serveDocs(documents, join(options.docsFolder, pages), settings)
  })
  return app
}
