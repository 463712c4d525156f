import type { FastifyInstance, FastifyRequest } from 'fastify'
import { errorSchemas } from 'reward-campaigns-strict-http/request/errors/error-schemas'
import { hideSurface, serveSurface } from 'reward-campaigns-strict-http/request/routing'
import { clientNetworkOf } from 'reward-campaigns-strict-http/security/client-addresses'
import type { RateLimit } from 'reward-campaigns-strict-http/security/rate-limits'
import type { Connections } from 'reward-campaigns-strict-http/server/connections'
import type { ResponseCache } from './cache/response-cache.ts'
import { describeFailure } from './database/connection/database-errors.ts'
import type { Database } from './database/connection/open-database.ts'
import type { ServerState } from './database/connection/timeline-guard.ts'
import type { OpenSnapshot } from './database/exported-records/export-snapshots.ts'
import { createCredentialStore } from './database/lookups/bearer-tokens.ts'
import { createTokenStore } from './database/lookups/token-metadata-cache.ts'
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
import { createEligibilityRepository } from './features/eligibility/eligibility-repository.ts'
import { eligibilityRoutes } from './features/eligibility/eligibility-routes.ts'
import { eligibilityFeatureSchemas } from './features/eligibility/eligibility-schemas.ts'
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
import { abandonWithClient } from './http/abandoned-requests.ts'
import { requireCredential } from './http/authentication.ts'
import { bearerToken } from './http/openapi.ts'
import type { ServiceCounts } from './observability/counters.ts'
import type { CampaignIndexReader } from './read-models/campaign-index/read.ts'
import { createChangeReader } from './read-models/changes/read.ts'
import type { DataVersionReader } from './read-models/data-version/read.ts'
import { eligibilitySchemas } from './schemas/campaigns/account-eligibility.ts'
import { namedSchemas } from './schemas/named-schemas.ts'
import type { Settings } from './settings.ts'

/** What the operations work with, the same for all of an app. */
export interface OperationContext {
  database: Database
  /** For cheap queries, so that they never wait for slow ones. */
  lookups: Database
  openSnapshot: OpenSnapshot
  versions: DataVersionReader
  campaignIndex: CampaignIndexReader
  responseCache: ResponseCache
  connections: Connections
  counts: ServiceCounts
  settings: Settings
  databaseServer: () => ServerState | undefined
  loadMcp?: LoadMcp | undefined
  now: () => Date
}

/** Every schema that has a name, those of requests and responses alike. */
export const schemas = [
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

interface Limits {
  /** Of all requests; absent where the settings set none. */
  limit: RateLimit | undefined
  /** Of requests with a token that is not valid. */
  attempts: RateLimit
}

/** The operations of each surface that the settings name, below its own base URL. */
export async function serveOperations(
  app: FastifyInstance,
  context: OperationContext,
  { limit, attempts }: Limits,
  isStarted = async () => true,
) {
  const { settings, lookups, now, connections } = context
  if (settings.SURFACES.includes('public')) {
    const surface = { baseUrl: settings.PUBLIC_BASE_URL, security: [], limit, isStarted }
    await serveSurface(app, surface, (scope) => servePublicOperations(scope, context))
  }
  if (!settings.SURFACES.includes('staging')) {
    // Not served, and not to be taken for the ID of a campaign.
    hideSurface(app, ['/campaigns/accesslists'])
    return
  }
  const surface = { baseUrl: settings.STAGING_BASE_URL, security: [bearerToken], limit, isStarted }
  await serveSurface(app, surface, async (scope) => {
    const credentials = createCredentialStore(lookups, now, (error) =>
      app.log.warn({ reason: describeFailure(error) }, 'could not record the use of a token'),
    )
    const clientOf = (request: FastifyRequest) => ({
      signal: connections.signalOf(request.raw),
      address: clientNetworkOf(request),
    })
    abandonWithClient(scope, clientOf)
    await requireCredential(scope, credentials, attempts, context.counts)
    await serveProtectedOperations(scope, context)
  })
}

/** The operations of the surface that is open to all. */
async function servePublicOperations(surface: FastifyInstance, context: OperationContext) {
  const { database, lookups, campaignIndex, versions, responseCache, settings, now } = context
  // One for all: all show the same few tokens.
  const tokenStore = createTokenStore(lookups)
  const campaigns = createCampaignRepository({ database, lookups, tokenStore, campaignIndex, versions, clock: now })
  await surface.register(campaignRoutes, { campaigns, responseCache })
  await surface.register(trendingRoutes, {
    trending: createTrendingRepository(database, lookups, tokenStore, versions, now),
    responseCache,
  })
  await surface.register(contractRoutes, { contracts: createContractRepository(database, now), responseCache })
  await surface.register(tokenRoutes, {
    tokens: createTokenRepository(database, campaignIndex, versions, now),
    responseCache,
  })
  await surface.register(activityRoutes, { activity: createActivityRepository(database, now), responseCache })
  await surface.register(outlookRoutes, { outlooks: createOutlookRepository(database, now), responseCache })
  await surface.register(priceRoutes, { prices: createPriceRepository(database, now), responseCache, clock: now })
  await surface.register(claimRoutes, {
    claims: createClaimRepository(database, tokenStore),
    responseCache,
    hasAddressLookups: settings.ADDRESS_LOOKUPS,
  })
  if (settings.ADDRESS_LOOKUPS) {
    const eligibility = createEligibilityRepository(lookups, now)
    await surface.register(eligibilityRoutes, { eligibility, responseCache })
    await surface.register(rewardRoutes, {
      rewards: createRewardRepository(lookups, tokenStore, versions, now),
      responseCache,
    })
  }
  await serveStreams(surface, context)
  await surface.register(statusRoutes, { status: createStatusRepository(lookups, now) })
  if (settings.MCP && context.loadMcp !== undefined) {
    const { connections, loadMcp } = context
    await surface.register(mcpRoutes, {
      load: loadMcp,
      origins: settings.CORS_ORIGINS,
      signalOf: ({ raw }) => connections.signalOf(raw),
      requestInside: (client, send) => connections.requestInside(client, send),
    })
  }
  const isStandby = () => context.databaseServer()?.isStandby === true
  await surface.register(limitsRoutes, { settings, isStandby })
}

/** Changes and exports: responses that may take as long as their reader. */
async function serveStreams(surface: FastifyInstance, context: OperationContext) {
  const { database, lookups, openSnapshot, connections, counts, settings } = context
  const signalOf = ({ raw }: FastifyRequest) => connections.signalOf(raw)
  const startStream = ({ raw }: FastifyRequest) => connections.exchanges.startStream(connections.exchangeOf(raw))
  const feed = new ChangeFeed(createChangeReader(lookups), settings.MAX_STREAMS)
  counts.streams = () => feed.size
  const onCutOff = () => {
    counts.slowStreams += 1
  }
  await surface.register(changeRoutes, { changes: createChangeReader(database), feed, signalOf, startStream, onCutOff })
  const exports = createExportRepository(openSnapshot, settings.MAX_EXPORTS, counts.exports)
  await surface.register(exportRoutes, { exports, startStream })
}

/** The operations that need a bearer token. */
async function serveProtectedOperations(
  surface: FastifyInstance,
  { database, lookups, now }: Pick<OperationContext, 'database' | 'lookups' | 'now'>,
) {
  await surface.register(accessListRoutes, { accessLists: createAccessListRepository(database) })
  await surface.register(profileRoutes, { profiles: createProfileRepository(lookups, now) })
}
