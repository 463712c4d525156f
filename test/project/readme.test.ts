import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NodeProcess, startCli } from '../setup/processes.ts'

/*
 * The examples of the README are typed in, one after the other, while the service that it starts is running.
 */

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

interface Example {
  command: string
  /** What is printed; `…` stands for anything. */
  output: string
}

const blocksOf = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text]) => text ?? '')

/** The examples of each block; what one sets in the shell, those after it in the block have. */
const blocks = blocksOf('console').map((text) =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((part): Example => {
      const [command = '', ...output] = part.split(/(?<!\\)\n/)
      return { command, output: output.join('\n').trimEnd() }
    }),
)

/** What runs already when the examples are tried. */
const isStart = ({ command }: Example) => command === 'npm start'

/** Figures that the README says to change. */
const CHANGING = /(?<="totalCampaigns":)[0-9]+/g

/** Stands between the outputs of two commands. */
const END = '=== end of the output ==='

const toPattern = (output: string) =>
  new RegExp(
    `^${output
      .replace(CHANGING, '#')
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('…', '[^]*')}$`,
  )

test('there are examples, and each shows what it prints', () => {
  const examples = blocks.flat()
  expect(examples.length).toBeGreaterThanOrEqual(12)
  for (const { command, output } of examples) expect(output, command).not.toBe('')
})

test('the program of the client stands in the README as it is', () => {
  expect(blocksOf('js')).toEqual([readFileSync(join(root, 'examples/node/rewards.mjs'), 'utf8')])
})

test('no shell takes anything in a command for a pattern of file names, or for its end', () => {
  const lines = [...blocks.flat().map(({ command }) => command), ...blocksOf('sh').flatMap((text) => text.split('\n'))]
  expect(lines.length).toBeGreaterThan(15)
  for (const line of lines) {
    const unquoted = line.replace(/'[^']*'|"[^"]*"|#.*$|&&/g, '')
    expect(unquoted, line).not.toMatch(/[?*[\]&]/)
  }
})

describe.skipIf(!isThere('curl') || !isThere('npm'))('what the README shows', () => {
  let folder: string
  let service: NodeProcess
  let environment: Record<string, string>
  let address: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-readme-'))
    environment = {
      PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
      HOME: folder,
      DATA_DIR: join(folder, 'data'),
      npm_config_update_notifier: 'false',
      ENV_FILE: devNull,
    }
    service = startCli(['serve'], { ...environment, PORT: '0' })
    address = await service.ready()
  }, 120_000)

  afterAll(async () => {
    // By itself, so that it stops its PostgreSQL.
    service.child.kill('SIGTERM')
    await service.ended
    await rm(folder, { recursive: true, force: true })
  })

  for (const block of blocks.filter((examples) => !examples.some(isStart))) {
    test(`is printed: ${block[0]?.command}`, async () => {
      const printed = await type(
        block.map(({ command }) => command.replaceAll('localhost:3000', new URL(address).host)),
      )
      for (const [index, { command, output }] of block.entries()) {
        expect(printed[index]?.replace(CHANGING, '#'), command).toMatch(toPattern(output))
      }
    }, 120_000)
  }

  /** What each command prints, on standard output and standard error alike. */
  async function type(commands: string[]) {
    const script = commands.map((command) => `${command}\nprintf '\\n${END}\\n'`)
    const { stdout } = await promisify(execFile)('sh', ['-c', ['exec 2>&1', ...script].join('\n')], {
      cwd: root,
      env: environment,
      maxBuffer: 16 * 1024 * 1024,
    })
    return stdout
      .replaceAll('\r\n', '\n')
      .split(`\n${END}\n`)
      .map((output) => output.trimEnd())
  }
})

function isThere(program: string) {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
