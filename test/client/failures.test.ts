import { createClient, ServiceError } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { startRefusingServer } from '../setup/servers/refusing-server.ts'
import { startTestApp } from '../setup/test-app.ts'
import { startTestClient } from '../setup/test-client.ts'

const MISSING = '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:999'

test('a refusal is an error with its status, sentence and request ID', async () => {
  await using service = await startTestClient()
  const failure = await service.client.listCampaigns({ pageSize: 101 }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ServiceError)
  expect(failure).toBeInstanceOf(Error)
  expect(failure).toMatchObject({
    name: 'ServiceError',
    message: 'pageSize must be an integer from 0 to 100, got 101',
    status: 400,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    retryAfterSeconds: undefined,
    code: 'invalid_request',
    errors: [{ parameter: 'pageSize', code: 'invalid', detail: 'pageSize must be an integer from 0 to 100, got 101' }],
  })
  await expect(service.client.getCampaign(MISSING)).rejects.toMatchObject({ status: 404 })
  await expect(service.client.listAccessLists()).rejects.toMatchObject({
    status: 401,
    message: 'this operation needs a token: Authorization: Bearer <token>',
  })
  await expect(service.client.eachCampaign({ owner: '0x12' }).pages().next()).rejects.toMatchObject({ status: 400 })
})

test('by path, a refusal is told as an answer', async () => {
  await using service = await startTestClient()
  const { data, error, response } = await service.client.api.GET('/campaigns/{id}', {
    params: { path: { id: MISSING } },
  })
  expect(data).toBeUndefined()
  expect(response.status).toBe(404)
  expect(error).toEqual((await service.api.get(`/campaigns/${MISSING}`)).json())
})

test('a refusal that is not the service’s own says at least its status', async () => {
  await using api = await startTestApp()
  await using server = await startRefusingServer(api, [
    { status: 502, body: '<html>Bad Gateway</html>' },
    { status: 500, body: '{"error":{"code":7}}' },
    { status: 504 },
  ])
  const client = createClient({ baseUrl: server.url })
  const expected = { requestId: undefined, retryAfterSeconds: undefined, code: undefined, errors: [] }
  const asked = () => client.listCampaigns()
  await expect(asked()).rejects.toMatchObject({ ...expected, status: 502, message: 'the response was 502 Bad Gateway' })
  await expect(asked()).rejects.toMatchObject({ status: 500, message: 'the response was 500 Internal Server Error' })
  await expect(asked()).rejects.toMatchObject({ status: 504, message: 'the response was 504 Gateway Timeout' })
  expect(server.asked).toHaveLength(3)
})

test.each([
  [
    'localhost:3000',
    'baseUrl must begin with http:// or https://, got "localhost:3000": did you mean "http://localhost:3000"?',
  ],
  [
    'api.example/v2',
    'baseUrl must begin with http:// or https://, got "api.example/v2": did you mean "http://api.example/v2"?',
  ],
  [
    '127.0.0.1:3000',
    'baseUrl must begin with http:// or https://, got "127.0.0.1:3000": did you mean "http://127.0.0.1:3000"?',
  ],
  ['/', 'baseUrl must begin with http:// or https://, got "/"'],
  ['ftp://api.example', 'baseUrl must begin with http:// or https://, got "ftp://api.example"'],
  ['', 'baseUrl must begin with http:// or https://, got ""'],
])('a URL without its scheme is refused at once: %s', (url, message) => {
  expect(() => createClient({ baseUrl: url })).toThrow(new TypeError(message))
  const stagingUrl = { baseUrl: 'http://localhost:3000', stagingUrl: url }
  expect(() => createClient(stagingUrl)).toThrow(new TypeError(message.replace('baseUrl', 'stagingUrl')))
})

test('a service that cannot be reached is what fetch says it is', async () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1' })
  await expect(client.listCampaigns()).rejects.toBeInstanceOf(TypeError)
})

test('an answer without JSON is no answer', async () => {
  await using api = await startTestApp()
  await using server = await startRefusingServer(api, [{ status: 200 }, { status: 204 }])
  const client = createClient({ baseUrl: server.url })
  await expect(client.listCampaigns()).rejects.toThrow('the response has no JSON body: 200')
  await expect(client.listCampaigns()).rejects.toThrow('the response has no JSON body: 204')
})
