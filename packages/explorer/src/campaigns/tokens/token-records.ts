import type { Client, ResponseOf } from 'reward-campaigns-client'
import { type KnownTokens, type Paying, tokensOf, tokensToRequest } from './known-tokens.ts'
import { recordTokens } from './recorded-tokens.ts'

/** As many entries as the service takes in a list. */
const MAX_TOKENS = 100

/** Tokens with all that the service has of them, by `<chainId>:<address>`. */
export type TokenRecords = ReadonlyMap<string, ResponseOf<'listTokens'>['tokens'][number]>

/** The tokens with these IDs. One that the service does not know is not in it. */
export async function fetchTokenRecords(
  client: Pick<Client, 'listTokens'>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<TokenRecords> {
  const token = ids.slice(0, MAX_TOKENS)
  if (token.length === 0) return new Map()
  const { tokens } = await client.listTokens({ token, pageSize: MAX_TOKENS }, { signal }).then(recordTokens)
  return new Map(tokens.map((record) => [record.id, record]))
}

interface Campaigns {
  campaigns: readonly Paying[]
}

/**
 * A page of campaigns with all tokens that they pay or count in, and their prices: rows that came without them would move when
 * they come. What nobody knows is not in it, and its amounts are shown in base units.
 */
export async function withTokens<Response extends Campaigns>(
  client: Pick<Client, 'listTokens'>,
  response: Response,
  signal: AbortSignal,
): Promise<Response & { tokens: KnownTokens }> {
  const { campaigns } = recordTokens(response)
  const found = await fetchTokenRecords(client, tokensToRequest(campaigns), signal)
  return { ...response, tokens: new Map([...tokensOf(campaigns), ...found]) }
}
