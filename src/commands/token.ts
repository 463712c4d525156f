import { Type } from '@sinclair/typebox'
import { createSecret, listCredentials, revokeCredential, saveCredential } from '../database/lookups/bearer-tokens.ts'
import { OperatorError } from '../operator-error.ts'
import { withCurrentSchema } from '../process/database-access.ts'
import { toJsonLine, toPrintable, toTable } from '../process/print-rows.ts'
import { name128 } from '../schemas/parameters/query-values.ts'
import { Address } from '../schemas/primitives.ts'
import { createValidator, describeFault } from '../schemas/validator.ts'
import type { Settings } from '../settings.ts'

export interface NewToken {
  user: string
  address?: string
  admin?: boolean
  expires?: string
  name?: string
}

/** The operator's request cannot be fulfilled; the message says why. */
export class TokenError extends OperatorError {
  override readonly name = 'TokenError'
}

/** `token create`: prints the secret, which is shown only once; everything else goes to standard error. */
export async function createToken(settings: Settings, options: NewToken) {
  // Faults are reported before a database is started for it; the lifetime starts when the token is stored.
  readOptions(options, new Date())
  const secret = createSecret()
  const { id, fields } = await withCurrentSchema(settings, async (_url, database) => {
    const fields = readOptions(options, new Date())
    return { id: await saveCredential(database, secret, fields), fields }
  })
  process.stderr.write(
    `Token ${id} of user ${toPrintable(fields.userId)}${fields.isAdmin ? ', an admin token' : ''}, ` +
      `${fields.expiresAt === null ? 'without expiry' : `until ${fields.expiresAt.toISOString()}`}. ` +
      'This is its secret, which is not stored and not shown again:\n',
  )
  process.stdout.write(`${secret}\n`)
}

const INSTANTS = ['createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt'] as const
const COLUMNS = ['id', 'userId', 'address', 'admin', 'name', ...INSTANTS] as const

/** `token list`: all tokens, the newest first; never a secret. */
export async function listTokens(settings: Settings, options: { json?: boolean }) {
  const tokens = (await withCurrentSchema(settings, (_url, database) => listCredentials(database))).map((token) => ({
    id: token.id,
    userId: token.userId,
    address: token.address,
    admin: token.isAdmin,
    name: token.name,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
    revokedAt: token.revokedAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  }))
  process.stdout.write(options.json ? tokens.map(toJsonLine).join('') : toTable(COLUMNS, tokens))
}

/** `token revoke`: the token is invalid from now on. */
export async function revokeToken(settings: Settings, id: string) {
  const isKnown = await withCurrentSchema(settings, (_url, database) => revokeCredential(database, id))
  if (!isKnown) {
    // A secret that was given instead of the ID must not be repeated, for example into a log.
    const given = JSON.stringify(id.replace(/rcs_.*/s, 'rcs_[redacted]'))
    throw new TokenError(`there is no token ${given}; \`token list\` shows the IDs of all`)
  }
  process.stderr.write(`Token ${id} is revoked.\n`)
}

const NewTokenOptions = Type.Object({
  user: name128(),
  address: Type.Optional(Type.Ref('Address')),
  name: Type.Optional(name128()),
})

function readOptions({ admin = false, expires, ...named }: NewToken, now: Date) {
  const validate = createValidator([Address]).compile(NewTokenOptions)
  const faults = validate(named)
    ? []
    : (validate.errors ?? []).map((error) => `--${error.instancePath.slice(1)} ${describeFault(error)}`)
  const expiresAt = expires === undefined ? null : toExpiry(expires, now)
  if (expiresAt === undefined) {
    faults.push(
      `--expires must be 30s, 15m, 12h, 90d or an ISO 8601 time with its zone, got ${JSON.stringify(expires)}`,
    )
  } else if (expiresAt !== null && expiresAt <= now) {
    faults.push(`--expires must be in the future, got ${JSON.stringify(expires)}`)
  }
  if (faults.length > 0 || expiresAt === undefined) throw new TokenError(faults.join('\n'))
  return {
    userId: named.user,
    address: named.address ?? null,
    isAdmin: admin,
    name: named.name ?? '',
    expiresAt,
  }
}

const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** When a token that is issued now expires; undefined if the text is no lifetime. */
function toExpiry(text: string, now: Date): Date | undefined {
  const [, amount, unit] = /^([1-9][0-9]{0,8})([smhd])$/.exec(text) ?? []
  if (amount !== undefined && unit !== undefined) {
    const expiry = new Date(now.getTime() + Number(amount) * (UNIT_MS[unit] ?? 0))
    return expiry.getUTCFullYear() <= 9999 ? expiry : undefined
  }
  const isInstant = createValidator([]).compile({ type: 'string', format: 'date-time' })
  const expiry = new Date(text)
  return isInstant(text) && !Number.isNaN(expiry.getTime()) ? expiry : undefined
}
