import { appendFile, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serverPid } from '../../packages/embedded-postgres/test/setup/servers.ts'
import { shrinkCheckout } from '../setup/documents/small-checkout.ts'
import { aDataFolder } from '../setup/servers/data-folder.ts'
import { RunningProcess } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'

const root = join(import.meta.dirname, '../..')

const COPIED = ['src', 'packages', 'build', 'migrations', 'docs', 'README.md', 'CHANGELOG.md', 'openapi.json']

/** A copy of the checkout, which may be changed. */
async function aCheckout() {
  const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-dev-'))
  for (const name of [...COPIED, 'package.json', 'tsconfig.json']) {
    const filter = (path: string) => !path.endsWith('node_modules')
    await cp(join(root, name), join(folder, name), { recursive: true, filter })
  }
  await shrinkCheckout(folder)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

test('npm run dev serves what has changed, on a database that stays up', async () => {
  await using checkout = await aCheckout()
  await using data = await aDataFolder()
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const command: string[] = scripts.dev.replace('exec node', process.execPath).split(' ')
  const settings = { DATA_DIR: data.folder, PORT: '0', HOST: '127.0.0.1', SAMPLE_DATA: 'false' }
  await using dev = new RunningProcess(command, settings, { cwd: checkout.folder })

  const first = await dev.ready()
  const server = await serverPid(data.folder)
  await appendFile(join(checkout.folder, 'src/app.ts'), '// A change.\n')
  await dev.said(/(src\/app\.ts has changed)/)
  const second = await dev.ready(first)
  await expect(fetch(first)).rejects.toThrow('fetch failed')
  expect(await serverPid(data.folder)).toBe(server)

  await appendFile(join(checkout.folder, 'docs/guides/paging.md'), '\nA sentence that was not there.\n')
  const third = await dev.ready(second)
  expect(await (await fetch(`${third}/docs/guides/paging`)).text()).toContain('A sentence that was not there.')

  dev.child.kill('SIGTERM')
  expect((await dev.ended).code).toBe(0)
  await waitFor(async () => ((await serverPid(data.folder)) === undefined ? true : undefined))
}, 180_000)
