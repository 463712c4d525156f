import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportQueries } from '../../src/commands/explain.ts'
import { readSettings } from '../../src/config.ts'
import { aCampaign, anAddress, aProfile } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { bearing, issueToken } from '../setup/tokens.ts'

let api: TestApp
beforeAll(async () => {
  api = await startTestApp()
})
afterAll(() => api[Symbol.asyncDispose]())

const report = (url: string, token?: string) => reportQueries(readSettings(), api.database.url, { url, token })

test('the SQL of a request is printed with its parameters, plan and time', async () => {
  await api.save(aCampaign({ campaignName: 'Hereabouts' }))
  const text = await report('/campaigns?search=hereabouts')
  expect(text).toContain('select ')
  expect(text).toContain('hereabouts')
  expect(text).toMatch(/actual time=.*\n(.*\n)*.*Buffers: .*\n(.*\n)*Execution Time: \d/)
})

test('where the service refuses the request, its own error is said', async () => {
  const url = '/campaigns?pageSize=many'
  await expect(report(url)).rejects.toThrow((await api.get(url)).body)
  await expect(report('/users/profile')).rejects.toThrow('the response is 401')
})

test('a request without a query, and an export, which has no plan, are said to be that', async () => {
  expect(await report('/limits')).toBe('-- the request runs no query\n')
  for (const url of ['/export/claims', '/export/tokens?limit=1'])
    await expect(report(url)).rejects.toThrow('an export is read with COPY, which has no plan')
})

test('the SQL of a protected operation is printed with a token, whose use is not recorded', async () => {
  const address = anAddress('one with a profile')
  await api.save(aProfile({ userAddress: address }))
  const token = await issueToken(api, { userId: 'user-1', address })
  for (const [url, table] of [
    [`/users/profile?user=${address}`, 'from "profiles"'],
    ['/campaigns/accesslists?userId=user-1', 'from "access_lists"'],
  ] as const) {
    const text = await report(url, token)
    expect(text).toContain('from "credentials"')
    expect(text).toContain(table)
    expect(text).toMatch(/-- \$\d = '\\x[0-9a-f]{64}'/)
    expect(text).not.toContain(token)
    expect(text).not.toContain('update ')
  }
  expect(await api.database.query('select from credentials where last_used_at is not null')).toEqual([])
  expect((await api.get(`/users/profile?user=${address}`, bearing(token))).statusCode).toBe(200)
})
