import { expect, test } from 'vitest'
import { anAddress } from '../../setup/records.ts'
import { refusalOf } from '../../setup/refusals.ts'

const ID = `8453:${anAddress('core')}:1`

test.each([
  ['/campaigns', 'campaignNam', 'campaignName'],
  [`/campaigns/${ID}`, 'createAt', 'createdAt'],
  ['/reward-kit/trending', 'totalbudget', 'totalBudget'],
])('%s refuses the unknown field %s, and names %s', async (path, field, nearest) => {
  expect(await refusalOf(`${path}?fields=id,${field}`)).toMatch(
    new RegExp(`^an entry of fields must be one of id, .*, got "${field}", did you mean ${nearest}\\?$`),
  )
  for (const query of ['fields=', 'fields=id,', 'fields=null']) {
    expect(await refusalOf(`${path}?${query}`)).toContain('fields')
  }
})

test('a detail takes fields and minBlock, and nothing else', async () => {
  expect(await refusalOf(`/campaigns/${ID}?field=id`)).toBe(
    'unknown parameter "field", did you mean fields? Known are fields, minBlock',
  )
})
