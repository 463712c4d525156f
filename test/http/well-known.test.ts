import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

/*
 * What programs look for at the same place of every service.
 */

const CONTACT = 'mailto:security@example.com'
const LINKS =
  '<./openapi.json>; rel="service-desc"; type="application/json", <./openapi.yaml>; rel="service-desc"; type="application/yaml", ' +
  '<./docs>; rel="service-doc"; type="text/html", <./llms.txt>; rel="service-doc"; type="text/markdown", ' +
  '<./status>; rel="status"; type="application/json"'

let api: TestApp
beforeAll(async () => {
  api = await startTestApp()
})
afterAll(() => api[Symbol.asyncDispose]())

interface Linkset {
  linkset: { anchor: string; [relation: string]: string | { href: string; type?: string }[] }[]
}

describe('the catalog of APIs (RFC 9727)', () => {
  test('says which API is here and what describes it, and each of its links leads somewhere', async () => {
    const { statusCode, headers, body } = await api.get('/.well-known/api-catalog')
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      link: '<../.well-known/api-catalog>; rel="api-catalog"',
      etag: expect.stringMatching(/^"/),
    })
    const { linkset }: Linkset = JSON.parse(body)
    expect(linkset).toEqual([
      { anchor: '/.well-known/api-catalog', item: [{ href: '/' }] },
      {
        anchor: '/',
        'service-desc': [
          { href: '/openapi.json', type: 'application/json' },
          { href: '/openapi.yaml', type: 'application/yaml' },
        ],
        'service-doc': [
          { href: '/docs', type: 'text/html' },
          { href: '/llms.txt', type: 'text/markdown' },
        ],
        status: [{ href: '/status', type: 'application/json' }],
      },
    ])
    for (const { anchor: _, item: __, ...relations } of linkset) {
      for (const { href, type = '' } of Object.values(relations).flatMap(
        (targets) => targets as { href: string; type?: string }[],
      )) {
        const response = await api.get(href)
        expect(response.statusCode, href).toBe(200)
        expect(response.headers['content-type'], href).toContain(type)
      }
    }
  })

  test('tells HEAD where it is', async () => {
    const { statusCode, headers, body } = await api.app.inject({ method: 'HEAD', url: '/.well-known/api-catalog' })
    expect([statusCode, body, headers.link]).toEqual([200, '', '<../.well-known/api-catalog>; rel="api-catalog"'])
  })

  test('has each surface that is served, where it is served', async () => {
    await using other = await startTestApp(
      { PUBLIC_BASE_URL: 'https://api.example/v2', STAGING_BASE_URL: 'https://staging.example' },
      api.database,
    )
    const { linkset }: Linkset = (await other.get('/.well-known/api-catalog')).json()
    expect(linkset[0]?.item).toEqual([{ href: 'https://api.example/v2' }, { href: 'https://staging.example' }])
    expect(linkset.slice(1).map(({ anchor }) => anchor)).toEqual(['https://api.example/v2', 'https://staging.example'])
    await using staging = await startTestApp({ SURFACES: 'staging' }, api.database)
    const only: Linkset = (await staging.get('/.well-known/api-catalog')).json()
    expect(only.linkset[1]?.status).toEqual([{ href: '/readyz', type: 'application/json' }])
  })
})

describe('security.txt (RFC 9116)', () => {
  test('says whom to tell and for how long that holds', async () => {
    await using named = await startTestApp({ SECURITY_CONTACT: CONTACT }, api.database)
    named.setNow(new Date('2026-03-01T12:34:56Z'))
    const { statusCode, headers, body } = await named.get('/.well-known/security.txt')
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(body).toBe(`Contact: ${CONTACT}\nExpires: 2026-08-28T00:00:00.000Z\nPreferred-Languages: en\n`)
  })

  test('is not there unless a contact is set, which has to be one', async () => {
    expect((await api.get('/.well-known/security.txt')).statusCode).toBe(404)
    for (const contact of ['security@example.com', 'http://example.com', 'mailto:a b', 'mailto:a\nExpires: never']) {
      expect(() => readSettings({ SECURITY_CONTACT: contact }), contact).toThrow(/^SECURITY_CONTACT must be an address/)
    }
  })
})

test('/ leads programs to what describes the service, with the explorer and without', async () => {
  for (const accept of ['text/html', '*/*']) {
    expect((await api.get('/', { accept })).headers.link, accept).toBe(LINKS)
  }
  await using plain = await startTestApp({ EXPLORER: 'false' }, api.database)
  expect((await plain.get('/')).headers).toMatchObject({ location: './docs', link: LINKS })
})
