import { sql } from 'drizzle-orm'
import type { TokenMetadata } from '../schemas/tokens.ts'
import { tokens } from './tables/tokens.ts'

/** The token of a left join as the API shows it; null where none was found. */
export const tokenMetadata = sql<TokenMetadata | null>`case when ${tokens.address} is not null then json_build_object(
  'id', ${tokens.chainId} || ':' || ${tokens.address},
  'chainId', ${tokens.chainId},
  'address', ${tokens.address},
  'decimals', ${tokens.decimals},
  'name', ${tokens.name},
  'symbol', ${tokens.symbol},
  'imageUri', ${tokens.imageUri}) end`
