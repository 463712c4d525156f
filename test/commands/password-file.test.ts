import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { doctor } from '../../src/commands/doctor.ts'
import { ConfigurationError, readSettings } from '../../src/config.ts'
import { createTestDatabase } from '../setup/database.ts'
import { runInProcess } from '../setup/servers/in-process.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'password-file-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function aFile(text: string) {
  const file = join(folder, randomBytes(4).toString('hex'))
  await writeFile(file, text)
  return file
}

test.each(['plain', '# / ? & % %41 + \' " : @ ü', ' spaces around '])(
  'a command logs in with the password that a file has: %s',
  async (password) => {
    await using database = await createTestDatabase()
    const role = `test_${randomBytes(8).toString('hex')}`
    await database.query(`create role ${role} login password ${pg.escapeLiteral(password)}`)
    try {
      const url = Object.assign(new URL(database.url), { username: role, password: '' })
      for (const text of [password, `${password}\n`, `${password}\r\n`]) {
        const settings = readSettings({
          DATABASE_URL: `${url.href}?application_name=a%20name`,
          DATABASE_PASSWORD_FILE: await aFile(text),
        })
        const { stdout } = await runInProcess(() => doctor(settings, { json: true }))
        expect(stdout).toMatch(/^\{"check":"server","state":"ok"/)
      }
    } finally {
      await database.query(`drop role ${role}`)
    }
  },
)

test('a file that is of no use is a fault of the settings, which does not show a password', async () => {
  const DATABASE_URL = 'postgres://user@database.example/rewards'
  const file = await aFile('hunter2')
  const empty = await aFile('\n')
  const utf16 = await aFile('h\0u\0n\0')
  for (const [settings, sentence] of [
    [{ DATABASE_PASSWORD_FILE: file }, 'DATABASE_PASSWORD_FILE needs DATABASE_URL'],
    [
      { DATABASE_URL: 'postgres://user:other@database.example/rewards', DATABASE_PASSWORD_FILE: file },
      'DATABASE_URL has a password, and DATABASE_PASSWORD_FILE names another one: set one of them',
    ],
    [{ DATABASE_URL, DATABASE_PASSWORD_FILE: empty }, `DATABASE_PASSWORD_FILE ${empty} is empty`],
    [{ DATABASE_URL, DATABASE_PASSWORD_FILE: utf16 }, `DATABASE_PASSWORD_FILE ${utf16} cannot be read: it is UTF-16`],
    [
      { DATABASE_URL, DATABASE_PASSWORD_FILE: '/nowhere/password' },
      'DATABASE_PASSWORD_FILE /nowhere/password cannot be read: ENOENT: no such file or directory',
    ],
  ] as const) {
    expect(() => readSettings(settings)).toThrow(new ConfigurationError(sentence))
  }
})
