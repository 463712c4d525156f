import { once } from 'node:events'
import { lstat, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Ingest, openIngest } from '../../src/ingest/batches.ts'
import { toCheckedText } from '../../src/schemas/cursor-checks.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aToken, toLowerCase } from '../setup/records.ts'
import { openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { runCli, startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

interface Received {
  body: string
  headers: IncomingHttpHeaders
}

let database: TestDatabase
let ingest: Ingest
let receiver: Server
let url: string
let folder: string
let secretFile: string
/** All tries, and what the next ones are answered: 204 where nothing is left. */
const received: Received[] = []
let answers: { status: number; headers?: Record<string, string> }[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  ingest = await openIngest(database.url)
  folder = await mkdtemp(join(tmpdir(), 'notify-'))
  secretFile = join(folder, 'secret')
  await writeFile(secretFile, `${SECRET}\n`)
  receiver = createServer(async (request, response) => {
    received.push({ body: await text(request), headers: request.headers })
    const { status, headers = {} } = answers.shift() ?? { status: 204 }
    response.writeHead(status, headers).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?key=hidden`
})

afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
  await ingest.close()
  await database[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

beforeEach(() => {
  received.length = 0
})

const start = (...parameters: string[]) =>
  startCli(['notify', '--to', url, '--secret-file', secretFile, ...parameters], { DATABASE_URL: database.url })

/** Until so many tries have come, and it is kept that the last was taken. */
const untilTaken = (count: number) =>
  waitFor(async () => {
    const id = received.at(-1)?.headers['webhook-id']
    if (received.length < count || id === undefined) return undefined
    return `msg_${(await readFile(`${secretFile}.cursor`, 'utf8')).trim()}` === id || undefined
  })

test('each change is sent once taken, in order, signed as Standard Webhooks, and goes on after an end', async () => {
  const campaigns = [aCampaign(), aCampaign(), aCampaign()]
  const [first, second, third] = campaigns.map((campaign) => ({ type: 'campaign.added', campaignId: campaign.id }))
  answers = [
    { status: 500 },
    { status: 302, headers: { location: url } },
    { status: 429, headers: { 'retry-after': '1' } },
  ]
  {
    await using sender = start('--kind', 'campaign.added')
    await sender.said(/(sending changes)/)
    await ingest.apply({ records: toLowerCase([aToken(), ...campaigns.slice(0, 1)]) })
    await untilTaken(4)
    await ingest.apply({ records: toLowerCase(campaigns.slice(1, 2)) })
    await untilTaken(5)
    // It passes every filter.
    await ingest.apply({ records: [], chainEvent: { chainId: 8453, kind: 'reset' } })
    await untilTaken(6)
    expect(await runCli(['notify', '--to', url, '--secret-file', secretFile], { DATABASE_URL: database.url })).toEqual({
      ...{ code: 1, signal: null, stdout: '' },
      stderr: `${secretFile}.cursor is in use by another process\n`,
    })
    sender.child.kill('SIGTERM')
    const { code, stderr, stdout } = await sender.ended
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/not delivered to http:\/\/127\.0\.0\.1:\d+: status 500, retrying in 1 s/)
    expect(stderr).not.toMatch(/whsec_|hidden/)
  }
  await ingest.apply({ records: toLowerCase(campaigns.slice(2)) })
  // The database is away as it starts.
  await using proxy = await openDatabaseProxy(database.url)
  proxy.interrupt('cut')
  await using again = startCli(
    ['notify', '--to', url, '--secret-file', secretFile, '--kind', 'campaign.added', '--from', 'not looked at'],
    { DATABASE_URL: proxy.url },
  )
  await again.said(/(the database cannot be reached: .*, retrying)/)
  proxy.interrupt(undefined)
  await untilTaken(7)
  again.child.kill('SIGTERM')
  expect((await again.ended).code).toBe(0)
  const messages = received.map(({ body, headers }) => {
    const verified = new Webhook(SECRET).verify(body, headers as Record<string, string>) as {
      type: string
      data: object
    }
    expect(verified).toMatchObject({ timestamp: Reflect.get(verified.data, 'at') })
    return { type: verified.type, campaignId: Reflect.get(verified.data, 'campaignId') }
  })
  expect(messages).toEqual([first, first, first, first, second, { type: 'reset' }, third])
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(4)
})

test('the cursor is not written through a link that is where its new content is made', async () => {
  const [cursor, target] = [join(folder, 'linked-cursor'), join(folder, 'of-others')]
  await writeFile(target, 'theirs')
  await symlink(target, `${cursor}.new`)
  await using sender = start('--cursor-file', cursor)
  await sender.said(/(sending changes)/)
  expect((await lstat(cursor)).isFile()).toBe(true)
  expect(await readFile(target, 'utf8')).toBe('theirs')
  sender.child.kill('SIGTERM')
  expect((await sender.ended).code).toBe(0)
})

test('a lost history ends it, and what is wrong with its options is said, without the secret', async () => {
  const lost = join(folder, 'lost')
  await writeFile(lost, toCheckedText(Buffer.alloc(32)))
  const short = join(folder, 'short')
  await writeFile(short, 'whsec_c2hvcnQ=')
  const run = async (...parameters: string[]) => {
    const { code, stderr } = await runCli(['notify', ...parameters], { DATABASE_URL: database.url })
    expect(code).toBe(1)
    expect(stderr).not.toContain('whsec_c2')
    return stderr.trim()
  }
  const secret = ['--secret-file', secretFile]
  // Not even root may write there.
  const unwritable = process.platform === 'linux' ? '/proc/self' : '/'
  const utf16 = join(folder, 'utf16')
  await writeFile(utf16, `\uFEFF${SECRET}`, 'utf16le')
  const marked = join(folder, 'marked')
  await writeFile(marked, `\uFEFF${SECRET}\r\n`)
  expect(
    await Promise.all([
      run('--to', url, ...secret, '--cursor-file', lost),
      run('--to', url, '--secret-file', short),
      run('--to', url, '--secret-file', utf16),
      // The secret is read, and what is wrong comes after it.
      run('--to', url, '--secret-file', marked, '--from', 'abc'),
      run('--to', url, ...secret, '--cursor-file', join(folder, 'nowhere', 'cursor')),
      run('--to', url, ...secret, '--cursor-file', join(unwritable, 'cursor')),
      run('--to', 'http://example.com/', ...secret),
      run('--to', 'https://me:pass@example.com/', ...secret),
      run('--to', 'https://example.com:10080/hook', ...secret),
      run('--to', url, ...secret, '--kind', 'claim.add'),
      run('--to', url, ...secret, '--cursor-file', join(folder, 'none'), '--from', 'abc'),
    ]),
  ).toEqual([
    expect.stringContaining('the changes after the cursor are not known any more'),
    '--secret-file must hold a secret: whsec_ and 24 to 64 bytes in base64',
    `--secret-file cannot be read: ${utf16} (it is UTF-16, and must be UTF-8)`,
    '--from must be a cursor of changes',
    `--cursor-file must be in a folder that can be written: ${join(folder, 'nowhere', 'cursor')} (ENOENT)`,
    expect.stringMatching(
      new RegExp(`^--cursor-file must be in a folder that can be written: ${unwritable}/cursor \\(E[A-Z]+\\)$`),
    ),
    '--to must be an https URL; http only for this machine',
    '--to must not hold a user or a password',
    '--to must have another port: nothing is sent to port 10080, which the Fetch standard blocks',
    expect.stringContaining('did you mean claim.added?'),
    '--from must be a cursor of changes',
  ])
  expect(received).toEqual([])
})
