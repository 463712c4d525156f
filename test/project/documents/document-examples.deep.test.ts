import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { bundleClient } from '../../../packages/client/build.mjs'
import { setFollowed } from '../../setup/data/followed-chains.ts'
import {
  asExpected,
  DEMO_GUIDE,
  examplesOf,
  isShownFile,
  moduleName,
  SHOWN,
  type,
  withAddress,
} from '../../setup/documents/document-examples.ts'
import { guides, README, root } from '../../setup/documents/documents.ts'
import { aDataFolder } from '../../setup/servers/data-folder.ts'
import { CLI, type NodeProcess, startCli } from '../../setup/servers/processes.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'

/*
 * The examples of the README and the guides are typed in, one after the other, while the service that the README starts is
 * running. A guide's examples are of one shell: what one sets, those behind it have. Those of the demo are tried where it runs.
 *
 * console  commands and what they print; a JSON block right behind the last command is its answer, laid out.
 * js       a module that is run; the text block right behind it is what it prints.
 * ts       a module that is checked: it needs what is not there, such as a wallet.
 * sh       commands that cannot be tried here.
 * json, ndjson, yaml  are parsed; text, ini, nginx, http are to be read.
 *
 * `…` stands for anything. In JSON that is a value "…"; a key "…" says that there are more keys, and "…" at the end of an
 * array that there are more entries.
 */

const LANGUAGES = ['sql', 'console', 'js', 'ts', 'sh', 'json', 'ndjson', 'yaml', 'text', 'ini', 'nginx', 'http']

const documents = [README, ...guides]

const modules = documents.flatMap((document) =>
  document.blocks
    .filter((block) => ['js', 'ts'].includes(block.language) && !isShownFile(block))
    .map((block) => ({ name: moduleName(document, block), text: block.text, path: document.path })),
)

test('every block is of a kind that is tried, and what is data can be read', () => {
  for (const { path, blocks } of documents) {
    for (const { language, text, line } of blocks) {
      const place = `${path}:${line}`
      expect(LANGUAGES, place).toContain(language)
      const parse = () => {
        if (language === 'json') JSON.parse(text)
        if (language === 'ndjson') for (const record of text.trimEnd().split('\n')) JSON.parse(record)
        if (language === 'yaml') expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([])
      }
      expect(parse, place).not.toThrow()
    }
  }
})

test('there are examples, and each command shows what it prints, or sets something', () => {
  const examples = documents.flatMap(examplesOf)
  expect(examples.length).toBeGreaterThan(90)
  for (const { place, command, expected } of examples) {
    const isSilent = /^(export )?[A-Z]+=/.test(command) || command.startsWith('node "$MODULES')
    // What stands for anything alone would show nothing.
    if (!isSilent && typeof expected === 'string') expect(expected, place).not.toMatch(/^…?$/)
  }
})

test('files that are shown stand there as they are', () => {
  const blocks = documents.flatMap((document) => document.blocks.map(({ text }) => text))
  for (const path of SHOWN) expect(blocks, path).toContain(readFileSync(join(root, path), 'utf8'))
})

test('no shell takes anything in a command for a pattern of file names, or for its end', () => {
  for (const document of documents) {
    const typed = document.blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n'))
    for (const line of [...examplesOf(document).map(({ command }) => command), ...typed]) {
      const unquoted = line.replace(/'[^']*'|"[^"]*"|#.*$|&&/g, '')
      expect(unquoted, `${document.path}: ${line}`).not.toMatch(/[?*[\]&]/)
    }
  }
})

describe.skipIf(!isThere('curl') || !isThere('npm'))('what a document shows', () => {
  let folder: string
  let data: Awaited<ReturnType<typeof aDataFolder>>
  let service: NodeProcess
  let following: TestApp
  let environment: Record<string, string>
  /** Of the service that documents talk about; most about the one with sample data. */
  let addresses: Record<string, string>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-documents-'))
    data = await aDataFolder()
    environment = {
      PATH: [join(folder, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
      HOME: folder,
      DATA_DIR: data.folder,
      MODULES: join(folder, 'modules'),
      npm_config_update_notifier: 'false',
      ENV_FILE: devNull,
    }
    await mkdir(join(folder, 'bin'))
    await writeFile(join(folder, 'bin/reward-campaigns'), `#!/bin/sh\nexec node "${join(root, CLI)}" "$@"\n`, {
      mode: 0o755,
    })
    service = startCli(['serve'], { ...environment, PORT: '0' })
    await writeModules(join(folder, 'modules'))
    following = await startTestApp()
    await setFollowed(following.database, 8453, 22_222_222, {
      head_block: 22_222_224,
      finalized_block: 22_222_150,
      as_of_at: new Date(),
      // As if it were looked at all the while.
      looked_at: new Date(Date.now() + 3_600_000),
    })
    const followingAddress = await following.app.listen({ host: '127.0.0.1', port: 0 })
    const address = await service.ready()
    addresses = Object.fromEntries(documents.map(({ path }) => [path, address]))
    addresses['docs/guides/minimum-blocks.md'] = followingAddress
    for (const { name, text, path } of modules) {
      await writeFile(join(folder, 'modules', name), withAddress(text, addresses[path]))
    }
  }, 120_000)

  afterAll(async () => {
    // By itself, so that it stops its PostgreSQL.
    service.child.kill('SIGTERM')
    await Promise.all([service.ended, following[Symbol.asyncDispose]()])
    await data[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  test.each(documents.filter(({ path }) => path !== DEMO_GUIDE))(
    'is printed: $path',
    { timeout: 180_000 },
    async (document) => {
      // What runs already when the examples are tried.
      const examples = examplesOf(document).filter(({ command }) => command !== 'npm start')
      const printed = await type(
        examples.map(({ command }) => withAddress(command, addresses[document.path])),
        environment,
      )
      for (const [index, { place, expected }] of examples.entries()) {
        expect.soft(asExpected(printed[index] ?? '', expected), place).toEqual(expected)
      }
    },
  )

  test('is accepted by the compiler, where it is a module', async () => {
    const compiler = join(root, 'node_modules/typescript-7/bin/tsc')
    const compiled = promisify(execFile)(process.execPath, [compiler, '--project', join(folder, 'modules')])
    await expect(compiled).resolves.toMatchObject({ stdout: '' })
  }, 120_000)
})

/** A folder in which the client is installed, in the one file of it. */
async function writeModules(path: string) {
  const client = join(path, 'node_modules/reward-campaigns-client')
  await mkdir(client, { recursive: true })
  await bundleClient(join(client, 'index.js'))
  await writeFile(join(client, 'package.json'), '{ "type": "module", "exports": "./index.js" }')
  for (const name of ['viem', '@types'])
    await symlink(join(root, 'node_modules', name), join(path, 'node_modules', name))
  const compilerOptions = {
    strict: true,
    checkJs: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    paths: { 'reward-campaigns-client': [join(root, 'packages/client/src/client.ts')] },
  }
  const include = ['*.mjs', '*.mts']
  await writeFile(join(path, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }))
}

function isThere(program: string) {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
