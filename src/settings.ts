import { type Static, Type } from '@sinclair/typebox'

const text = (description: string, options: object = {}) => Type.String({ minLength: 1, ...options, description })
const whole = (description: string, options: { minimum: number; maximum: number; default?: number }) =>
  Type.Integer({ ...options, description })
const yesOrNo = (description: string, options: { default: boolean }) => Type.Boolean({ ...options, description })
const list = (description: string, options: { items: object; default?: readonly string[] }) =>
  Type.Unsafe<string[]>({ type: 'array', minItems: 1, ...options, description })

/** The URL of this service, or of a proxy in front of it: without query or password. */
const baseUrl = (description: string) =>
  text(description, {
    default: '/',
    pattern: '^(/(?!/)[^\\s?#]*|https?://[A-Za-z0-9.:[\\]-]+(/[^\\s?#]*)?)$',
    'x-expected': 'a path, or a URL such as https://api.example/v2',
  })

/** All settings, by the names of their environment variables; docs/reference/settings.md is made of these descriptions. */
export const Settings = Type.Object({
  ENV_FILE: text('File with more settings; environment variables override it. The default file may be missing.', {
    default: '.env',
  }),
  DATABASE_URL: Type.Optional(
    text(
      'Connection string of a PostgreSQL server, version 15 or newer. Unset: an embedded PostgreSQL in `DATA_DIR`.',
      {
        pattern: '^postgres(ql)?://[^\\s]+$',
        'x-expected': 'a connection string such as postgres://user@host:5432/database',
      },
    ),
  ),
  DATABASE_PASSWORD_FILE: Type.Optional(
    text('File with the password of the role in `DATABASE_URL`, which then contains none.'),
  ),
  DATA_DIR: text('Folder of the embedded PostgreSQL.', { default: '.data/' }),
  SAMPLE_DATA: yesOrNo('Fill an empty embedded database with sample data.', { default: true }),
  HOST: text('Address to listen on; the Docker image sets `0.0.0.0`.', { default: '127.0.0.1' }),
  PORT: whole('Port to listen on.', { minimum: 0, maximum: 65_535, default: 3000 }),
  METRICS_PORT: Type.Optional(
    whole('Port of the Prometheus metrics and of a second `/livez`, on `HOST`. Unset: none.', {
      minimum: 0,
      maximum: 65_535,
    }),
  ),
  SURFACES: list('What this process serves: `public`, `staging` or both.', {
    items: { type: 'string', enum: ['public', 'staging'] },
    default: ['public', 'staging'],
  }),
  EXPLORER: yesOrNo(
    'Serve the explorer at `/`, if the public operations are served; otherwise `/` redirects to `/docs`.',
    { default: true },
  ),
  ADDRESS_LOOKUPS: yesOrNo(
    'Whether responses show what an address has claimed and can claim: `/eligibility`, `/users/{address}/rewards`, and `claimant` of `/claims`.',
    { default: true },
  ),
  IMAGE_HOSTS: Type.Optional(
    list(
      'Hosts from which the explorer may load, by HTTPS, the pictures that records name for tokens, projects and NFTs; `*.` stands for any subdomain. The browsers of visitors contact these hosts, the service does not. Unset: none.',
      {
        items: {
          type: 'string',
          pattern:
            '^(\\*\\.)?[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*(:[0-9]{1,5})?$',
          'x-expected': 'a host such as images.example or *.images.example, in lower case',
        },
      },
    ),
  ),
  MCP: yesOrNo('Serve the tools for agents (Model Context Protocol) at `/mcp`, if the public operations are served.', {
    default: true,
  }),
  PUBLIC_BASE_URL: baseUrl(
    'Base address of the public operations in the OpenAPI document, of problem types and of the API catalog.',
  ),
  STAGING_BASE_URL: baseUrl('Base address of the protected operations in the OpenAPI document.'),
  SECURITY_CONTACT: Type.Optional(
    text('Whom to tell of a vulnerability, in `/.well-known/security.txt`. Unset: there is no such file.', {
      maxLength: 1024,
      pattern: '^(mailto:|https://|tel:)[^\\s]+$',
      'x-expected': 'an address such as mailto:security@example.com or https://example.com/security',
    }),
  ),
  CONTACT_NAME: Type.Optional(
    text('Who answers questions about this service, in `info.contact` of the OpenAPI document.', { maxLength: 200 }),
  ),
  CONTACT_URL: Type.Optional(
    text('Page of that contact.', {
      maxLength: 1024,
      pattern: '^https?://[^\\s]+$',
      'x-expected': 'a URL such as https://example.com/support',
    }),
  ),
  CONTACT_EMAIL: Type.Optional(
    text('E-mail address of that contact.', {
      maxLength: 320,
      pattern: '^[^\\s@]+@[^\\s@]+$',
      'x-expected': 'an e-mail address such as support@example.com',
    }),
  ),
  CORS_ORIGINS: list('Origins whose pages may read responses (CORS); `*` is any.', {
    items: {
      type: 'string',
      pattern: '^(\\*|https?://[^/]+)$',
      'x-expected': 'an origin such as https://app.example or *',
    },
    default: ['*'],
  }),
  TRUSTED_PROXIES: Type.Optional(
    list('Addresses or CIDR ranges of the proxies whose `X-Forwarded-For` is trusted.', {
      items: { type: 'string', minLength: 1 },
    }),
  ),
  REQUESTS_PER_MINUTE: whole(
    'Rate limit: requests for operations and documents per minute and IPv4 address or IPv6 /64, four times as many per IPv6 /56; further ones get 429. 304 responses do not count. 0: no limit. The Docker image sets 1200.',
    { minimum: 0, maximum: 1_000_000_000, default: 0 },
  ),
  FAILED_AUTH_PER_MINUTE: whole(
    'Rate limit: requests with an invalid token per minute and IPv4 address or IPv6 /64, four times as many per IPv6 /56; further ones get 429.',
    { minimum: 0, maximum: 1_000_000, default: 20 },
  ),
  MAX_CONNECTIONS: whole(
    'Maximum number of client connections, or fewer if the limit on open files is lower. Beyond it, the longest idle connection is closed.',
    { minimum: 1, maximum: 1_000_000, default: 10_000 },
  ),
  MAX_CONCURRENT_REQUESTS: whole(
    'Maximum number of concurrent requests; further ones get 503, except `/livez` and `/readyz`.',
    { minimum: 1, maximum: 1_000_000, default: 2000 },
  ),
  MAX_PIPELINED_REQUESTS: whole(
    'Maximum number of unanswered requests on one connection; beyond it, the connection gets 503 and is closed.',
    { minimum: 1, maximum: 10_000, default: 20 },
  ),
  MAX_STREAMS: whole(
    'Maximum number of clients that follow `/changes` by a stream or wait for a change, a tenth of them for one address; further ones get 503.',
    { minimum: 0, maximum: 100_000, default: 1000 },
  ),
  CHANGES_KEEP_HOURS: Type.Number({
    description:
      'Hours for which changes are retained for `/changes`; may be a decimal number. A cursor that is older gets 410.',
    minimum: 0.0001,
    maximum: 87_600,
    default: 168,
  }),
  ADDRESS_SHARE_PERCENT: whole(
    'Share of `MAX_CONNECTIONS` and `MAX_CONCURRENT_REQUESTS` that one IPv4 address or IPv6 /64 may use, in percent, and at least 64 of each. Beyond it, a new connection replaces the longest idle one of the address, and requests get 429. `TRUSTED_PROXIES`, 127.0.0.1 and ::1 are exempt, because they may send the requests of many clients. 100: no share.',
    { minimum: 1, maximum: 100, default: 10 },
  ),
  MAX_EXPORTS: whole(
    'Maximum number of exports that are read at a time, each over a database connection of its own; further ones get 503. 0: none.',
    { minimum: 0, maximum: 100, default: 2 },
  ),
  MIGRATE_ON_START: yesOrNo('Let `serve` migrate the schema of an external database at startup.', {
    default: false,
  }),
  DATABASE_POOL_SIZE: whole(
    'Maximum number of database connections for queries; two more are reserved for data versions, tokens and readiness. One client (an IPv4 address or IPv6 /64) gets at most a quarter of them, and statements that recently took 100 ms on average at most half, each at least one.',
    { minimum: 1, maximum: 1000, default: 10 },
  ),
  DATABASE_MAX_PENDING_QUERIES: whole(
    'Maximum number of queries that wait for a database connection; further requests get 503 at once. One client gets at most a quarter of the queue, and recently slow statements at most half.',
    { minimum: 0, maximum: 1_000_000, default: 2000 },
  ),
  DATABASE_ACQUIRE_TIMEOUT_MS: whole('Maximum time that a request waits for a database connection, in milliseconds.', {
    minimum: 1,
    maximum: 600_000,
    default: 3000,
  }),
  STATEMENT_TIMEOUT_MS: whole('Timeout of one database query of a request, in milliseconds.', {
    minimum: 1,
    maximum: 600_000,
    default: 5000,
  }),
  MAX_EVENT_LOOP_DELAY_MS: whole('Event loop delay beyond which requests get 503, in milliseconds. 0: no limit.', {
    minimum: 0,
    maximum: 600_000,
    default: 2000,
  }),
  CACHE_MAX_AGE_SECONDS: whole('`max-age` of public responses, in seconds.', {
    minimum: 0,
    maximum: 86_400,
    default: 5,
  }),
  CACHE_STALE_WHILE_REVALIDATE_SECONDS: whole('`stale-while-revalidate` of public responses, in seconds.', {
    minimum: 0,
    maximum: 86_400,
    default: 30,
  }),
  RESPONSE_CACHE_MB: whole('Memory of the response cache, including compressed bodies, in megabytes. 0: no cache.', {
    minimum: 0,
    maximum: 65_536,
    default: 64,
  }),
  STALE_IF_ERROR_SECONDS: whole(
    'Maximum age of a stale public response served while the database is unreachable, in seconds. 0: none is served.',
    { minimum: 0, maximum: 86_400, default: 60 },
  ),
  PROVE_RECENT_SECONDS: whole(
    'Interval at which `index` compares the counters of incentives with new claims with what is stored, in seconds.',
    { minimum: 1, maximum: 86_400, default: 600 },
  ),
  PROVE_ALL_HOURS: whole('Time within which `index` compares the counters of all contracts again, in hours.', {
    minimum: 1,
    maximum: 8760,
    default: 24,
  }),
  SHUTDOWN_TIMEOUT_SECONDS: whole('Timeout of the shutdown after SIGTERM, in seconds.', {
    minimum: 1,
    maximum: 600,
    default: 10,
  }),
  DRAIN_SECONDS: whole(
    'Seconds after SIGTERM during which requests are still accepted while `/readyz` returns 503. Set it longer than the health-check interval of your load balancer. The Docker image sets 5.',
    {
      minimum: 0,
      maximum: 599,
      default: 0,
    },
  ),
  LOG_LEVEL: Type.Unsafe<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'>({
    type: 'string',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    description: 'Minimum level of logged entries.',
  }),
  LOG_REQUESTS_PERCENT: whole(
    'Percentage of requests that are logged, picked at random; responses of 500 and above are always logged.',
    { minimum: 0, maximum: 100, default: 100 },
  ),
})
export type Settings = Static<typeof Settings>

/** Settings that were renamed before 2.0.0, with the name of today. An old name is refused, because its value would be ignored. */
export const renamedSettings: ReadonlyMap<string, string> = new Map([
  ['ANSWER_CACHE_MEGABYTES', 'RESPONSE_CACHE_MB'],
  ['CONNECTION_TIMEOUT_MS', 'DATABASE_ACQUIRE_TIMEOUT_MS'],
  ['DATABASE_QUEUE_SIZE', 'DATABASE_MAX_PENDING_QUERIES'],
  ['FAILED_ATTEMPTS_PER_MINUTE', 'FAILED_AUTH_PER_MINUTE'],
  ['MAX_REQUESTS_UNDER_WAY', 'MAX_CONCURRENT_REQUESTS'],
])
