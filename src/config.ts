import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { compile } from '@fastify/proxy-addr'
import { nearestSetting } from './misspelt-settings.ts'
import { OperatorError } from './operator-error.ts'
import { toOperatorText } from './operator-text.ts'
import { createValidator, describeFault, type ValidateFunction } from './schemas/validator.ts'
import { renamedSettings, Settings } from './settings.ts'
import { parseSettingsFile } from './settings-file.ts'

/* The only reader of the environment. Every setting is text there; `read` says how the text becomes the value. */

/** Connection strings, which may contain passwords. */
const SECRETS = ['DATABASE_URL']

/** Invalid settings; the message has a line for each fault and never a connection string. */
export class ConfigurationError extends OperatorError {
  override readonly name = 'ConfigurationError'
}

/** Compiled once, each for a setting that is set: to compile those of all takes a command longer than to begin. */
const checks = new Map<string, ValidateFunction>()

/**
 * Reads and checks all settings at once. An empty variable counts as absent. A variable whose name is close to that of a setting is
 * a fault.
 * @param environment by default that of the process, with `ENV_FILE`.
 * @throws ConfigurationError with every faulty setting.
 */
export function readSettings(environment?: Environment): Settings {
  const { variables, faults: faultsOfFile } =
    environment === undefined ? loadFile() : { variables: environment, faults: [] }
  const faults = [...faultsOfFile, ...(environment === undefined ? [] : misspeltIn(environment))]
  const settings: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(Settings.properties)) {
    const written = variables[name]
    const isSet = written !== undefined && written !== ''
    const value = isSet ? read(written, schema.type) : schema.default
    if (value !== undefined) settings[name] = value
    if (isSet) faults.push(...faultsOf(name, settings))
  }
  const unencoded = settings.DATABASE_URL === undefined ? undefined : findUnencoded(String(settings.DATABASE_URL))
  if (unencoded !== undefined) {
    faults.push(
      `DATABASE_URL has a ${unencoded} that is not percent-encoded: write ${encodeURIComponent(unencoded)} for it in a password, or set PGPASSWORD or DATABASE_PASSWORD_FILE instead`,
    )
  } else if (settings.DATABASE_URL !== undefined && !URL.canParse(String(settings.DATABASE_URL))) {
    faults.push('DATABASE_URL must be a connection string such as postgres://user@host:5432/database')
  }
  faults.push(...faultsOfCertificates(settings.DATABASE_URL), ...takePassword(settings))
  if (Number(settings.DRAIN_SECONDS) >= Number(settings.SHUTDOWN_TIMEOUT_SECONDS)) {
    faults.push(
      `DRAIN_SECONDS must be less than SHUTDOWN_TIMEOUT_SECONDS, got ${settings.DRAIN_SECONDS} and ${settings.SHUTDOWN_TIMEOUT_SECONDS}`,
    )
  }
  faults.push(...faultsOfProxies(settings.TRUSTED_PROXIES))
  for (const [former, name] of renamedSettings) {
    if (variables[former]) faults.push(`${former} is now called ${name}`)
  }
  if (faults.length > 0) throw new ConfigurationError([...new Set(faults)].join('\n'))
  // Each is checked, or has its default.
  return settings as Settings
}

type Environment = Readonly<Record<string, string | undefined>>

/** What is wrong with one of the settings. */
function faultsOf(name: string, settings: Record<string, unknown>): string[] {
  const properties = { [name]: Settings.properties[name as keyof Settings] }
  const check = checks.get(name) ?? createValidator([]).compile({ type: 'object', properties })
  checks.set(name, check)
  return check(settings) ? [] : (check.errors ?? []).map(toFault)
}

/**
 * The environment, with the variables of `ENV_FILE`: the database driver reads it too (`PGPASSWORD`, for example), and
 * a chain file may name any variable.
 * @throws ConfigurationError with every fault of the file and of names.
 */
export function readEnvironment(): Environment {
  const { variables, faults } = loadFile()
  if (faults.length > 0) throw new ConfigurationError(faults.join('\n'))
  return variables
}

/** Adds the variables of `ENV_FILE` to the environment, which overrides them; with the faults of the file, and of all names. */
function loadFile(): { variables: Environment; faults: string[] } {
  const faults = misspeltIn(process.env)
  const named = process.env.ENV_FILE === '' ? undefined : process.env.ENV_FILE
  const file = named ?? Settings.properties.ENV_FILE.default
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isMissing || file === named) faults.push(`ENV_FILE ${file} cannot be read`)
    return { variables: process.env, faults }
  }
  const written = parseSettingsFile(file, bytes)
  faults.push(...written.faults)
  for (const { name, value, line } of written.variables) {
    const [misspelt] = misspeltIn({ [name]: value })
    if (misspelt !== undefined) faults.push(`${file}:${line}: ${misspelt}`)
    const isOther = name === 'ENV_FILE' && value !== '' && value !== file
    if (isOther && named === undefined) faults.push(`${file}:${line}: ENV_FILE counts in the environment only`)
  }
  const variables = new Map(written.variables.map(({ name, value }) => [name, value]))
  for (const [name, value] of variables) process.env[name] ??= value
  return { variables: process.env, faults }
}

/** Whether OpenTelemetry's own variables ask for traces: they name a destination, and do not switch traces off. */
export function areTracesWanted(environment: Record<string, string | undefined> = process.env) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_TRACES_EXPORTER } = environment
  if (!OTEL_EXPORTER_OTLP_TRACES_ENDPOINT && !OTEL_EXPORTER_OTLP_ENDPOINT) return false
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false
  return !OTEL_TRACES_EXPORTER || OTEL_TRACES_EXPORTER.split(',').some((name) => name.trim() === 'otlp')
}

/** A character of a connection string that ends its password too early, or its whole; undefined if there is none. */
function findUnencoded(url: string): string | undefined {
  if (url.includes('#')) return '#'
  const [, authority = '', rest = ''] = /^[a-z]+:\/\/([^/?]*)(.*)$/s.exec(url) ?? []
  if (!isDecodable(url)) return '%'
  // Before the @ of a host there is a password, unless what is there is a host with its port, and a path or parameters follow.
  const isHost = /^(\[[^\]]*\]|[^:]*)(:[0-9]*)?$/.test(authority)
  const mayHaveAt = rest.startsWith('/') ? /^\/[^/?]*(\?|$)/.test(rest) : /^\?[^@]*=/.test(rest)
  return !authority.includes('@') && rest.includes('@') && !(isHost && mayHaveAt) ? rest[0] : undefined
}

function isDecodable(text: string) {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The driver reads these files for each connection; a missing one would be reported with a stack. */
function faultsOfCertificates(url: unknown): string[] {
  if (url === undefined || !URL.canParse(String(url))) return []
  const { searchParams } = new URL(String(url))
  return ['sslrootcert', 'sslcert', 'sslkey'].flatMap((name) => {
    const file = searchParams.get(name)
    if (file === null) return []
    try {
      // Other errors only say that a certificate is not trusted.
      return readFileSync(file, 'latin1').includes('-----BEGIN ')
        ? []
        : [`DATABASE_URL names ${file} as ${name}, which is not in PEM format`]
    } catch (error) {
      return [`DATABASE_URL names ${file} as ${name}, which cannot be read: ${describeReason(error)}`]
    }
  })
}

/** Puts the password of its file into the connection string. Returns what is wrong. */
function takePassword(settings: Record<string, unknown>): string[] {
  const { DATABASE_URL: url, DATABASE_PASSWORD_FILE: file } = settings
  if (file === undefined) return []
  if (url === undefined) return ['DATABASE_PASSWORD_FILE needs DATABASE_URL']
  if (!URL.canParse(String(url))) return []
  const connection = new URL(String(url))
  if (connection.password !== '' || connection.searchParams.has('password'))
    return ['DATABASE_URL has a password, and DATABASE_PASSWORD_FILE names another one: set one of them']
  try {
    const password = toOperatorText(readFileSync(String(file))).replace(/\r?\n$/, '')
    if (password === '') return [`DATABASE_PASSWORD_FILE ${file} is empty`]
    connection.searchParams.set('password', password)
    settings.DATABASE_URL = connection.href
    return []
  } catch (error) {
    return [`DATABASE_PASSWORD_FILE ${file} cannot be read: ${describeReason(error)}`]
  }
}

/** A misspelt `DATABASE_URL` would otherwise silently start a database with samples. */
const misspeltIn = (environment: Environment) =>
  Object.entries(environment).flatMap(([name, value]) => {
    const nearest = value ? nearestSetting(name) : undefined
    return nearest === undefined ? [] : [`${name} is no setting: did you mean ${nearest}?`]
  })

const describeReason = (error: unknown) => (error instanceof Error ? error.message.split(',')[0] : String(error))

/** Validated by the library that uses the list; it also takes `10.1` for 10.0.0.1, and `10/8` for 0.0.0.10/8. */
function faultsOfProxies(proxies: unknown): string[] {
  try {
    if (!Array.isArray(proxies)) return []
    compile(proxies)
    const addresses = proxies.map((proxy) => String(proxy).replace(/\/.*/, ''))
    const short = addresses.find((address) => /\d/.test(address) && isIP(address) === 0)
    if (short !== undefined) throw new TypeError(`invalid IP address: ${short}`)
    return []
  } catch (error) {
    return [
      `TRUSTED_PROXIES must be IP addresses or ranges such as 10.0.0.0/8, or loopback, linklocal, uniquelocal: ${error instanceof Error ? error.message : error}`,
    ]
  }
}

function read(text: string, type: string) {
  if (type === 'integer') return /^[0-9]{1,15}$/.test(text) ? Number(text) : text
  if (type === 'number') return /^[0-9]{1,9}(\.[0-9]{1,6})?$/.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'array') return text.split(',').map((entry) => entry.trim())
  return text
}

function toFault(error: Parameters<typeof describeFault>[0]) {
  const name = error.instancePath.split('/')[1] ?? ''
  const fault = describeFault(error)
  return `${name} ${SECRETS.includes(name) ? fault.replace(/, got .*$/s, '') : fault}`
}
