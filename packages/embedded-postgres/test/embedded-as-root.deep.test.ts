import { chmod, chown, mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openEmbeddedServer } from '../src/embedded-postgres.ts'
import { reachableByAll } from '../src/embedded-programs.ts'
import { aDataFolder, query, serverPid } from './setup/servers.ts'

const open = (folder: string) => openEmbeddedServer(folder, { database: 'of-a-test' })

/** Some account that is not root. */
const OTHER = 12_345

// Only root has something to lose to other accounts here, and only root can make folders of theirs.
describe.skipIf(process.getuid?.() !== 0)('as root', () => {
  test('the server reads nothing that nobody may not read, also where folders above its own are closed', async () => {
    await using data = await aDataFolder()
    const secret = join(data.folder, 'secret')
    await writeFile(secret, 'only for root', { mode: 0o600 })
    await chmod(data.folder, 0o700)
    const server = await open(join(data.folder, 'below'))
    try {
      await expect(query(server.url, `select pg_read_file('${secret}')`)).rejects.toThrow(/[Pp]ermission denied/)
      await expect(query(server.url, `copy (select 1) to '${secret}'`)).rejects.toThrow(/[Pp]ermission denied/)
    } finally {
      await server.close()
    }
    expect(await serverPid(join(data.folder, 'below'))).toBe(undefined)
  })

  test('a folder of another account is refused', async () => {
    await using data = await aDataFolder()
    await chown(data.folder, OTHER, OTHER)
    await expect(open(data.folder)).rejects.toThrow(/belongs to another account \(12345\)$/)
    await expect(open(join(data.folder, 'below'))).rejects.toThrow(/belongs to another account/)
  })

  test.each([0o777, 0o775, 0o1777])('a folder that others may write to is refused: %o', async (mode) => {
    await using data = await aDataFolder()
    await chown(data.folder, 0, OTHER)
    await chmod(data.folder, mode)
    await expect(open(data.folder)).rejects.toThrow(/other accounts may write to /)
  })

  test('a link for the folder leads to a folder that is judged itself', async () => {
    await using data = await aDataFolder()
    await using others = await aDataFolder()
    await chown(others.folder, OTHER, OTHER)
    await symlink(others.folder, join(data.folder, 'link'))
    await expect(open(join(data.folder, 'link'))).rejects.toThrow(/belongs to another account/)
  })

  test("a password file that is a link, another account's or readable by others is refused", async () => {
    await using data = await aDataFolder()
    await (await open(data.folder)).close()
    const password = join(data.folder, 'password')
    await chown(password, OTHER, OTHER)
    await expect(open(data.folder)).rejects.toThrow(/password belongs to account 12345/)
    await chown(password, 0, 0)
    await chmod(password, 0o644)
    await expect(open(data.folder)).rejects.toThrow(/other accounts may read .*password/)
    await rm(password)
    await symlink('/etc/shadow', password)
    await expect(open(data.folder)).rejects.toThrow(/password is not a file/)
  })

  test("a cluster that is a link or another account's is refused, and no folder changes hands", async () => {
    await using data = await aDataFolder()
    await using elsewhere = await aDataFolder()
    const cluster = join(data.folder, 'postgres')
    await symlink(elsewhere.folder, cluster)
    await expect(open(data.folder)).rejects.toThrow(/postgres is not a folder/)
    expect((await stat(elsewhere.folder)).uid).toBe(0)
    await rm(cluster)
    await mkdir(cluster)
    await chown(cluster, OTHER, OTHER)
    await expect(open(data.folder)).rejects.toThrow(/postgres belongs to account 12345/)
  })

  describe('programs below a closed folder', () => {
    /** The package's programs where nobody can reach them, and a place for their copy. */
    async function aClosedFolder() {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'embedded-postgres-closed-')))
      const cache = join(folder, 'cache')
      const installed = join(folder, 'closed/installed')
      await mkdir(join(installed, 'native/bin'), { recursive: true })
      await mkdir(join(installed, 'native/lib'))
      await writeFile(join(installed, 'package.json'), '{ "version": "18.4.0" }')
      await writeFile(join(installed, 'native/bin/initdb'), 'the real one', { mode: 0o700 })
      await symlink('../bin/initdb', join(installed, 'native/lib/link'))
      await chmod(folder, 0o755)
      await chmod(join(folder, 'closed'), 0o700)
      return {
        binaries: join(installed, 'native/bin'),
        cache,
        [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
      }
    }

    test('are copied once, whole, for all to read and for root to write', async () => {
      await using closed = await aClosedFolder()
      const found = await Promise.all(Array.from({ length: 3 }, () => reachableByAll(closed.binaries, closed.cache)))
      expect(new Set(found)).toEqual(new Set([join(closed.cache, 'postgresql-18.4.0/bin')]))
      const [bin = ''] = found
      for (const path of [dirname(bin), bin, join(bin, 'initdb'), join(bin, '../lib/link')]) {
        const { mode, uid } = await stat(path)
        expect({ path, mode: mode & 0o777, uid }).toEqual({ path, mode: 0o755, uid: 0 })
      }
      const before = await stat(bin)
      expect(await reachableByAll(closed.binaries, closed.cache)).toBe(bin)
      expect((await stat(bin)).ino).toBe(before.ino)
    })

    test('are not run from a place that another account was first to make', async () => {
      await using closed = await aClosedFolder()
      await mkdir(closed.cache)
      await chown(closed.cache, OTHER, OTHER)
      await mkdir(join(closed.cache, 'postgresql-18.4.0/bin'), { recursive: true })
      const find = () => reachableByAll(closed.binaries, closed.cache)
      await expect(find()).rejects.toThrow(/belongs to another account/)
      await chown(closed.cache, 0, 0)
      await chown(join(closed.cache, 'postgresql-18.4.0'), OTHER, OTHER)
      await expect(find()).rejects.toThrow(/belongs to another account/)
      await rm(join(closed.cache, 'postgresql-18.4.0'), { recursive: true })
      await symlink('/etc', join(closed.cache, 'postgresql-18.4.0'))
      await chmod(closed.cache, 0o777)
      await expect(find()).rejects.toThrow(/other accounts may write to/)
    })

    test('are named in the error where there is no place for a copy', async () => {
      await using closed = await aClosedFolder()
      await writeFile(closed.cache, 'a file')
      await expect(reachableByAll(closed.binaries, closed.cache)).rejects.toThrow(/install the program where all/)
    })
  })
})
