import createOpenApiClient, { type Client as OpenApiClient } from 'openapi-fetch'
import { type ChangesQuery, iterateChanges } from './changes.ts'
import { CursorListing, Listing } from './listings.ts'
import type { paths } from './openapi.ts'
import {
  type Campaign,
  type CampaignListItem,
  type Change,
  type Claim,
  type ClaimTransactions,
  type ExploredContract,
  kindOf,
  type Operations,
  type Query,
  type ResponseOf,
  type Reward,
  type TrendingCampaign,
} from './operations.ts'
import { withResponseCache } from './response-cache.ts'
import { type Fetch, type RetryOptions, withRetries } from './retries.ts'
import { toServiceError } from './service-error.ts'
import { iterateStatement, readNextCursor } from './statements.ts'

export { toBaseUnits, toTokens } from './amounts.ts'
export type { ChangesQuery } from './changes.ts'
export type { CursorListing, Listing, Page } from './listings.ts'
export type { components, operations, paths } from './openapi.ts'
export type {
  AccessListItem,
  Campaign,
  CampaignActivity,
  CampaignEligibility,
  CampaignListItem,
  CampaignOutlook,
  ChainStatus,
  Change,
  Claim,
  ClaimReason,
  ClaimTransactions,
  ExploredContract,
  Incentive,
  IncentiveEligibility,
  IncentiveOf,
  IncentiveOutlook,
  IncentiveType,
  Query,
  ResponseOf,
  Reward,
  TokenIncentive,
  TokenMetadata,
  TrendingCampaign,
  UserProfile,
  Verdict,
} from './operations.ts'
export { type ParameterError, ServiceError } from './service-error.ts'

export interface ClientOptions extends RetryOptions {
  /** Where the public operations are: `https://api.example`, or in a browser a path of the page's own origin. */
  baseUrl: string
  /** Where the protected operations are. Absent: at `baseUrl`. */
  stagingUrl?: string | undefined
  /** Token for the protected operations, which alone are sent it. */
  token?: string | undefined
  /** Bytes of responses that are remembered, to be asked for with `If-None-Match`; 0: none. Default 4,000,000. */
  memoryBytes?: number | undefined
  /** What asks; absent: the global `fetch`. */
  fetch?: Fetch | undefined
}

export interface RequestOptions {
  /** Ends the request, also while it waits to be repeated; the promise then rejects with the signal's reason. */
  signal?: AbortSignal
}

/** What is read of the receipt of a transaction; viem's has all but the chain. */
export interface Receipt {
  chainId: number
  transactionHash: string
  blockNumber: bigint | number
}

/** What a listing may be asked: it counts the pages by itself. */
type ListingQuery<Id extends 'listCampaigns' | 'listContracts'> = Omit<Query<Id>, 'page' | 'pageSize' | 'cursor'> & {
  /** Entries that are asked for at a time, 1 to 100; default 100. */
  pageSize?: number
}

/** What a listing may be asked that goes on from page to page by a cursor, which it keeps by itself. */
type CursorQuery<Id extends 'listCampaigns' | 'listClaims' | 'listRewards'> = Omit<
  Query<Id>,
  'cursor' | 'page' | 'pageSize' | 'format'
> & {
  /** Entries that are asked for at a time, 1 to 100; default 100. */
  pageSize?: number
}

/** What a statement may be asked: it goes on from page to page by itself. */
type StatementQuery<Id extends 'listClaims' | 'listRewards'> = Omit<
  Query<Id>,
  'cursor' | 'pageSize' | 'format' | 'claimTransactions'
> & {
  /** Rows that are asked for at a time, 1 to 10,000; default 10,000. */
  pageSize?: number
}

/** A query whose `fields` are the keys that are answered. */
type WithFields<Query, Field> = Omit<Query, 'fields'> & { fields?: Field[] }

/** Every method rejects with a `ServiceError` for whatever the service refuses. */
export interface Client {
  /** Returns one page of the campaigns that match all filters, and the total number of matches. */
  listCampaigns<Field extends keyof CampaignListItem = keyof CampaignListItem>(
    query?: WithFields<Query<'listCampaigns'>, Field>,
    options?: RequestOptions,
  ): Promise<Omit<ResponseOf<'listCampaigns'>, 'campaigns'> & { campaigns: Pick<CampaignListItem, Field>[] }>
  /** A campaign with all its details, by `<chainId>:<campaignCoreAddress>:<identifier>`. */
  getCampaign<Field extends keyof Campaign = keyof Campaign>(
    id: string,
    options?: WithFields<Query<'getCampaign'>, Field> & RequestOptions,
  ): Promise<Pick<Campaign, Field>>
  /** Active campaigns with claims in the period, by the US dollars claimed in it; at most 100. */
  listTrendingCampaigns<Field extends keyof TrendingCampaign = keyof TrendingCampaign>(
    query?: WithFields<Query<'listTrendingCampaigns'>, Field>,
    options?: RequestOptions,
  ): Promise<
    Omit<ResponseOf<'listTrendingCampaigns'>, 'trendingCampaigns'> & {
      trendingCampaigns: Pick<TrendingCampaign, Field>[]
    }
  >
  /** One page of the contracts that campaigns act on. */
  listContracts(query?: Query<'listContracts'>, options?: RequestOptions): Promise<ResponseOf<'listContracts'>>
  /** Known tokens, those that most active campaigns pay first. */
  listTokens(query?: Query<'listTokens'>, options?: RequestOptions): Promise<ResponseOf<'listTokens'>>
  /** When some campaigns, at most 50, were claimed: their claims interval by interval, and those of the range before. */
  listActivity(query?: Query<'listActivity'>, options?: RequestOptions): Promise<ResponseOf<'listActivity'>>
  /** The price of a token at an instant, or over time. */
  getPrices(query: Query<'getPrices'>, options?: RequestOptions): Promise<ResponseOf<'getPrices'>>
  /** One page of claims, the newest first: of an account, of campaigns, of chains, or of all. */
  listClaims(query?: Query<'listClaims'>, options?: RequestOptions): Promise<ResponseOf<'listClaims'>>
  /** What some campaigns, at most 50, pay at this second, what is left of them, and how long it lasts at the past pace. */
  listOutlooks(query: Query<'listOutlooks'>, options?: RequestOptions): Promise<ResponseOf<'listOutlooks'>>
  /** Whether an account can claim some campaigns, at most 50, and why not. */
  listEligibility(query: Query<'listEligibility'>, options?: RequestOptions): Promise<ResponseOf<'listEligibility'>>
  /** One page of what an account has claimed and can claim, and what it has claimed in all. */
  listRewards(
    address: string,
    query?: Query<'listRewards'>,
    options?: RequestOptions,
  ): Promise<ResponseOf<'listRewards'>>
  /** What has changed after a cursor, in the order of commits. */
  listChanges(query?: Query<'listChanges'>, options?: RequestOptions): Promise<ResponseOf<'listChanges'>>
  /** How far the followed chains are. */
  getStatus(options?: RequestOptions): Promise<ResponseOf<'getStatus'>>
  /** What may be asked and how often, and how old a response may be. */
  getLimits(options?: RequestOptions): Promise<ResponseOf<'getLimits'>>
  /** Access lists of a user, at most 1,000. Needs a token. */
  listAccessLists(query?: Query<'listAccessLists'>, options?: RequestOptions): Promise<ResponseOf<'listAccessLists'>>
  /** What a user has achieved. Needs a token. */
  getUserProfile(query?: Query<'getUserProfile'>, options?: RequestOptions): Promise<ResponseOf<'getUserProfile'>>
  /** All campaigns that pass the filters: `for await (const campaign of client.eachCampaign())`, or its `pages()`. */
  eachCampaign<Field extends keyof CampaignListItem = keyof CampaignListItem>(
    query?: WithFields<ListingQuery<'listCampaigns'>, Field>,
    options?: RequestOptions,
  ): Listing<Pick<CampaignListItem, Field>>
  /**
   * The same by a walk: each campaign that is there at its beginning and still passes comes once, whatever changes meanwhile,
   * and none that comes later.
   */
  walkCampaigns<Field extends keyof CampaignListItem = keyof CampaignListItem>(
    query?: WithFields<CursorQuery<'listCampaigns'>, Field>,
    options?: RequestOptions,
  ): CursorListing<Pick<CampaignListItem, Field>>
  /** All contracts that pass the filters, page by page like `eachCampaign`. */
  eachContract(query?: ListingQuery<'listContracts'>, options?: RequestOptions): Listing<ExploredContract>
  /** All claims that pass the filters, the newest first. Those that come meanwhile shift no page. */
  eachClaim(query?: CursorQuery<'listClaims'>, options?: RequestOptions): CursorListing<Claim>
  /** All rewards of an account, likewise. */
  eachReward(address: string, query?: CursorQuery<'listRewards'>, options?: RequestOptions): CursorListing<Reward>
  /**
   * Transactions that claim all that an account can claim, whatever the page: one for each chain, or several where there are
   * more than 50 claims. Claims whose fee is unknown are in none; empty where there is nothing to claim.
   */
  claimTransactions(
    address: string,
    query?: Pick<Query<'listRewards'>, 'chainId'>,
    options?: RequestOptions,
  ): Promise<ClaimTransactions[]>
  /**
   * The claims that pass the filters as CSV, for spreadsheets: `for await (const text of client.claimStatement({ claimant }))`
   * gives the text of one page after the other, with the header once.
   */
  claimStatement(query?: StatementQuery<'listClaims'>, options?: RequestOptions): AsyncGenerator<string, void, void>
  /** The rewards of an account, likewise. */
  rewardStatement(
    address: string,
    query?: StatementQuery<'listRewards'>,
    options?: RequestOptions,
  ): AsyncGenerator<string, void, void>
  /**
   * Each change once, in the order of commits, for ever: `for await (const change of client.changes({ after }))`. It goes on
   * where it was after failures of the service and of the network. Keep the `cursor` of the last change to go on later.
   * Rejects with a `ServiceError` of status 410 where the changes after the cursor are not known any more.
   */
  changes(query?: ChangesQuery, options?: RequestOptions): AsyncGenerator<Change, void, void>
  /**
   * A client whose public responses have seen this block of a followed chain, as after a transaction of one's own: the
   * service waits for it up to 2 seconds, and the request is repeated while the service says that it is not there yet.
   * Blocks of several chains add up: `client.after(8453, receipt.blockNumber).after(10, other.blockNumber)`.
   */
  after(chainId: number, blockNumber: bigint | number): Client
  /** What a transaction has claimed, as `after` its block: `client.afterReceipt({ ...receipt, chainId: 8453 })`. */
  afterReceipt(receipt: Receipt, options?: RequestOptions): Promise<Claim[]>
  /**
   * The same service by path, as `openapi-fetch` has it and libraries that build on it take it: with the headers of
   * answers, and with failures as `error` instead of rejections.
   */
  readonly api: OpenApiClient<paths, 'application/json'>
}

/**
 * A client of the service at `baseUrl`; it holds no connection and needs no end.
 *
 * @throws {TypeError} for a URL without `http://` or `https://`.
 */
export function createClient({ memoryBytes = 4_000_000, ...options }: ClientOptions): Client {
  const { baseUrl, stagingUrl = baseUrl, token } = options
  const repeated = withRetries(options.fetch ?? ((request) => globalThis.fetch(request)), options)
  const send = memoryBytes > 0 ? withResponseCache(repeated, memoryBytes) : repeated
  return clientOf(
    { baseUrl: toAbsolute('baseUrl', baseUrl), stagingUrl: toAbsolute('stagingUrl', stagingUrl), token, send },
    new Map(),
  )
}

interface Service {
  baseUrl: string
  stagingUrl: string
  token: string | undefined
  send: Fetch
}

function clientOf(service: Service, blocks: ReadonlyMap<number, bigint>): Client {
  const api = apiOf(service, blocks, { accept: 'application/json, application/problem+json' })
  const operations = {
    listCampaigns: (query: Query<'listCampaigns'> = {}, options?: RequestOptions) =>
      bodyOf(api.GET('/campaigns', { ...options, params: { query } })),
    getCampaign: (id: string, { signal, ...query }: Query<'getCampaign'> & RequestOptions = {}) =>
      bodyOf(api.GET('/campaigns/{id}', { ...(signal && { signal }), params: { path: { id }, query } })),
    listTrendingCampaigns: (query: Query<'listTrendingCampaigns'> = {}, options?: RequestOptions) =>
      bodyOf(api.GET('/reward-kit/trending', { ...options, params: { query } })),
    listContracts: (query = {}, options) => bodyOf(api.GET('/explore/contracts', { ...options, params: { query } })),
    listTokens: (query = {}, options) => bodyOf(api.GET('/tokens', { ...options, params: { query } })),
    listActivity: (query = {}, options) => bodyOf(api.GET('/activity', { ...options, params: { query } })),
    getPrices: (query, options) => bodyOf(api.GET('/prices', { ...options, params: { query } })),
    listClaims: (query = {}, options) => bodyOf(api.GET('/claims', { ...options, params: { query } })),
    listOutlooks: (query, options) => bodyOf(api.GET('/outlook', { ...options, params: { query } })),
    listEligibility: (query, options) => bodyOf(api.GET('/eligibility', { ...options, params: { query } })),
    listRewards: (address, query = {}, options) =>
      bodyOf(api.GET('/users/{address}/rewards', { ...options, params: { path: { address }, query } })),
    listChanges: (query = {}, options) => bodyOf(api.GET('/changes', { ...options, params: { query } })),
    getStatus: (options) => bodyOf(api.GET('/status', { ...options })),
    getLimits: (options) => bodyOf(api.GET('/limits', { ...options })),
    listAccessLists: (query = {}, options) =>
      bodyOf(api.GET('/campaigns/accesslists', { ...options, params: { query } })),
    getUserProfile: (query = {}, options) => bodyOf(api.GET('/users/profile', { ...options, params: { query } })),
  } satisfies Operations & Partial<Client>
  const after: Client['after'] = (chainId, blockNumber) => {
    const block = BigInt(blockNumber)
    const known = blocks.get(chainId) ?? 0n
    return clientOf(service, new Map([...blocks, [chainId, block > known ? block : known]]))
  }
  return {
    ...operations,
    eachCampaign: ({ pageSize: initialSize, ...query }: ListingQuery<'listCampaigns'> = {}, options?: RequestOptions) =>
      new Listing(async (page, pageSize) => {
        const { campaigns, totalCampaigns } = await operations.listCampaigns({ ...query, page, pageSize }, options)
        return { entries: campaigns, total: totalCampaigns }
      }, initialSize),
    walkCampaigns: ({ pageSize: initialSize, ...query }: CursorQuery<'listCampaigns'> = {}, options?: RequestOptions) =>
      new CursorListing(async (cursor, pageSize) => {
        const request = operations.listCampaigns({ ...query, cursor: 'start', ...cursor, pageSize }, options)
        const { campaigns, nextCursor = null } = await request
        return { entries: campaigns, nextCursor }
      }, initialSize),
    eachContract: ({ pageSize: initialSize, ...query } = {}, options) =>
      new Listing(async (page, pageSize) => {
        const request = api.GET('/explore/contracts', { ...options, params: { query: { ...query, page, pageSize } } })
        return { entries: await bodyOf(request), total: Number((await request).response.headers.get('x-total-count')) }
      }, initialSize),
    eachClaim: ({ pageSize: initialSize, ...query } = {}, options) =>
      new CursorListing(async (cursor, pageSize) => {
        const { claims, nextCursor } = await operations.listClaims({ ...query, ...cursor, pageSize }, options)
        return { entries: claims, nextCursor }
      }, initialSize),
    eachReward: (address, { pageSize: initialSize, ...query } = {}, options) =>
      new CursorListing(async (cursor, pageSize) => {
        const request = operations.listRewards(address, { ...query, ...cursor, pageSize }, options)
        const { rewards, nextCursor } = await request
        return { entries: rewards, nextCursor }
      }, initialSize),
    async claimTransactions(address, query = {}, options) {
      const request = operations.listRewards(address, { ...query, claimTransactions: true, pageSize: 0 }, options)
      return (await request).claimTransactions ?? []
    },
    claimStatement: (filters = {}, options) =>
      iterateStatement((cursor) => {
        const query = { ...filters, ...cursor, format: 'csv' } as const
        return statementPageOf(api.GET('/claims', { ...options, params: { query }, parseAs: 'text' }))
      }),
    rewardStatement: (address, filters = {}, options) =>
      iterateStatement((cursor) => {
        const params = { path: { address }, query: { ...filters, ...cursor, format: 'csv' } as const }
        return statementPageOf(api.GET('/users/{address}/rewards', { ...options, params, parseAs: 'text' }))
      }),
    changes: (query = {}, options) =>
      iterateChanges((request) => operations.listChanges(request, options), query, options?.signal),
    after,
    async afterReceipt({ chainId, transactionHash, blockNumber }, options) {
      const query = { chainId: [chainId], txHash: [transactionHash] }
      const claims: Claim[] = []
      for await (const claim of after(chainId, blockNumber).eachClaim(query, options)) claims.push(claim)
      return claims
    },
    api: apiOf(service, blocks),
  }
}

function apiOf({ baseUrl, stagingUrl, token, send }: Service, blocks: ReadonlyMap<number, bigint>, headers = {}) {
  const api = createOpenApiClient<paths, 'application/json'>({
    baseUrl,
    headers,
    fetch: send,
    // Lists with commas, as the document says: shorter than repeated parameters.
    querySerializer: { array: { style: 'form', explode: false } },
  })
  const minBlock = [...blocks].map((block) => block.join(':')).join(',')
  api.use({
    onRequest({ request, schemaPath }) {
      const kind = kindOf(schemaPath)
      if (kind === 'facts' && minBlock !== '') {
        const { url } = request
        return new Request(`${url}${url.includes('?') ? '&' : '?'}minBlock=${minBlock}`, request)
      }
      if (kind === 'protected') {
        if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`)
        if (stagingUrl !== baseUrl) return new Request(stagingUrl + request.url.slice(baseUrl.length), request)
      }
      return undefined
    },
  })
  return api
}

async function bodyOf<Body>(request: Promise<{ data?: Body; error?: unknown; response: Response }>): Promise<Body> {
  const { data, error, response } = await request
  if (!response.ok) throw toServiceError(error, response)
  if (data === undefined) throw new TypeError(`the response has no JSON body: ${response.status}`)
  return data
}

async function statementPageOf(request: Parameters<typeof bodyOf<string>>[0]) {
  return { text: await bodyOf(request), nextCursor: readNextCursor((await request).response) }
}

/** As it is in the URLs of requests, without a slash at the end; in a browser a path is one of the page's origin. */
function toAbsolute(option: string, url: string) {
  const isPathOfPage = url.startsWith('/') && 'location' in globalThis
  // As a URL, `localhost:3000` has the scheme `localhost`, and the failure of its requests says nothing of that.
  if (!isPathOfPage && !/^https?:\/\//i.test(url)) {
    const suggestion = /^\w/.test(url) && !url.includes('://') ? `: did you mean "http://${url}"?` : ''
    throw new TypeError(`${option} must begin with http:// or https://, got ${JSON.stringify(url)}${suggestion}`)
  }
  return new Request(url).url.replace(/\/$/, '')
}
