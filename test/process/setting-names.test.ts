import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nearestSetting } from '../../src/misspelt-settings.ts'
import { Settings } from '../../src/settings.ts'

const names = Object.keys(Settings.properties)

describe('a name is taken for a setting', () => {
  test.each([
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['database-url', 'DATABASE_URL'],
    ['PROT', 'PORT'],
    ['PORTS', 'PORT'],
    ['Port', 'PORT'],
    ['HSOT', 'HOST'],
    ['HOSTS', 'HOST'],
    ['mcp', 'MCP'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['SURFACE', 'SURFACES'],
    ['MAX_STREAM', 'MAX_STREAMS'],
    ['STATEMENT_TIMEOUT', 'STATEMENT_TIMEOUT_MS'],
    ['STATEMENT_TIMEOUT_SECONDS', 'STATEMENT_TIMEOUT_MS'],
    ['CACHE_MAX_AGE', 'CACHE_MAX_AGE_SECONDS'],
    ['RESPONSE_CACHE', 'RESPONSE_CACHE_MB'],
    ['RESPONSE_CACHE_MEGABYTES', 'RESPONSE_CACHE_MB'],
    ['LOG_REQUESTS', 'LOG_REQUESTS_PERCENT'],
    ['LOG_REQUEST_PERCENT', 'LOG_REQUESTS_PERCENT'],
    ['CHANGES_KEEP', 'CHANGES_KEEP_HOURS'],
    ['DRAIN', 'DRAIN_SECONDS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['DATA_DIRS', 'DATA_DIR'],
  ])('%s: %s', (name, setting) => {
    expect(nearestSetting(name)).toBe(setting)
  })

  test.each(names.filter((name) => name.length > 3))(
    'with two letters swapped, one missing, or one twice: %s',
    (name) => {
      const places = Array.from({ length: name.length - 1 }, (_, place) => place)
      const variants = places.flatMap((place) => {
        const [start, first, second, rest] = [name.slice(0, place), name[place], name[place + 1], name.slice(place + 2)]
        return [
          `${start}${second}${first}${rest}`,
          `${start}${first}${rest}`,
          `${start}${first}${first}${second}${rest}`,
        ]
      })
      for (const variant of variants.filter((variant) => !names.includes(variant)))
        expect(nearestSetting(variant), variant).toBeDefined()
    },
  )

  test('in any case, and with any separators', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.constantFrom('', '-', '.', '_'),
        fc.boolean(),
        (name, separator, isLower) => {
          const variant = (isLower ? name.toLowerCase() : name).replaceAll('_', separator)
          expect(nearestSetting(variant)).toBe(variant === name ? undefined : name)
        },
      ),
    )
  })
})

test('names of other programs are not taken for settings', () => {
  const others =
    'HOME HOSTNAME HOSTTYPE LANG LOGNAME MAIL PATH POSTGRES_PASSWORD POSTGRES_USER PWD SHELL SHLVL TERM TMP TMPDIR USER PGHOST PGPORT ' +
    'PGPASSWORD PGOPTIONS DATA_PORT DATADOG DD_HOST XDG_DATA_DIRS XDG_DATA_HOME NODE_ENV NODE_OPTIONS KUBERNETES_PORT KUBERNETES_SERVICE_HOST ' +
    'OTEL_LOG_LEVEL npm_config_cache DATABASE_USER DATABASE_HOST DATABASE_PORT DATABASE_SSL DATABASE_NAME DB_HOST DB_PORT REDIS_URL CACHE_URL ' +
    'RPC_8453 RPC_1 RPC_URL SERVING_PASSWORD HTTP_PROXY NO_PROXY NO_COLOR FORCE_COLOR CI GCP MCU TZ EDITOR PAGER EXPORTER SERVICES MAX_WORKERS ' +
    'METRICS_HOST LOG_FORMAT LOG_FILE RATE_LIMIT INIT_CWD DISPLAY COLORTERM SSH_AUTH_SOCK INVOCATION_ID JOURNAL_STREAM'
  expect(others.split(' ').filter((name) => nearestSetting(name) !== undefined)).toEqual([])
  expect(names.filter((name) => nearestSetting(name) !== undefined)).toEqual([])
})
