import { type Static, Type } from '@sinclair/typebox'

const text = (description: string, options: object = {}) => Type.String({ minLength: 1, ...options, description })
const whole = (description: string, options: { minimum: number; maximum: number; default?: number }) =>
  Type.Integer({ ...options, description })
const yesOrNo = (description: string, options: { default: boolean }) => Type.Boolean({ ...options, description })
const list = (description: string, options: { items: object; default?: readonly string[] }) =>
  Type.Unsafe<string[]>({ type: 'array', minItems: 1, ...options, description })

/** A path of this service, or where a proxy serves it: no query, and nobody's password. */
const BASE_URL = '^(/(?!/)[^\\s?#]*|https?://[A-Za-z0-9.:[\\]-]+(/[^\\s?#]*)?)$'

/** All settings, by the names of their environment variables; docs/reference/settings.md is made of these descriptions. */
export const Settings = Type.Object({
  ENV_FILE: text('File with further settings, which those of the environment override; the default may be missing.', {
    default: '.env',
  }),
  DATABASE_URL: Type.Optional(
    text('Connection string of a PostgreSQL 15 or newer. Absent: an embedded PostgreSQL in `DATA_DIR`.', {
      pattern: '^postgres(ql)?://[^\\s]+$',
      'x-expected': 'a connection string such as postgres://user@host:5432/database',
    }),
  ),
  DATA_DIR: text('Folder of the embedded PostgreSQL.', { default: '.data/' }),
  SAMPLE_DATA: yesOrNo('Whether an empty embedded database is filled with sample data.', { default: true }),
  HOST: text('Address to listen on; the Docker image sets `0.0.0.0`.', { default: '127.0.0.1' }),
  PORT: whole('Port to listen on.', { minimum: 0, maximum: 65_535, default: 3000 }),
  METRICS_PORT: Type.Optional(
    whole('Port of the Prometheus metrics, on `HOST`. Absent: no metrics.', { minimum: 0, maximum: 65_535 }),
  ),
  SURFACES: list('What this process serves: `public`, `staging` or both.', {
    items: { type: 'string', enum: ['public', 'staging'] },
    default: ['public', 'staging'],
  }),
  EXPLORER: yesOrNo(
    'Whether browsers get pages to look at campaigns at `/`, with the public operations; if not, `/` leads to `/docs`.',
    { default: true },
  ),
  ADDRESS_LOOKUPS: yesOrNo(
    'Whether it can be asked what an address has claimed and can claim: `/eligibility`, `/users/{address}/rewards`, and `claimant` of `/claims`.',
    { default: true },
  ),
  PUBLIC_BASE_URL: text('Base address of the public operations in the OpenAPI document.', {
    default: '/',
    pattern: BASE_URL,
    'x-expected': 'a path, or a URL such as https://api.example/v2',
  }),
  STAGING_BASE_URL: text('Base address of the protected operations in the OpenAPI document.', {
    default: '/',
    pattern: BASE_URL,
    'x-expected': 'a path, or a URL such as https://api.example/v2',
  }),
  CORS_ORIGINS: list('Origins whose pages may read the answers; `*` is any.', {
    items: {
      type: 'string',
      pattern: '^(\\*|https?://[^/]+)$',
      'x-expected': 'an origin such as https://app.example or *',
    },
    default: ['*'],
  }),
  TRUSTED_PROXIES: Type.Optional(
    list('Addresses or CIDR ranges of the proxies whose `X-Forwarded-For` is believed.', {
      items: { type: 'string', minLength: 1 },
    }),
  ),
  REQUESTS_PER_MINUTE: whole(
    'Requests for operations and documents for each IPv4 address or IPv6 /64 and minute, four times as many for an IPv6 /56; more are answered 429. 0: as many as they like. The Docker image sets 1200.',
    { minimum: 0, maximum: 1_000_000_000, default: 0 },
  ),
  FAILED_ATTEMPTS_PER_MINUTE: whole(
    'Failed attempts to use a token for each IPv4 address or IPv6 /64 and minute, four times as many for an IPv6 /56; more are answered 429.',
    { minimum: 0, maximum: 1_000_000, default: 20 },
  ),
  MAX_CONNECTIONS: whole(
    'Most connections of clients; fewer where the limit on open files allows fewer. With more, the longest idle one is closed.',
    { minimum: 1, maximum: 1_000_000, default: 10_000 },
  ),
  MAX_REQUESTS_UNDER_WAY: whole(
    'Most requests whose responses are made at the same time; more are answered 503, except `/livez` and `/readyz`.',
    { minimum: 1, maximum: 1_000_000, default: 2000 },
  ),
  MAX_PIPELINED_REQUESTS: whole(
    'Most requests that one connection may send before they are answered, one after the other; with more it is answered 503 and closed.',
    { minimum: 1, maximum: 10_000, default: 20 },
  ),
  ADDRESS_SHARE_PERCENT: whole(
    'How much of `MAX_CONNECTIONS` and of `MAX_REQUESTS_UNDER_WAY` one IPv4 address or IPv6 /64 may use, in percent, but 64 always where there are as many. Where it has all its connections, a new one takes the place of the longest idle one; more requests are answered 429. `TRUSTED_PROXIES`, 127.0.0.1 and ::1, from which the requests of many may come, are not limited by it. 100: no share.',
    { minimum: 1, maximum: 100, default: 10 },
  ),
  MIGRATE_ON_START: yesOrNo('Whether `serve` brings the schema of an external database up to date.', {
    default: false,
  }),
  DATABASE_POOL_SIZE: whole(
    'Most connections to the database for questions; two more are for what never waits for those: versions of the data, tokens, readiness. One client (an IPv4 address, or the /64 of an IPv6 one) gets at most a quarter of them, and statements that have lately taken 100 ms on average half of them, at least one each.',
    { minimum: 1, maximum: 1000, default: 10 },
  ),
  DATABASE_QUEUE_SIZE: whole(
    'Most queries that wait for a connection to the database; requests with more are answered 503 at once. One client gets at most a quarter of these places, and statements that have lately been slow half.',
    { minimum: 0, maximum: 1_000_000, default: 2000 },
  ),
  CONNECTION_TIMEOUT_MS: whole('How long a request waits for a connection, in milliseconds.', {
    minimum: 1,
    maximum: 600_000,
    default: 3000,
  }),
  STATEMENT_TIMEOUT_MS: whole('How long one query of a request may take, in milliseconds.', {
    minimum: 1,
    maximum: 600_000,
    default: 5000,
  }),
  MAX_EVENT_LOOP_DELAY_MS: whole(
    'Delay of the event loop from which on requests are refused, in milliseconds; 0 refuses none.',
    {
      minimum: 0,
      maximum: 600_000,
      default: 2000,
    },
  ),
  CACHE_MAX_AGE_SECONDS: whole('`max-age` of public answers, in seconds.', { minimum: 0, maximum: 86_400, default: 5 }),
  CACHE_STALE_WHILE_REVALIDATE_SECONDS: whole('`stale-while-revalidate` of public answers, in seconds.', {
    minimum: 0,
    maximum: 86_400,
    default: 30,
  }),
  ANSWER_CACHE_MEGABYTES: whole(
    'Memory for answers that are kept until the data changes, with their compressed bytes, in megabytes; 0 keeps none.',
    {
      minimum: 0,
      maximum: 65_536,
      default: 64,
    },
  ),
  STALE_IF_ERROR_SECONDS: whole(
    'How long a public answer that was right is given while the database cannot be asked, in seconds; 0: not at all.',
    { minimum: 0, maximum: 86_400, default: 60 },
  ),
  SHUTDOWN_TIMEOUT_SECONDS: whole('How long the service may take to end after SIGTERM, in seconds.', {
    minimum: 1,
    maximum: 600,
    default: 10,
  }),
  DRAIN_SECONDS: whole(
    'How long of that requests are still accepted while `/readyz` says 503, in seconds: longer than it takes to be noticed by whoever distributes requests. The Docker image sets 5.',
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
    description: 'Least severe entries that are logged.',
  }),
  LOG_REQUESTS_PERCENT: whole(
    'How many of a hundred requests are logged, picked at random; those answered 500 or above are logged anyway.',
    { minimum: 0, maximum: 100, default: 100 },
  ),
})
export type Settings = Static<typeof Settings>
