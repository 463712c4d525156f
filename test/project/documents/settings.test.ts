import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSettings } from '../../../src/config.ts'
import { Settings } from '../../../src/settings.ts'
import { root, withLines } from '../../setup/documents/documents.ts'

const readProjectFile = (name: string) => readFile(join(root, name), 'utf8')

/** Every setting with its default as the environment would say it; undefined where there is none. */
const settings = Object.entries(Settings.properties).map(([name, schema]) => {
  const fallback: unknown = schema.default
  return { name, fallback: fallback === undefined ? undefined : String(fallback), description: schema.description }
})

test('there are settings to compare', () => {
  expect(settings.length).toBeGreaterThan(15)
  expect(settings.find(({ name }) => name === 'PORT')).toMatchObject({ fallback: '3000' })
  expect(settings.find(({ name }) => name === 'SURFACES')).toMatchObject({ fallback: 'public,staging' })
  expect(settings.find(({ name }) => name === 'DATABASE_URL')).toMatchObject({ fallback: undefined })
})

test('.env.example lists exactly the settings, each with its default; those without one are commented out', async () => {
  const lines = (await readProjectFile('.env.example')).split('\n').filter((line) => /^(# ?)?[A-Z0-9_]+=/.test(line))
  expect(lines).toEqual(
    settings.map(({ name, fallback }) => (fallback === undefined ? `# ${name}=` : `${name}=${fallback}`)),
  )
})

test('.env.example says of each setting what it is, in the line above', async () => {
  const text = await readProjectFile('.env.example')
  for (const [name, { description }] of Object.entries(Settings.properties)) {
    expect(description).toMatch(/^.{10,}\.$/)
    expect(text).toMatch(new RegExp(`^# ${escapePattern(String(description))}\n(# )?${name}=`, 'm'))
  }
})

test('the values of .env.example are the defaults', async () => {
  const lines = (await readProjectFile('.env.example')).split('\n').filter((line) => /^[A-Z]/.test(line))
  const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
  expect(readSettings(environment)).toEqual(readSettings({}))
})

test('the reference lists exactly the settings, each with its default and its description', async () => {
  const path = 'docs/reference/settings.md'
  const code = (text?: string) => (text === undefined ? '–' : `\`${text}\``)
  const lines = settings.map(
    ({ name, fallback, description }) => `| ${code(name)} | ${code(fallback)} | ${description} |`,
  )
  const head = ['| name | default | description |', '| --- | --- | --- |']
  await expect(withLines(path, 'settings', [...head, ...lines])).toMatchFileSnapshot(join(root, path))
})

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
