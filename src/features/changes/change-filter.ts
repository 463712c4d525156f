import type { Change } from '../../schemas/changes.ts'
import type { ListChangesQuery } from './change-schemas.ts'

export interface ChangeFilter {
  passes: (change: Change) => boolean
  /** The same for all that pass the same changes. */
  key: string
  passesAll: boolean
}

export function createFilter({ kind, campaignId, chainId }: ListChangesQuery): ChangeFilter {
  return {
    passes: (change) =>
      change.kind === 'reset' ||
      ((kind?.includes(change.kind) ?? true) &&
        (campaignId?.includes(change.campaignId ?? change.claim?.campaignId ?? '') ?? true) &&
        (chainId?.includes(change.chainId) ?? true)),
    key: JSON.stringify([kind, campaignId, chainId]),
    passesAll: [kind, campaignId, chainId].every((filter) => filter === undefined),
  }
}
