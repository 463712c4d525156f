import { identityOf, noteRecords } from '../../read-models/changes/maintain.ts'
import { type Step, stepsFor } from '../../read-models/steps.ts'
import { removeRecords, upsertRecords } from './upsert.ts'

/** Names of contracts. */
export const mergeContracts: Step[] = stepsFor(
  ['contract'],
  `with merged as (${upsertRecords('contract', 'contracts', ['chain_id', 'address'], ['name'])}
      returning chain_id, address
    ), removed as (${removeRecords('contract', 'contracts', ['chain_id', 'address'])}
      returning stored.chain_id, stored.address)
    ${noteRecords(
      identityOf('contract', { chainId: 'chain_id', address: 'address' }),
      '(select * from merged union all select * from removed) changed',
    )}`,
)
