import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportQueries } from '../../src/commands/explain.ts'
import { readSettings } from '../../src/config.ts'
import { aCampaign, anAddress } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

let api: TestApp
beforeAll(async () => {
  api = await startTestApp()
})
afterAll(() => api[Symbol.asyncDispose]())

const report = (url: string, token?: string) => reportQueries(readSettings(), api.database.url, { url, token })

test('the SQL of a request is printed with its parameters, plan and time', async () => {
  const owner = anAddress('one who owns')
  await api.save(aCampaign({ owner }))
  const text = await report(`/campaigns?owner=${owner}`)
  expect(text).toContain('select ')
  expect(text).toContain(owner)
  expect(text).toMatch(/actual time=.*\n(.*\n)*.*Buffers: .*\n(.*\n)*Execution Time: \d/)
})

test('where the service refuses the request, its own error is said', async () => {
  const url = '/campaigns?pageSize=many'
  await expect(report(url)).rejects.toThrow((await api.get(url)).body)
  await expect(report('/users/profile')).rejects.toThrow('the response is 401')
})
