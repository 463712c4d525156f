import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openIndex } from '../../packages/docs/src/search/search-index.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

/*
 * The search of the pages, asked as people type. A page that no longer comes first needs their words in a heading, or a synonym in
 * `packages/docs/src/search/terms.ts`.
 */

let api: TestApp
let find: ReturnType<typeof openIndex>
beforeAll(async () => {
  api = await startTestApp()
  find = openIndex((await api.get('/docs/search.json')).body)
})
afterAll(() => api[Symbol.asyncDispose]())

describe('what people type finds its page first', () => {
  test.each([
    ['how do I page through everything exactly once', '/docs/guides/paging'],
    ['read everything exactly once', '/docs/guides/paging#read-everything-exactly-once-without-duplicates'],
    ['nginx under /api', '/docs/guides/proxies#nginx-below-a-path-such-as-api'],
    ['nginx /api', '/docs/guides/proxies#nginx-below-a-path-such-as-api'],
    ['new campaigns', '/docs/guides/following-changes'],
    ['subscribe', '/docs/guides/following-changes'],
    ['notify', '/docs/guides/following-changes#webhooks'],
    ['alert on new claims', '/docs/guides/following-changes'],
    ['stream', '/docs/guides/following-changes'],
    ['why is my campaign missing', '/docs/guides/filters#a-campaign-is-missing-from-the-list-why-it-is-not-shown'],
    ['notified of new campaigns', '/docs/guides/following-changes'],
    ['what can a user claim', '/docs/guides/user-rewards#what-a-user-or-a-wallet-can-claim-now'],
    ['what a wallet can claim', '/docs/guides/user-rewards#what-a-user-or-a-wallet-can-claim-now'],
    ['claimable', '/docs/glossary#term-claimable'],
    ['claim button', '/docs/guides/examples#a-page-with-a-claim-button'],
    ['points', '/docs/guides/amounts#points'],
    ['base unit', '/docs/guides/amounts#base-units-are-text'],
    ['validator', '/docs/glossary#term-validator'],
    ['create token', '/docs/guides/protected-operations#get-a-token-for-access-lists-and-profiles'],
    ['make a token', '/docs/guides/protected-operations#get-a-token-for-access-lists-and-profiles'],
    ['client', '/docs/client'],
    ['how do I install the client', '/docs/client'],
    ['typed client', '/docs/client'],
    ['postman', '/docs/guides/examples'],
    ['python', '/docs/guides/examples#generated-clients-for-python-go-and-others'],
    ['swap', '/docs/guides/filters#by-action-such-as-swap-and-by-kind-and-state'],
    ['swap base', '/docs/guides/filters#by-action-such-as-swap-and-by-kind-and-state'],
    ['several values', '/docs/guides/filters#several-filters-several-values'],
    ['convert wei to eth', '/docs/guides/amounts'],
    ['amount is a string', '/docs/guides/amounts'],
    ['401 unauthorized', '/docs/guides/protected-operations'],
    ['rate limit 429', '/docs/guides/limits'],
    ['how long may a request take', '/docs/guides/limits'],
    ['backup the database', '/docs/guides/backup'],
    ['upgrade without downtime', '/docs/guides/upgrading'],
    ['docker compose backup', '/docs/guides/compose'],
    ['prometheus metrics', '/docs/guides/monitoring'],
    ['import csv', '/docs/guides/importing'],
    ['token not whitelisted', '/docs/guides/importing'],
    ['show the effect of my transaction', '/docs/guides/minimum-blocks'],
    ['usdc base newest', '/docs/guides/filters#chain-token-and-order-in-one-request-newest-first'],
    ['zero downtime', '/docs/guides/upgrading'],
    ['behind nginx', '/docs/guides/proxies'],
    ['past prices', '/docs/guides/prices#look-at-prices-of-now-and-of-the-past'],
    ['historical prices', '/docs/guides/prices#look-at-prices-of-now-and-of-the-past'],
    ['webhook receiver down', '/docs/guides/following-changes#if-your-webhook-receiver-is-down'],
    ['revoke a token', '/docs/guides/protected-operations#revoke-and-list-tokens'],
    ['download all data', '/docs/guides/copies'],
    ['duckdb', '/docs/guides/copies'],
    ['mcp server for claude', '/docs/guides/agents'],
    ['price feed chainlink', '/docs/guides/prices'],
    ['apr of a campaign', '/docs/guides/filters#outlook'],
    ['claim reverts', '/docs/guides/reward-states'],
    ['pgbouncer', '/docs/guides/database-connections'],
    ['read replica lag', '/docs/guides/read-replicas'],
    ['etag if-none-match', '/docs/guides/caching'],
    ['how old can a response be', '/docs/guides/caching'],
    ['index my own chain', '/docs/guides/following-a-chain'],
    ['follow chain', '/docs/guides/following-a-chain'],
    ['which chains are supported', '/docs/guides/following-a-chain'],
    ['how fresh is the data', '/docs/guides/caching'],
    ['supported chains', '/docs/guides/following-a-chain'],
    ['misses nothing', '/docs/guides/following-a-chain#prove-that-nothing-is-missing'],
    ['wait for a block', '/docs/guides/minimum-blocks'],
    ['how do I delete a campaign', '/docs/guides/importing'],
    ['my page shows the same campaign twice', '/docs/guides/paging'],
    ['503', '/docs/guides/errors#503-wait-and-retry'],
    ['what does 503 mean', '/docs/guides/errors#503-wait-and-retry'],
    ['which errors can I retry', '/docs/guides/errors#which-errors-to-retry'],
    ['load balancer health check', '/docs/guides/health-checks'],
    ['coming from merkl', '/docs/guides/migrating'],
    ['boost v2 api', '/docs/guides/migrating'],
    ['is 1000000 USDC one dollar or a million', '/docs/guides/amounts'],
    ['what changed since yesterday', '/docs/guides/following-changes'],
    ['go back to the old version', '/docs/guides/upgrading#rollback'],
    ['react example', '/docs/guides/examples'],
    ['kubernetes readiness probe', '/docs/guides/kubernetes'],
    ['how much memory does it need', '/docs/guides/capacity'],
    ['run on several cores', '/docs/guides/several-processes'],
    ['export to excel', '/docs/guides/user-rewards#rewards-and-claims-as-a-spreadsheet-csv'],
    ['csv of my claims for the year', '/docs/guides/user-rewards#rewards-and-claims-as-a-spreadsheet-csv'],
    ['tax', '/docs/guides/user-rewards#rewards-and-claims-as-a-spreadsheet-csv'],
    ['filter by chain and token', '/docs/guides/filters'],
    ['sort by ending soon', '/docs/guides/filters'],
    ['check the database with doctor', '/docs/guides/checks-and-repairs'],
    ['breaking changes deprecation', '/docs/guides/versions'],
    ['opensearch elasticsearch', '/docs/guides/search-engines'],
    ['login with a token', '/docs/guides/protected-operations'],
    ['showActiveOnly', '/docs/operations/listCampaigns#listCampaigns-showActiveOnly'],
    ['list of all settings', '/docs/settings'],
    ['claims over time for a chart', '/docs/operations/listActivity'],
    ['alert when a campaign is new', '/docs/guides/following-changes'],
    ['which errors should I retry', '/docs/guides/errors'],
    ['install the client', '/docs/client'],
    ['what can my wallet claim', '/docs/guides/user-rewards'],
    ['follow a chain', '/docs/guides/following-a-chain'],
    ['as of which block is this answer', '/docs/guides/caching#as-of-which-block-a-response-is-x-as-of'],
    ['prefix', '/docs/guides/proxies#nginx-below-a-path-such-as-api'],
    ['subpath', '/docs/guides/proxies#nginx-below-a-path-such-as-api'],
    ['2.5E20 base units', '/docs/guides/amounts#base-units-are-text'],
    ['how fresh', '/docs/guides/caching'],
    ['cache headers', '/docs/guides/caching#how-long-a-response-may-be-cached-headers'],
    ['what does unknown verdict mean', '/docs/guides/user-rewards#why-an-account-is-not-eligible-verdicts-and-reasons'],
    ['ip behind proxy', '/docs/guides/proxies#client-addresses-ip-behind-a-proxy'],
    ['restore a backup', '/docs/guides/backup#restore-a-backup'],
    ['bulk download', '/docs/guides/copies#download-everything-page-by-page'],
    ['webhook', '/docs/guides/following-changes#webhooks'],
    ['typed client install', '/docs/client#install'],
    ['decimals of amount', '/docs/guides/amounts#format-an-amount-in-whole-tokens-decimals'],
    ['eth price of a claim', '/docs/guides/prices#what-a-claim-is-worth-and-at-which-price'],
    ['why 503', '/docs/guides/errors#503-wait-and-retry'],
    ['why 429', '/docs/guides/errors#429-too-many-requests-you-asked-too-often'],
    ['read replica', '/docs/guides/read-replicas'],
    ['kubernetes probes', '/docs/guides/kubernetes#probes-and-scaling'],
    ['how much memory', '/docs/guides/capacity'],
    ['add a chain', '/docs/guides/following-a-chain#add-a-chain-write-the-chain-file'],
    ['csv for taxes', '/docs/guides/user-rewards#rewards-and-claims-as-a-spreadsheet-csv'],
    ['claim all at once', '/docs/guides/user-rewards#claim-all-rewards-at-once'],
    ['safe wallet', '/docs/guides/examples#a-batch-for-a-safe-wallet'],
    ['react query', '/docs/guides/examples#a-page-and-a-page-with-react'],
    ['cors error', '/docs/guides/errors#cors'],
    ['search by name', '/docs/guides/filters#search-by-name'],
    ['only active campaigns', '/docs/guides/filters#active-campaigns-only'],
    ['total number of campaigns', '/docs/guides/paging#totals'],
    ['infinite scroll', '/docs/guides/paging'],
    ['is a user eligible', '/docs/guides/user-rewards#why-an-account-is-not-eligible-verdicts-and-reasons'],
    ['claim history of a wallet', '/docs/guides/user-rewards#claim-history'],
    ['claim fee', '/docs/guides/user-rewards#the-fee-of-a-claim'],
    ['go client', '/docs/guides/examples#generated-clients-for-python-go-and-others'],
    ['swagger', '/docs/guides/examples#generated-clients-for-python-go-and-others'],
    ['304 not modified', '/docs/guides/caching#ask-whether-it-has-changed-304-not-modified'],
    ['usd value is null', '/docs/guides/amounts#an-amount-in-us-dollars'],
    ['merkle proof', '/docs/guides/user-rewards#claim-with-a-merkle-proof'],
    ['claim merkle proof', '/docs/guides/user-rewards#claim-with-a-merkle-proof'],
    ['follow merkle roots', '/docs/guides/following-a-chain#follow-time-based-incentives'],
    ['page through claims', '/docs/guides/paging#page-through-claims-and-rewards'],
    ['pegged reward unit', '/docs/guides/amounts#what-each-kind-of-incentive-means-by-its-amounts'],
    ['install typescript client', '/docs/client#install'],
    ['real-time updates', '/docs/guides/following-changes#poll-or-stream-changes'],
    ['live updates', '/docs/guides/following-changes#poll-or-stream-changes'],
    ['import own data', '/docs/guides/importing#import-your-own-data-the-form-of-a-file'],
    ['campaigns by token', '/docs/guides/filters#campaigns-by-token-and-by-collection'],
    ['mcp ai agent', '/docs/guides/agents#connect-an-ai-agent-mcp'],
    ['campaign id format', '/docs/guides/first-request#request-one-campaign-by-its-id'],
    ['basis points', '/docs/guides/amounts#formats-of-dates-basis-points-and-other-numbers'],
    ['date format', '/docs/guides/amounts#formats-of-dates-basis-points-and-other-numbers'],
    ['chart of claims per day', '/docs/guides/filters#activity'],
    ['trending last hour', '/docs/guides/filters#trending'],
    ['token address of usdc', '/docs/guides/filters#campaigns-by-token-and-by-collection'],
    ['environment variables', '/docs/settings'],
    ['docker image', '/docs/guides/deploying#docker-image'],
    ['disk space', '/docs/guides/capacity'],
    ['too many connections', '/docs/guides/database-connections#too-many-connections'],
    ['grafana dashboard', '/docs/guides/monitoring#metrics'],
    ['log format', '/docs/guides/monitoring#logs-and-their-format'],
    ['graceful shutdown', '/docs/guides/health-checks#shutdown-after-sigterm'],
    ['sigterm', '/docs/guides/health-checks#shutdown-after-sigterm'],
    ['revoke a token', '/docs/guides/protected-operations#revoke-and-list-tokens'],
    ['archive node', '/docs/guides/following-a-chain#check-the-endpoints-rpc-nodes'],
    ['which rpc provider', '/docs/guides/following-a-chain#check-the-endpoints-rpc-nodes'],
    ['chain is behind', '/docs/guides/following-a-chain#which-chains-are-indexed-and-how-fresh'],
    ['whitelist a token', '/docs/guides/importing#tokens-and-the-whitelist'],
    ['rename a campaign', '/docs/guides/importing#metadata-of-campaigns'],
    ['gdpr', '/docs/guides/user-rewards#privacy'],
    ['ssl to postgres', '/docs/guides/database-connections#encrypt-the-connection-tls'],
    ['postgres version', '/docs/guides/versions#nodejs-and-postgresql'],
    ['migration locks', '/docs/guides/upgrading#how-migrations-run'],
    ['local test chain', '/docs/guides/demo'],
    ['llms.txt', '/docs/guides/agents#without-tools'],
    ['prompt injection', '/docs/guides/agents#prompt-injection'],
    ['error codes', '/docs/guides/errors#error-codes-for-programs'],
    ['support request id', '/docs/guides/errors#request-ids'],
    ['polling interval', '/docs/guides/following-changes#poll-or-stream-changes'],
    ['public key of webhook signature', '/docs/guides/following-changes#verify-the-signature-of-a-webhook'],
    ['verify webhook signature', '/docs/guides/following-changes#verify-the-signature-of-a-webhook'],
    ['simulate before claiming', '/docs/guides/reward-states#simulate-send-and-confirm-a-claim'],
    ['reorg', '/docs/guides/following-a-chain#reorganisations-reorgs'],
    ['api key', '/docs/guides/protected-operations#api-key-which-operations-need-a-token'],
    ['do I need an api key', '/docs/guides/protected-operations#api-key-which-operations-need-a-token'],
    ['apikey', '/docs/guides/protected-operations#api-key-which-operations-need-a-token'],
    ['auth', '/docs/guides/protected-operations'],
    ['format USDC amount', '/docs/guides/amounts#format-an-amount-in-whole-tokens-decimals'],
    ['USDC amount in dollars', '/docs/guides/amounts#an-amount-in-us-dollars'],
    ['campaign not in list', '/docs/guides/filters#a-campaign-is-missing-from-the-list-why-it-is-not-shown'],
    ['my campaign is hidden', '/docs/guides/filters#a-campaign-is-missing-from-the-list-why-it-is-not-shown'],
    ['campaign does not appear', '/docs/guides/filters#a-campaign-is-missing-from-the-list-why-it-is-not-shown'],
    ['which contract to claim', '/docs/guides/user-rewards#send-a-claim-which-contract-which-data'],
    ['how to claim reward contract', '/docs/guides/user-rewards#send-a-claim-which-contract-which-data'],
    ['how long can I cache list', '/docs/guides/caching#how-long-a-response-may-be-cached-headers'],
    ['semver', '/docs/guides/versions'],
    ['backwards compatibility', '/docs/guides/versions'],
    ['api stability', '/docs/guides/versions'],
    ['iterate all campaigns', '/docs/guides/paging#read-everything-exactly-once-without-duplicates'],
    ['latest indexed block', '/docs/guides/following-a-chain#which-chains-are-indexed-and-how-fresh'],
    ['429 means too many requests', '/docs/guides/errors#429-too-many-requests-you-asked-too-often'],
    ['claim all rewards', '/docs/guides/user-rewards#claim-all-rewards-at-once'],
    ['claim all', '/docs/guides/user-rewards#claim-all-rewards-at-once'],
    ['claim everything at once', '/docs/guides/user-rewards#claim-all-rewards-at-once'],
    ['access list token', '/docs/guides/protected-operations#access-lists'],
    ['get a token', '/docs/guides/protected-operations#get-a-token-for-access-lists-and-profiles'],
    ['multiple instances', '/docs/guides/several-processes'],
    ['move database new server', '/docs/guides/backup#move-the-database-to-a-new-server'],
    ['move to another server', '/docs/guides/backup#move-the-database-to-a-new-server'],
    ['which chains indexed', '/docs/guides/following-a-chain'],
    ['why not eligible', '/docs/guides/user-rewards#why-an-account-is-not-eligible-verdicts-and-reasons'],
    ['too many requests', '/docs/guides/errors#429-too-many-requests-you-asked-too-often'],
    ['duplicates while paging', '/docs/guides/paging#read-everything-exactly-once-without-duplicates'],
    ['rewards spreadsheet', '/docs/guides/user-rewards#rewards-and-claims-as-a-spreadsheet-csv'],
  ])('%s', (query, page) => {
    const [first] = find(query)
    const [path] = first?.url.split('#') ?? []
    // A section is expected where the page has many subjects.
    expect(page.includes('#') ? first?.url : path).toBe(page)
  })
})

test('hits of the same title are told apart by what they say', () => {
  const hits = find('with the client').filter(({ title }) => title === 'With the client')
  expect(hits.length).toBeGreaterThan(3)
  expect(new Set(hits.map(({ excerpt }) => excerpt(100))).size).toBe(hits.length)
  for (const { excerpt } of find('claim')) expect(excerpt(100).length).toBeLessThan(130)
})

describe('the sentence that answers is shown with its place', () => {
  test.each([
    ['is there a rate limit', 'There is no rate limit by default; the Docker image sets 1,200'],
    ['pegged reward unit', 'and the base unit of peg for a pegged reward'],
    ['page through claims', 'and pass the nextCursor of each page as the cursor of the next'],
    ['install typescript client', 'npm pack --workspace packages/client'],
    ['mcp ai agent', 'the address of the service with /mcp, without key or account'],
    ['claim merkle proof', 'send the transaction of the reward: the proof is in its data'],
    ['webhook retry', 'retried after 1, 2, 4 … 300 seconds'],
    ['receiver down a week', 'After more than CHANGES_KEEP_HOURS (a week) the history is over'],
    ['how fresh is the data', 'everything that was committed before your request arrived'],
    ['minimum postgres version', 'Node.js 20.19 and PostgreSQL 15'],
    ['revoke token', 'no process accepts that token from the next request on'],
    ['invalid_token', 'Ask the operator for a new one'],
    ['rewards of a wallet', 'pass nextCursor as cursor until it is null'],
    ['health check endpoint', 'Load balancers probe /readyz'],
    ['verify webhook signature', 'HMAC-SHA256, in base64, of webhook-id, webhook-timestamp and the body'],
    ['error response format', 'a sentence that names each wrong parameter'],
    ['required environment variables', 'None is required, except DATABASE_URL in the Docker image'],
    ['restore a backup', 'pg_dump has written'],
    ['how fresh is data', 'GET /status says how many seconds old that is'],
  ])('%s', (query, answer) => {
    const shown = find(query)
      .slice(0, 3)
      .map(({ excerpt }) => excerpt(300))
    expect(shown.join('\n')).toContain(answer)
  })
})

test('a word may be typed in part, or with a mistake', () => {
  expect(find('upgr')[0]?.url).toMatch(/^\/docs\/guides\/upgrading/)
  expect(find('kuberntes')[0]?.url).toBe('/docs/guides/kubernetes')
})

test('where no place has all words, those with most of them come', () => {
  expect(find('zeppelin webhook')[0]?.url).toMatch(/^\/docs\/guides\/following-changes/)
  expect(find('zeppelin')).toEqual([])
})

test('words that say nothing count where there is nothing else', () => {
  expect(find('what is it').length).toBeGreaterThan(0)
  expect(find('')).toEqual([])
  expect(find('?!')).toEqual([])
})

test('guides come before schemas and parameters with the same words', () => {
  const urls = find('incentive').map(({ url }) => url)
  const firstOf = (start: string) => urls.findIndex((url) => url.startsWith(start))
  expect(firstOf('/docs/guides/')).toBeLessThan(2)
  for (const later of ['/docs#schema-', '/docs/operations/listCampaigns#listCampaigns-incentiveType']) {
    expect(firstOf(later), later).toBeGreaterThan(firstOf('/docs/guides/'))
  }
})
