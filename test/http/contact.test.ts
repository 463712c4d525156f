import { expect, test } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { startTestApp } from '../setup/test-app.ts'

const SETTINGS = {
  CONTACT_NAME: 'Support',
  CONTACT_URL: 'https://example.com/support',
  CONTACT_EMAIL: 'support@example.com',
}

test('the document names who answers questions, as far as the settings do', async () => {
  const contacts: [settings: Record<string, string>, contact: object | undefined][] = [
    [{}, undefined],
    [SETTINGS, { name: 'Support', url: 'https://example.com/support', email: 'support@example.com' }],
    [{ CONTACT_EMAIL: SETTINGS.CONTACT_EMAIL }, { email: 'support@example.com' }],
  ]
  for (const [settings, contact] of contacts) {
    await using api = await startTestApp(settings)
    const { info } = (await api.get('/openapi.json')).json()
    expect(info.contact).toEqual(contact)
    expect((await api.get('/openapi.yaml')).body.includes('contact:')).toBe(contact !== undefined)
  }
})

test('a contact that is none is refused', () => {
  for (const url of ['example.com', 'ftp://example.com', 'https://a b', 'mailto:a@example.com']) {
    expect(() => readSettings({ CONTACT_URL: url }), url).toThrow(/^CONTACT_URL must be a URL such as https/)
  }
  for (const email of ['support', 'a b@example.com', 'a@b@c', 'mailto: a@example.com']) {
    expect(() => readSettings({ CONTACT_EMAIL: email }), email).toThrow(/^CONTACT_EMAIL must be an e-mail address/)
  }
  expect(() => readSettings({ CONTACT_NAME: 'x'.repeat(201) })).toThrow(/^CONTACT_NAME must /)
  expect(readSettings(SETTINGS)).toMatchObject(SETTINGS)
})
