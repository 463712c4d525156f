import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resolveReferences } from '../../../packages/example-requests/src/resolve-references.ts'
import { aCampaign, aClaim, aHash, anActionTemplate, anErc20Incentive, aStep, aToken } from '../../setup/records.ts'
import { entriesOf, first, lists, second, third, toId } from '../../setup/requests/list-parameters.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

/*
 * A list is written `a,b` or `name=a&name=b`, or both: many generated clients know only the second.
 */

const NOW = new Date('2026-01-01T12:00:00.000Z')

/** What an operation is asked besides. */
const besides: Record<string, string> = {
  '/explore/contracts': '',
  '/activity': '',
  '/outlook': '',
  '/tokens': '',
  '/claims': '',
  '/eligibility': `&user=${first}`,
  '/users/{address}/rewards': '',
  '/export/campaigns': '',
  '/export/claims': '',
  '/export/tokens': '',
  '/export/prices': '',
}

let api: BorrowedTestApp
beforeAll(async () => {
  // Three are asked at the same time.
  api = await borrowTestApp({ MAX_EXPORTS: '3' })
  api.setNow(NOW)
  besides['/changes'] = `&after=${(await api.get('/changes')).json().nextCursor}`
  for (const [index, address] of [first, second, third].entries()) {
    const template = anActionTemplate({ actionType: `t${index}` })
    const campaign = aCampaign({
      id: toId(index),
      budget: address,
      incentives: [anErc20Incentive(address)],
      actionSteps: [aStep(address, 100 + index), aStep(address, 10)],
      distributionChannels: [`c${index}`],
      actionTemplateId: template.id,
    })
    const elsewhere = aCampaign({ id: `${100 + index}:${first}:1`, incentives: [anErc20Incentive(address)] })
    await api.save(elsewhere, aClaim(elsewhere, { claimant: first }))
    await api.save(aToken({ chainId: 10, address }), aToken({ chainId: 100 + index, address: first }))
    await api.save({ type: 'tokenPrice', chainId: 100 + index, address: first, at: NOW.toISOString(), priceUsd: '1' })
    const blockTimestamp = String(NOW.getTime() / 1000 - 60)
    await api.save(template, campaign, aClaim(campaign, { blockTimestamp, txHash: aHash(index) }))
  }
})
afterAll(() => api[Symbol.asyncDispose]())

async function responseOf(path: string, query: string) {
  const more = besides[path] ?? '&tokenWhitelist=false'
  const response = await api.get(`${path.replace('{address}', first)}?${query}${more}`)
  const isText = String(response.headers['content-type']).startsWith('application/x-ndjson')
  return { status: response.statusCode, body: isText ? response.body : response.json() }
}

test('all list parameters there are have their promises here', async () => {
  const document = resolveReferences((await api.get('/openapi.json')).json())
  const declared = Object.entries<{
    get: { parameters?: { name: string; schema: { type?: string; items?: { enum?: unknown } } }[] }
  }>(document.paths).flatMap(([path, { get }]) =>
    (get.parameters ?? [])
      // See minimum-blocks.test: it needs chains that are followed.
      .filter(({ schema, name }) => schema.type === 'array' && name !== 'minBlock')
      // These have no value that is absent or new; see chosen-fields.test and find-more.test.
      .filter(({ schema }) => schema.items?.enum === undefined)
      .map(({ name }) => `${path} ${name}`),
  )
  expect(lists.map(({ path, name }) => `${path} ${name}`).sort()).toEqual(declared.sort())
})

describe.each(lists)('$path: $name', ({ path, name, values, max = 100 }) => {
  const [one, two, three, none] = values

  test('may be repeated, and asks the same as with commas', async () => {
    const expected = await responseOf(path, `${name}=${one},${two}`)
    expect(expected.status).toBe(200)
    const others = await Promise.all(
      [`${name}=${one}`, `${name}=${one},${three}`, `${name}=${none}`].map((query) => responseOf(path, query)),
    )
    for (const other of others) expect(other.body, 'the question tells them apart').not.toEqual(expected.body)
    for (const query of [
      `${name}=${one}&${name}=${two}`,
      `${name}=${two}&${name}=${one}`,
      `${name}=${one}&${name}=%20${two}%20&${name}=${one.toUpperCase().replace('0X', '0x').replace('COLLECTION', 'collection')}`,
    ]) {
      expect(await responseOf(path, query), query).toEqual(expected)
    }
  })

  test('may have commas and be repeated at once', async () => {
    const expected = await responseOf(path, `${name}=${one},${two},${three}`)
    expect(expected.status).toBe(200)
    expect(await responseOf(path, `${name}=${one},${two}&${name}=${three}`)).toEqual(expected)
    expect(await responseOf(path, `${name}=${three},${one}&${name}=${two},${three}`)).toEqual(expected)
  })

  test(`may have ${max} entries in all, counted after duplicates are dropped`, async () => {
    expect(
      (await responseOf(path, `${entriesOf({ name, values }, max)}&${entriesOf({ name, values }, max / 2)}`)).status,
    ).toBe(200)
  })

  test.each([`${name}[]`, `${name}%5B%5D`])('may be repeated with brackets: %s', async (bracketed) => {
    const commas = await responseOf(path, `${name}=${one},${two}`)
    expect(commas.status).toBe(200)
    expect(await responseOf(path, `${bracketed}=${one}&${bracketed}=${two}`)).toEqual(commas)
    expect(await responseOf(path, `${bracketed}=${one}&${name}=${two}`)).toEqual(commas)
    expect(await responseOf(path, `${name}=${two}&${bracketed}=${one},${one}`)).toEqual(commas)
  })
})
