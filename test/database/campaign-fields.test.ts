import { expect, test } from 'vitest'
import { unsaidIn } from '../../src/database/campaign-fields.ts'

// By hand: all other tests take the names of these fields from the list that the service takes them from.
const inLists = {
  campaignName: null,
  actionTemplateId: null,
  projectImageUri: null,
  tokenImageUri: null,
  nftImageUri: null,
  nftName: null,
  startTime: null,
  endTime: null,
}

test('the fields of the reference that a record may leave out are shown, without a value as null', () => {
  expect(unsaidIn('list')).toMatchObject(inLists)
  expect(unsaidIn('detail')).toMatchObject({ ...inLists, templateId: null, nftMetadataId: null })
  // Only details have these.
  expect(Object.keys(unsaidIn('list'))).not.toContain('templateId')
  expect(Object.keys(unsaidIn('list'))).not.toContain('nftMetadataId')
})
