import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readSettings } from '../../src/config.ts'
import { borrowTestApp, startTestApp } from '../setup/test-app.ts'

test('the YAML is written in many turns of the event loop, between which others are answered', async () => {
  await using fresh = await startTestApp()
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  // Neither the first request nor the JSON.
  await fresh.get('/openapi.json')
  setImmediate(count)
  expect((await fresh.get('/openapi.yaml')).statusCode).toBe(200)
  isOver = true
  expect(turns).toBeGreaterThan(100)
})

test('the OpenAPI document is served as JSON and as YAML, and both say the same as the committed one', async () => {
  await using api = await borrowTestApp()
  const [json, yaml] = await Promise.all([api.get('/openapi.json'), api.get('/openapi.yaml')])
  expect(json.statusCode).toBe(200)
  expect(json.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(yaml.statusCode).toBe(200)
  expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8')
  expect(parse(yaml.body)).toEqual(json.json())
  const committed = await readFile(join(import.meta.dirname, '../../openapi.json'), 'utf8')
  expect(json.json()).toEqual(JSON.parse(committed))
})

test.each([
  [{}, '/', '/'],
  [
    {
      PUBLIC_BASE_URL: 'https://api.rewards.example.com/v2',
      STAGING_BASE_URL: 'https://staging.rewards.example.com/v2',
    },
    'https://api.rewards.example.com/v2',
    'https://staging.rewards.example.com/v2',
  ],
])('the document says where each operation is served: %o', async (settings, publicUrl, stagingUrl) => {
  await using api = await borrowTestApp(settings)
  const { body } = await api.get('/openapi.json')
  const { paths } = JSON.parse(body)
  for (const [path, { get }] of Object.entries<{ get: { servers: object[]; security?: object[] } }>(paths)) {
    expect(get.servers, path).toEqual([{ url: get.security === undefined ? publicUrl : stagingUrl }])
  }
})

test.each([
  '//api.example',
  'https://',
  'api.example',
  'https://user:secret@api.example',
  'https://a;script-src *',
  '/a?b',
])('what is no base address is refused: %s', (url) => {
  expect(() => readSettings({ PUBLIC_BASE_URL: url })).toThrow(/^PUBLIC_BASE_URL must be a path, or a URL such as/)
  expect(() => readSettings({ STAGING_BASE_URL: url })).toThrow(/^STAGING_BASE_URL must be a path, or a URL such as/)
})
