import type { Client, ResponseOf } from 'reward-campaigns-client'
import { type Paying, tokensNamed } from './known-tokens.ts'
import { recordTokens } from './recorded-tokens.ts'

/** As many entries as the service takes in a list. */
const MAX_TOKENS = 100

/** Tokens with all that the service has of them, by `<chainId>:<address>`. */
export type TokenRecords = ReadonlyMap<string, ResponseOf<'listTokens'>['tokens'][number]>

/** The tokens that a campaign pays or counts in. One that the service does not know is not in it. */
export async function fetchTokenRecords(
  client: Pick<Client, 'listTokens'>,
  campaign: Paying,
  signal: AbortSignal,
): Promise<TokenRecords> {
  const token = tokensNamed(campaign).slice(0, MAX_TOKENS)
  if (token.length === 0) return new Map()
  const { tokens } = await client.listTokens({ token, pageSize: MAX_TOKENS }, { signal }).then(recordTokens)
  return new Map(tokens.map((record) => [record.id, record]))
}
