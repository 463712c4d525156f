import { type Static, Type } from '@sinclair/typebox'

/*
 * Annotations of our own stand in these schemas and are left out of the published document:
 *   x-expected              the noun phrase that error messages use: "owner must be <x-expected>"
 *   x-lower-case            compared without case: the validator replaces an accepted value by its lower-case form
 *   x-forbidden-characters  characters that a text must not contain; the error names those it found
 *   x-any-case              a parameter's words may be written in any case: they are read as `enum` has them
 *   x-json-maximum          the largest number where the parameter `format` is not csv
 *   x-suggested             the error about a word that is not in `enum` names the nearest one that is
 */

/** The largest integer that JSON and JavaScript hold exactly: 2^53 − 1. */
export const MAX_SAFE_INTEGER = Number.MAX_SAFE_INTEGER

/** Unix seconds of 9999-12-31T23:59:59Z, the last instant with four digits of year in ISO 8601. */
export const LAST_TIMESTAMP = 253_402_300_799

export const Address = Type.String({
  $id: 'Address',
  pattern: '^0x[a-fA-F0-9]{40}$',
  description: 'An account or contract address. Compared without case; returned lower-case.',
  'x-expected': 'an address (0x and 40 hexadecimal digits)',
  'x-lower-case': true,
})

export const BaseUnits = Type.String({
  $id: 'BaseUnits',
  pattern: '^(0|[1-9][0-9]{0,77})$',
  format: 'uint256',
  maxLength: 78,
  description:
    'An unsigned integer of up to 256 bits as a decimal string: an amount in the smallest unit of its token, a count or an identifier. Exact.',
  'x-expected': 'a decimal string without sign or leading zeros, below 2^256',
})

export const TotalAmount = Type.String({
  $id: 'TotalAmount',
  pattern: '^(0|[1-9][0-9]*)$',
  // A thousand incentives, each with the maximum of claims and amounts: a product of two uint256 has 155 digits.
  maxLength: 160,
  description: 'A sum of amounts in the smallest unit of a token, as a decimal string. Exact: it may be 2^256 or more.',
})

export const UsdAmount = Type.String({
  $id: 'UsdAmount',
  pattern: '^(0|[1-9][0-9]*)(\\.[0-9]{0,5}[1-9])?$',
  // A TotalAmount, times a price of up to 60 digits.
  maxLength: 230,
  description:
    'An amount in US dollars as a decimal string: exact, rounded once to 6 decimals, without trailing zeros.',
})

/** A price or an amount as records contain it. */
export const DecimalAmount = Type.String({
  $id: 'DecimalAmount',
  pattern: '^(0|[1-9][0-9]{0,59})(\\.[0-9]{1,60})?$',
  maxLength: 121,
  description: 'A non-negative decimal number as a string, for example an amount in US dollars. Exact.',
  'x-expected':
    'a decimal string such as "12.5", without sign or exponent, at most 60 digits on each side of the point',
})

export const ChainId = Type.Integer({
  $id: 'ChainId',
  minimum: 0,
  maximum: MAX_SAFE_INTEGER,
  description: 'EIP-155 chain ID.',
  'x-expected': 'a chain ID (an integer from 0 to 9007199254740991)',
})

export const CampaignId = Type.String({
  $id: 'CampaignId',
  pattern: '^(0|[1-9][0-9]{0,15}):0x[a-fA-F0-9]{40}:(0|[1-9][0-9]{0,77})$',
  format: 'chain-first',
  maxLength: 138,
  description:
    '`<chainId>:<campaignCoreAddress>:<identifier>`; chain ID and identifier are decimal without leading zeros. Compared without case; returned lower-case.',
  'x-expected': 'a campaign ID <chainId>:<campaignCoreAddress>:<identifier>',
  'x-lower-case': true,
})

export const TransactionHash = Type.String({
  $id: 'TransactionHash',
  pattern: '^0x[a-fA-F0-9]{64}$',
  description: 'A transaction hash, returned lower-case.',
  'x-expected': 'a transaction hash (0x and 64 hexadecimal digits)',
  'x-lower-case': true,
})

export const Bytes32 = Type.String({
  $id: 'Bytes32',
  pattern: '^0x[a-fA-F0-9]{64}$',
  description: 'A word of 32 bytes, returned lower-case.',
  'x-expected': '32 bytes (0x and 64 hexadecimal digits)',
  'x-lower-case': true,
})

export const BlockTimestamp = Type.String({
  $id: 'BlockTimestamp',
  pattern: '^(0|[1-9][0-9]{0,11})$',
  format: 'unix-seconds',
  maxLength: 12,
  description: 'Timestamp of a block: Unix seconds as a decimal string.',
  'x-expected': 'Unix seconds as a decimal string, before the year 10000',
})

export const Instant = Type.String({
  $id: 'Instant',
  format: 'date-time',
  // The format checks the length of months. Years and seconds are limited to what both JavaScript and PostgreSQL
  // support.
  pattern: '^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](\\.[0-9]{1,9})?Z$',
  maxLength: 30,
  description: 'An instant in ISO 8601, UTC; returned with milliseconds.',
  'x-expected': 'an ISO 8601 instant in UTC such as 2026-01-31T12:00:00.000Z',
})
export type Instant = Static<typeof Instant>

/** Text of a bounded length, with a description. */
export const text = (description: string, options: { maxLength?: number; minLength?: number } = {}) =>
  Type.String({ description, maxLength: 4096, ...options })

/** A number of things, or an index: an integer from 0 on. */
export const wholeNumber = (description: string) => Type.Integer({ minimum: 0, description })

/** By chain ID, core address, identifier, ascending: how campaigns of given IDs are ordered. */
export function byCampaignId(one: string, other: string) {
  const [[chain = '', core = '', identifier = ''], [otherChain = '', otherCore = '', otherIdentifier = '']] = [
    one.split(':'),
    other.split(':'),
  ]
  if (chain !== otherChain) return Number(chain) - Number(otherChain)
  if (core !== otherCore) return core < otherCore ? -1 : 1
  return BigInt(identifier) < BigInt(otherIdentifier) ? -1 : 1
}
