import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const INPUTS = 'examples/openapi-tools'

/** What the script prints in a repository that has these files, of which some are removed. */
async function printInputs(removed: string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'generator-inputs-'))
  try {
    const { stdout } = await run('git', ['ls-files', '.ci', INPUTS], { cwd: root })
    for (const file of [...stdout.trim().split('\n'), 'openapi.json']) await cp(join(root, file), join(folder, file))
    for (const file of removed) await rm(join(folder, file))
    await run('git', ['init', '--quiet'], { cwd: folder })
    await run('git', ['add', '--all'], { cwd: folder })
    return (await run(join(folder, '.ci/generator-inputs'))).stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}

const filesIn = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.replace(/^[0-9a-f]{64} {2}/, ''))

test('the hashes of what generators of clients were tried with are those of all of their files', async () => {
  const tried = filesIn(await readFile(join(root, INPUTS, 'tried.sha256'), 'utf8'))
  expect(tried).toContain('openapi.json')
  expect(tried.length).toBeGreaterThan(5)
  expect(tried).toEqual(filesIn(await printInputs()))
})

test('a file that is gone makes another text', async () => {
  const file = `${INPUTS}/campaigns.ts`
  expect(filesIn(await printInputs([file]))).toEqual(filesIn(await printInputs()).filter((other) => other !== file))
})
