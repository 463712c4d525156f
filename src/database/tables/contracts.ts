import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { address, chainId, lowerCaseAddress } from '../columns.ts'

/** The name of a contract that campaigns act on. Written by the import; replaced whole. */
export const contracts = pgTable(
  'contracts',
  {
    chainId: chainId().notNull(),
    address: address().notNull(),
    name: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.address] }),
    lowerCaseAddress('contracts_address_is_lower_case', table.address),
  ],
)
