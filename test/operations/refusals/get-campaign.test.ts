import { describe, expect, test } from 'vitest'
import { anAddress } from '../../setup/records.ts'
import { refusalOf } from '../../setup/refusals.ts'

const CORE = anAddress('core')
const ZERO = `0x${'0'.repeat(40)}`

describe('an ID', () => {
  test.each([
    ['a prefix 0X', `8453:0X${CORE.slice(2)}:1`],
    ['no prefix', `8453:${CORE.slice(2)}:1`],
    ['a chain with a leading zero', `08453:${CORE}:1`],
    ['an identifier with a leading zero', `8453:${CORE}:01`],
    ['an identifier of 79 digits', `8453:${CORE}:${'1'.repeat(79)}`],
    ['an identifier of 200 digits', `8453:${CORE}:${'1'.repeat(200)}`],
    ['an address of 39 digits', `8453:${CORE.slice(0, -1)}:1`],
    ['an address of 41 digits', `8453:${CORE}0:1`],
    ['an address with a letter beyond f', `8453:${CORE.slice(0, -1)}g:1`],
    ['no identifier', `8453:${CORE}`],
    ['an empty identifier', `8453:${CORE}:`],
    ['a hexadecimal identifier', `8453:${CORE}:0x1`],
    ['a negative identifier', `8453:${CORE}:-1`],
    ['an empty chain', `:${CORE}:1`],
    ['a fourth part', `8453:${CORE}:1:1`],
    ['a space before it', `%208453:${CORE}:1`],
    ['a newline after it', `8453:${CORE}:1%0A`],
    ['a NUL in it', `8453:${CORE}:1%00`],
    ['nothing of an ID', 'anything'],
    ['digits of another script', `8453:${CORE}:%D9%A1`],
  ])('with %s is refused, and the message names the parameter', async (_what, id) => {
    const error = await refusalOf(`/campaigns/${id}`)
    expect(error).toMatch(/\bid\b/)
    expect(error).toContain('<chainId>:<campaignCoreAddress>:<identifier>')
  })

  test('with a malformed percent-encoding is refused', async () => {
    await refusalOf(`/campaigns/8453:${CORE}:1%zz`)
    await refusalOf(`/campaigns/8453:${CORE}:1%ff`)
  })
})

describe('a query parameter', () => {
  test.each(['page=1', 'user=', 'x', '__proto__=1', `owner=${ZERO}`])('is refused: %s', async (query) => {
    const error = await refusalOf(`/campaigns/8453:${CORE}:1?${query}`)
    expect(error).toContain(`"${query.split('=')[0]}"`)
  })

  test('is refused in the same sentence as a malformed ID', async () => {
    const error = await refusalOf('/campaigns/nonsense?page=1')
    expect(error).toMatch(/\bid must be/)
    expect(error).toContain('"page"')
  })

  test('is refused also where there is no campaign', async () => {
    await refusalOf(`/campaigns/8453:${CORE}:424242?page=1`)
  })
})
