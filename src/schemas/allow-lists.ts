import { type Static, Type } from '@sinclair/typebox'
import { Address } from './primitives.ts'
import { ref } from './references.ts'

export const AllowListType = Type.Unsafe<'SimpleAllowList' | 'SimpleDenyList' | 'OpenAllowList' | 'OffchainAccessList'>(
  {
    $id: 'AllowListType',
    type: 'string',
    enum: ['SimpleAllowList', 'SimpleDenyList', 'OpenAllowList', 'OffchainAccessList'],
    description:
      'SimpleAllowList: only the addresses may claim. SimpleDenyList: all but the addresses. OpenAllowList: everybody. OffchainAccessList: the members of an access list kept by the service.',
  },
)

const fields = {
  owner: ref(Address, { description: 'Account that may change the list.' }),
  contractAddress: ref(Address, { description: 'Contract of the list.' }),
  type: ref(AllowListType, { description: 'What being on the list means: who may claim.' }),
}

/** The allow list as a list page shows it. */
export const AllowListPreview = Type.Object(
  {
    ...fields,
    addresses: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: ref(Address),
      maxItems: 100,
      description:
        'Addresses allowed or denied, ascending. `null` when none are recorded, and when there are more than 100: the campaign detail has them all.',
    }),
  },
  { $id: 'AllowListPreview', additionalProperties: false, description: 'Who may claim a campaign.' },
)
export type AllowListPreview = Static<typeof AllowListPreview>

/** The allow list with all its addresses. */
export const AllowList = Type.Object(
  {
    ...fields,
    addresses: Type.Array(ref(Address), {
      maxItems: 1_000_000,
      description: 'All addresses allowed or denied, ascending; empty when none are recorded.',
    }),
  },
  { $id: 'AllowList', additionalProperties: false, description: 'Who may claim a campaign, with all addresses.' },
)
export type AllowList = Static<typeof AllowList>
