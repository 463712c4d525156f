import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { exchange } from '../setup/servers/sockets.ts'
import { waitFor } from '../setup/wait-for.ts'

/*
 * What a person sees who starts the service. `script` of util-linux makes the terminal.
 */

const root = join(import.meta.dirname, '../..')
const SCRIPT = '/usr/bin/script'
const canTry = process.platform === 'linux' && existsSync(SCRIPT)

/** Whatever moves the cursor or changes a colour. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for.
const CONTROL = /\u001b(\[[0-9;?]*[A-Za-z]|[78])/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for.
const COLOUR = /\u001b\[[0-9;]*m/

class Terminal implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  shown = ''

  constructor(settings: Record<string, string>) {
    const command = `exec '${process.execPath}' build/start.mjs serve`
    this.child = spawn(SCRIPT, ['-qec', command, devNull], {
      cwd: root,
      env: { PATH: '/usr/bin:/bin', SHELL: '/bin/sh', TERM: 'xterm', ENV_FILE: devNull, PORT: '0', ...settings },
    })
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.shown += text
    })
    this.child.stdin.on('error', () => undefined)
  }

  get text() {
    return this.shown.replace(CONTROL, '').replaceAll('\r', '')
  }

  /** Waits until there is a line; its first group. */
  async shows(pattern: RegExp) {
    const found = await waitFor(() => {
      const match = pattern.exec(this.text)
      if (match === null && this.child.exitCode !== null) throw new Error(`ended without showing it: ${this.text}`)
      return match ?? undefined
    })
    return found[1] ?? ''
  }

  /** Presses Ctrl-C and waits for the end. */
  async interrupt() {
    const ended = once(this.child, 'close')
    this.child.stdin.write('\u0003')
    const [code] = await ended
    return code
  }

  async [Symbol.asyncDispose]() {
    if (this.child.exitCode === null) await this.interrupt()
  }
}

describe.skipIf(!canTry)(`a newcomer${canTry ? '' : ` (not here: ${SCRIPT} of util-linux is missing)`}`, () => {
  let folder: string
  let terminal: Terminal
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-terminal-'))
    // Shorter than it takes to make the database.
    terminal = new Terminal({ DATA_DIR: folder, DATABASE_ACQUIRE_TIMEOUT_MS: '1000' })
  })
  afterAll(async () => {
    await terminal[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  test('sees what is being done while a request waits, and then the address, the documentation and the next commands', async () => {
    const url = await terminal.shows(/INFO: Server listening at (http:\S+)$/m)
    const firstResponse = fetch(`${url}/campaigns?tokenWhitelist=false&pageSize=0`)
    await terminal.shows(new RegExp(`INFO: creating the database in ${folder}$`, 'm'))
    await terminal.shows(/INFO: filling the database with sample data$/m)
    await terminal.shows(/= ([0-9]+) of [0-9]+ records/)
    await terminal.shows(/INFO: ready$/m)
    await terminal.shows(/with the same settings\.\n/)
    expect(terminal.text).toContain(`  explorer  ${url}/\n  API       ${url}/campaigns\n  docs      ${url}/docs\n`)
    expect(terminal.text).toContain(`  database  embedded in ${folder}, with sample data\n`)
    expect(terminal.text).toContain('npm run cli -- import FILE\n')
    expect(terminal.text).toContain('npm run cli -- token create --user USER\n')
    expect(await (await firstResponse).json()).toMatchObject({ totalCampaigns: 1000 })
  })

  test('sees a request as one short line, which cannot act on the terminal, until Ctrl-C', async () => {
    const url = await terminal.shows(/INFO: Server listening at (http:\S+)$/m)
    await terminal.shows(/campaigns\?tokenWhitelist=false&pageSize=0 .*\n/)
    const start = terminal.text.length
    for (const path of ['/campaigns?pageSize=1', '/nothing', '/livez', `/${'rcs_'.padEnd(40, 'x')}`])
      await fetch(url + path)
    const trick = 'GET /\u009b31m HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'
    expect((await exchange(Number(new URL(url).port), trick, 'latin1')).status).toBe(400)
    await fetch(`${url}/campaigns?pageSize=2`)
    await terminal.shows(/pageSize=2 .*\n/)
    expect(terminal.text.slice(start).trim().split('\n')).toEqual([
      expect.stringMatching(/^\[[0-9:]{8}\] INFO: GET \/campaigns\?pageSize=1 200 [0-9]+ ms$/),
      expect.stringMatching(/^\[[0-9:]{8}\] INFO: GET \/nothing 404 [0-9]+ ms$/),
      expect.stringMatching(/^\[[0-9:]{8}\] INFO: GET \/rcs_\[redacted\] 404 [0-9]+ ms$/),
      expect.stringMatching(/^\[[0-9:]{8}\] INFO: GET \/campaigns\?pageSize=2 200 [0-9]+ ms$/),
    ])
    expect(terminal.shown).toMatch(COLOUR)
    expect(terminal.text).not.toContain('\u009b')
    expect(await terminal.interrupt()).toBe(0)
  })
})

test.skipIf(!canTry)('NO_COLOR is respected', async () => {
  await using database = await createTestDatabase()
  await using terminal = new Terminal({ DATABASE_URL: database.url, NO_COLOR: '1' })
  const url = await terminal.shows(/INFO: Server listening at (http:\S+)$/m)
  await terminal.shows(/with the same settings\.\n/)
  await fetch(`${url}/campaigns`)
  await terminal.shows(/INFO: GET \/campaigns 200/)
  expect(terminal.shown).not.toMatch(COLOUR)
})
