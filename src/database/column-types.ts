import { sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { bigint, check, customType, numeric, text, timestamp } from 'drizzle-orm/pg-core'

/*
 * One definition for each kind of value of the domain. Column names are derived from the property names (snake_case).
 */

/** An address: text, lower-case (see lowerCaseAddress). */
export const address = () => text()

/** EIP-155 chain ID. */
export const chainId = () => bigint({ mode: 'number' })

/** The surrogate key of a campaign; short, because every claim contains it. */
export const campaignKey = () => bigint({ mode: 'bigint' })

/** An amount in the smallest unit of its token, up to 2^256 − 1; read as an exact decimal string. */
export const baseUnits = () => numeric({ precision: 78, scale: 0 })

/** A sum of base units, or a decimal number of any length; read as an exact decimal string. */
export const exactNumber = () => numeric()

/** An instant, to the millisecond. */
export const instant = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' })

/** Unix seconds of a block. */
export const blockTimestamp = () => bigint({ mode: 'number' })

/** A transaction hash: 32 bytes in the table, `0x` and 64 hexadecimal digits outside. */
export const transactionHash = customType<{ data: string; driverData: Buffer }>({
  dataType: () => 'bytea',
  fromDriver: (bytes) => `0x${bytes.toString('hex')}`,
  toDriver: (hash) => Buffer.from(hash.slice(2), 'hex'),
})

/** SHA-256 of a secret. */
export const digest = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** Words to be found by prefix; made and compared by the functions `word_starts` and `words_query`. */
export const wordStarts = customType<{ data: string }>({ dataType: () => 'tsvector' })

/**
 * The rule that an address is stored lower-case. Not a regular expression: that took a third of the time of an import.
 */
export const lowerCaseAddress = (name: string, column: AnyPgColumn) =>
  check(name, sql`octet_length(${column}) = 42 and ${column} = lower(${column} collate "C")`)
