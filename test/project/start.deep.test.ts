import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shrinkCheckout } from '../setup/documents/small-checkout.ts'

const root = join(import.meta.dirname, '../..')
const SCRIPT = '/usr/bin/script'

/** What the pages are made of. */
const WRITTEN = ['openapi.json', 'README.md', 'CHANGELOG.md', 'docs/guides', 'docs/reference', 'docs/glossary.md']

/** A checkout with another program in it, which says a word of another file; it serves none of the pages. */
async function aCheckout() {
  const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-start-'))
  await mkdir(join(folder, 'src/commands'), { recursive: true })
  for (const name of ['build', 'packages', ...WRITTEN])
    await cp(join(root, name), join(folder, name), { recursive: true })
  for (const name of ['package.json', 'tsconfig.json']) await cp(join(root, name), join(folder, name))
  await shrinkCheckout(folder)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(
    join(folder, 'src/commands/cli.ts'),
    "const { word } = await import('./word.ts')\nprocess.stdout.write([word, ...process.argv.slice(2)].join())\n",
  )
  const wordFile = join(folder, 'src/commands/word.ts')
  return {
    /** Leaves the size and the time of the file as they were, where the words are of one length. */
    async say(word: string) {
      const before = await stat(wordFile).catch(() => undefined)
      await writeFile(wordFile, `export const word: string = '${word}'\n`)
      if (before !== undefined) await utimes(wordFile, before.atime, before.mtime)
    },
    async start() {
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'build/start.mjs'), 'a', 'b'])
      return stdout
    },
    /** What a person sees. `script` of util-linux makes the terminal. */
    async startAtTerminal() {
      const command = `exec '${process.execPath}' '${join(folder, 'build/start.mjs')}' a b`
      return (await promisify(execFile)(SCRIPT, ['-qec', command, devNull])).stdout
    },
    async pack(): Promise<string[]> {
      const options = { cwd: folder, maxBuffer: 10_000_000 }
      const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json'], options)
      // What is made before it is told of too.
      const [{ files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n')))
      return files.map(({ path }: { path: string }) => path)
    },
    files: (name: string) => readdir(join(folder, '.cache', name)),
    read: (name: string) => readFile(join(folder, name), 'utf8'),
    async write(name: string, text: string) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    },
    remove: (name: string) => rm(join(folder, '.cache', name), { recursive: true }),
    bundles: async () => (await readdir(join(folder, '.cache/start'))).filter((name) => /^cli-[^.]+\.js$/.test(name)),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Until a change is old enough not to have come while it was read. */
const settle = () => sleep(200)

describe('a start', () => {
  let checkout: Awaited<ReturnType<typeof aCheckout>>
  const page = (name: string) => checkout.read(`.cache/docs/public-staging-explorer/docs${name}.html`)

  beforeAll(async () => {
    checkout = await aCheckout()
    await checkout.say('one')
    await checkout.write('docs/guides/new.md', '# New guide\n\nThe first one.\n')
    await settle()
  })
  afterAll(() => checkout[Symbol.asyncDispose]())

  test('takes what the one before has made, and never where a file has changed since', async () => {
    expect(await checkout.start()).toBe('one,a,b')
    const [made] = await checkout.bundles()
    expect(await checkout.start()).toBe('one,a,b')
    expect(await checkout.bundles()).toEqual([made])
    await checkout.say('two')
    expect(await Promise.all([checkout.start(), checkout.start()])).toEqual(['two,a,b', 'two,a,b'])
  })

  test.skipIf(!existsSync(SCRIPT))('says at a terminal that it builds, when it does', async () => {
    await checkout.say('six')
    await settle()
    expect(await checkout.startAtTerminal()).toMatch(/^building the service and its pages, [^\n]+\nsix,a,b$/)
    expect(await checkout.startAtTerminal()).toBe('six,a,b')
  })

  test('makes the pages, anew where what they are made of has changed, and where they alone are missing', async () => {
    const word = await checkout.start()
    const made = ['assets', 'explorer.html']
    expect((await checkout.files('explorer')).sort()).toEqual(made)
    const assets = await checkout.files('explorer/assets')
    expect(await page('')).toContain('List campaigns')
    expect(await page('/guides/new')).toContain('The first one.')
    const document = await checkout.read('openapi.json')
    await checkout.write('openapi.json', document.replaceAll('List campaigns', 'Another summary'))
    await checkout.remove('../docs/guides/new.md')
    await settle()
    await checkout.start()
    expect(await page('')).toContain('Another summary')
    expect(await page('')).not.toContain('List campaigns')
    await expect(page('/guides/new')).rejects.toThrow('ENOENT')
    await checkout.remove('explorer')
    expect(await checkout.start()).toBe(word)
    expect((await checkout.files('explorer')).sort()).toEqual(made)
    expect(await checkout.files('explorer/assets')).toEqual(assets)
    await checkout.remove('docs')
    await checkout.start()
    expect(await page('')).toContain('Another summary')
  })

  test('of a package needs no more than what is packed, which is made before', async () => {
    await checkout.write('dist/commands/cli.word.EARLIER.js', 'of an earlier build')
    const files = await checkout.pack()
    const asset = /^dist\/explorer\/assets\/(explorer|wallet)-[0-9A-Z]{8}\.(js|css)$/
    expect(files.filter((file) => asset.test(file))).toHaveLength(3)
    expect(files.filter((file) => /^dist\/commands\/cli\.word\.\w+\.js$/.test(file))).toHaveLength(1)
    expect(files).toEqual(
      expect.arrayContaining([
        'dist/commands/cli.js',
        'dist/docs/public-staging-explorer/docs.html',
        'dist/explorer/explorer.html',
        'package.json',
      ]),
    )
    expect(files.filter((file) => !/^(?:dist|migrations)\/|^src\/.*\.sql$/.test(file)).sort()).toEqual([
      'README.md',
      'package.json',
    ])
  })
})
