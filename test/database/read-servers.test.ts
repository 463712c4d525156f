import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { DataVersion } from '../../src/database/data-version.ts'
import { DatabaseAwayError } from '../../src/database/failures.ts'
import { createReadServers } from '../../src/database/read-servers.ts'
import type { Replica } from '../../src/database/replica.ts'
import type { DatabaseServer } from '../../src/database/servers.ts'
import { unaskedServer } from '../setup/unasked-server.ts'

/*
 * What follows from the versions that servers have, whatever the moment at which they have them: here each says the
 * revision that a test gives it, and none where it is away. With real servers: replicas.test.ts.
 */

/** A primary and two replicas, in turn, at these revisions. */
function serversAt(revisions: Record<string, number | undefined>, { isPrimaryAway = false, answerMs = 0 } = {}) {
  const asked: string[] = []
  const losses: string[] = []
  const suspected: string[] = []
  const primary = { ...unaskedServer, name: 'primary' }
  const all = ['one', 'other'].map(
    (name): Replica => ({
      ...unaskedServer,
      name,
      standing: 'used',
      lagSeconds: 0,
      isDoubted: false,
      suspect: () => void suspected.push(name),
    }),
  )
  const read = async (server: DatabaseServer): Promise<DataVersion> => {
    asked.push(server.name)
    if (answerMs > 0) await sleep(answerMs)
    const revision = revisions[server.name]
    if (revision === undefined) throw new DatabaseAwayError('away')
    return {
      revision,
      history: 1,
      nextChangeAt: 0,
      asOf: { blocks: new Map(), text: undefined, steps: new Map() },
      server,
    }
  }
  const servers = createReadServers(
    primary,
    { all, pools: {}, isPrimaryAway, start: () => undefined, close: async () => undefined },
    { read, readContinuation: read, hasChanged: () => true },
    (server) => void losses.push(server),
  )
  const askedNow = () => asked.splice(0)
  return { servers, revisions, askedNow, losses, suspected }
}

test('the first question of all is for the primary, the next ones are for replicas in turn', async () => {
  const { servers, askedNow } = serversAt({ primary: 5, one: 5, other: 5 })
  for (let asked = 0; asked < 5; asked += 1) await servers.ask()
  const [first, ...next] = askedNow()
  expect(first).toBe('primary')
  expect(next.toSorted()).toEqual(['one', 'one', 'other', 'other'])
})

test('a replica that is behind what was seen is passed over, and not asked again at once', async () => {
  const { servers, revisions, askedNow } = serversAt({ primary: 5, one: 5, other: 4 })
  for (let asked = 0; asked < 6; asked += 1) expect((await servers.ask()).revision).toBe(5)
  expect(askedNow().filter((name) => name === 'other')).toHaveLength(1)
  revisions.one = 4
  expect((await servers.ask()).server.name).toBe('primary')
})

test('what was read of a server that has gone on meanwhile is seen, and no other server goes back behind it', async () => {
  const { servers, revisions } = serversAt({ primary: 5, one: 5, other: 5 })
  await servers.ask()
  await servers.read(async ({ name }) => {
    revisions[name] = 6
    revisions.primary = 6
  })
  for (let asked = 0; asked < 4; asked += 1) expect((await servers.ask()).revision).toBe(6)
})

test('the newest version is that of the primary; while that is away, of the replica that is most advanced', async () => {
  const { servers, revisions } = serversAt({ primary: 7, one: 5, other: 6 })
  expect((await servers.askNewest()).server.name).toBe('primary')
  const without = serversAt({ ...revisions, primary: undefined }, { isPrimaryAway: true })
  expect((await without.servers.askNewest()).server.name).toBe('other')
})

test('a server that fails is suspected, and the next one answers; where nobody is left, that is said', async () => {
  const { servers, revisions, suspected } = serversAt({ primary: 5, one: 5, other: undefined })
  for (let asked = 0; asked < 4; asked += 1) expect((await servers.ask()).revision).toBe(5)
  expect(suspected).toContain('other')
  Object.assign(revisions, { primary: undefined, one: undefined })
  await expect(servers.ask()).rejects.toThrow(DatabaseAwayError)
})

test('what was lost with the primary is waited for, and then the most advanced replica is believed', async () => {
  const { servers, revisions, losses } = serversAt({ primary: undefined, one: 7, other: 7 }, { isPrimaryAway: true })
  await servers.ask()
  Object.assign(revisions, { one: 5, other: 6 })
  const startedAt = performance.now()
  expect(await servers.ask()).toMatchObject({ revision: 6, server: { name: 'other' } })
  expect(performance.now() - startedAt).toBeGreaterThan(1000)
  expect(losses).toEqual(['other'])
})

test('who waits for what was lost at the same time believes the same server, and that is told once', async () => {
  const { servers, revisions, losses } = serversAt(
    { primary: undefined, one: 7, other: 7 },
    { isPrimaryAway: true, answerMs: 5 },
  )
  await servers.ask()
  Object.assign(revisions, { one: 5, other: 6 })
  const asked = [1, 2, 3].map(() => servers.ask())
  for (const version of await Promise.all(asked)) expect(version.revision).toBe(6)
  expect(losses).toEqual(['other'])
})
