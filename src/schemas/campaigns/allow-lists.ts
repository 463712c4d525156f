import { type Static, Type } from '@sinclair/typebox'
import { Address } from '../primitives.ts'
import { component, listOf, ref, word } from '../schema-builders.ts'

export const AllowListType = word(
  ['SimpleAllowList', 'SimpleDenyList', 'OpenAllowList', 'OffchainAccessList'],
  'SimpleAllowList: only the addresses may claim. SimpleDenyList: all others. OpenAllowList: everyone. OffchainAccessList: members of an access list stored by the service.',
  { $id: 'AllowListType' },
)

const fields = {
  owner: ref(Address, 'Account that can change the list.'),
  contractAddress: ref(Address, 'Contract of the list.'),
  type: ref(AllowListType, 'Which accounts the list lets claim.'),
}

/** The allow list as a list page shows it. */
export const AllowListPreview = component('AllowListPreview', 'The accounts that may claim a campaign.', {
  ...fields,
  addresses: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: ref(Address),
    maxItems: 100,
    description:
      'Addresses allowed or denied, ascending. `null` if none are recorded or there are over 100; the campaign detail has all.',
  }),
})
export type AllowListPreview = Static<typeof AllowListPreview>

/** The allow list with all its addresses. */
export const AllowList = component('AllowList', 'The accounts that may claim a campaign, with all addresses.', {
  ...fields,
  addresses: listOf(Address, 1_000_000, 'All addresses allowed or denied, ascending; empty if none are recorded.'),
})
export type AllowList = Static<typeof AllowList>
