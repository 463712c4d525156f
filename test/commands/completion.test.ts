import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCli, waitFor } from '../setup/processes.ts'

/*
 * The script is loaded into the shell that it is for, and words are asked for. bash is on every machine that runs the
 * tests; the other shells are tried where they are.
 */

const run = promisify(execFile)
const FOLDERS = ['/bin', '/usr/bin', '/usr/local/bin']
const isThere = (program: string) => FOLDERS.some((folder) => existsSync(join(folder, program)))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-completion-'))
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = await runCli(['completion', shell], {})
    expect({ code, stderr }, shell).toEqual({ code: 0, stderr: '' })
    await writeFile(join(folder, shell), stdout)
  }
  await writeFile(join(folder, 'records.ndjson'), '')
})
afterAll(() => rm(folder, { recursive: true }))

/** What bash offers for the last of these words. */
async function offeredByBash(...words: string[]) {
  const script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _reward_campaigns; declare -p COMPREPLY'
  const { stdout, stderr } = await run('bash', ['-uc', script, join(folder, 'bash'), 'reward-campaigns', ...words])
  expect(stderr).toBe('')
  return [...stdout.matchAll(/\[\d+\]="([^"]*)"/g)].map(([, word]) => word)
}

test.each([
  {
    words: [''],
    offered:
      'serve migrate import index sample openapi token doctor rebuild conformance completion help --version --help',
  },
  { words: ['se'], offered: 'serve' },
  { words: ['token', ''], offered: 'create list revoke help --help' },
  { words: ['token', 'create', '--a'], offered: '--address --admin' },
  { words: ['token', 'create', '--admin', '--user', 'token', '--n'], offered: '--name' },
  { words: ['index', '--'], offered: '--chains --once --status --json --help' },
  { words: ['completion', ''], offered: 'bash zsh fish --help' },
  { words: ['serve', 'mig'], offered: '' },
  { words: ['sample', '--seed', ''], offered: '' },
  { words: ['sample', '--output', '$(touch evil)', ''], offered: '--campaigns --claims --seed --help' },
])('bash offers $offered for $words', async ({ words, offered }) => {
  expect(await offeredByBash(...words)).toEqual(offered.split(' ').filter((word) => word !== ''))
})

test.each([[[]], [['index']], [['token', 'create']]])(
  'bash offers the options that the help shows: %s',
  async (path) => {
    const { stdout } = await runCli([...path, '--help'], {})
    const options = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option]) => option)
    expect(options.length).toBeGreaterThan(1)
    expect(await offeredByBash(...path, '--')).toEqual(options)
  },
)

test('a shell that there is no script for is refused with those that there are', async () => {
  const refused = await runCli(['completion', 'tcsh'], {})
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/'tcsh' is invalid.* Allowed choices are bash, zsh, fish\./)
})

const SCRIPT = '/usr/bin/script'
const PRESSED = [
  { typed: 'reward-campaigns tok\tcr\t--us\t', line: 'reward-campaigns token create --user ' },
  { typed: 'reward-campaigns import rec\t', line: 'reward-campaigns import records.ndjson ' },
  { typed: 'reward-campaigns openapi --out\trec\t', line: 'reward-campaigns openapi --output records.ndjson ' },
]
const SHELLS = [
  { shell: 'bash', command: 'bash --norc --noprofile -i', start: (file: string) => `PS1='> '; source ${file}` },
  {
    shell: 'zsh',
    command: 'zsh -f -i',
    start: (file: string) => `PROMPT='> '; autoload -U compinit; compinit -D -u; source ${file}`,
  },
]

describe.skipIf(process.platform !== 'linux' || !existsSync(SCRIPT))('at a terminal', () => {
  for (const { shell, command, start } of SHELLS) {
    test.skipIf(!isThere(shell))(`${shell} completes commands, options and files when Tab is pressed`, async () => {
      for (const { typed, line } of PRESSED) {
        const env = { PATH: FOLDERS.join(':'), TERM: 'dumb', HOME: folder }
        const terminal = spawn(SCRIPT, ['-qec', command, devNull], { cwd: folder, env })
        let shown = ''
        terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
          shown += text
        })
        try {
          terminal.stdin.write(
            `${start(join(folder, shell))}; function reward-campaigns { echo "<$*>"; }; echo rea''dy\n`,
          )
          await waitFor(() => /ready/.exec(shown) ?? undefined)
          terminal.stdin.write(`${typed}\n`)
          const said = await waitFor(() => /<([^$>]*)>/.exec(shown)?.[1])
          expect(`reward-campaigns ${said}`).toBe(line.trim())
        } finally {
          terminal.kill('SIGKILL')
        }
      }
    })
  }

  test.skipIf(!isThere('fish'))('fish offers commands, options and files', async () => {
    const ask = async (line: string) => {
      const script = `source ${join(folder, 'fish')}; complete -C '${line}'`
      const { stdout } = await run('fish', ['--no-config', '-c', script], { cwd: folder, env: { HOME: folder } })
      return stdout
        .trim()
        .split('\n')
        .map((offer) => offer.split('\t')[0])
        .sort()
    }
    expect(await ask('reward-campaigns token ')).toEqual(['create', 'help', 'list', 'revoke'])
    expect(await ask('reward-campaigns token create --a')).toEqual(['--address', '--admin'])
    expect(await ask('reward-campaigns import rec')).toEqual(['records.ndjson'])
    expect(await ask('reward-campaigns openapi --output rec')).toEqual(['records.ndjson'])
    expect(await ask('reward-campaigns serve mig')).toEqual([''])
  })
})
