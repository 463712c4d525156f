import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aCampaign } from '../setup/records.ts'
import { aDataFolder, embeddedUrl, killServer, query, serverPid } from '../setup/servers/data-folder.ts'
import { type NodeProcess, runCli, startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'

/*
 * A service that starts an embedded server, fills it, and outlives its end.
 */

test('serve makes its database while requests wait, fills it with sample data, keeps it over a restart, and stops its server', async () => {
  await using data = await aDataFolder({ isNew: true })
  // Shorter than it takes to make the database.
  const settings = { DATA_DIR: data.folder, PORT: '0', DATABASE_ACQUIRE_TIMEOUT_MS: '1000' }
  const said: string[][] = []
  const listed: unknown[] = []
  for (let run = 0; run < 2; run++) {
    await using service = startCli(['serve'], settings)
    const url = await service.address()
    if (run === 0) expect((await fetch(`${url}/readyz`)).status).toBe(503)
    const response = await fetch(`${url}/campaigns?tokenWhitelist=false&pageSize=20`)
    const { campaigns, totalCampaigns } = (await response.json()) as {
      campaigns: { id: string }[]
      totalCampaigns: number
    }
    expect(totalCampaigns).toBe(1000)
    expect(campaigns).toHaveLength(20)
    listed.push(campaigns.map(({ id }) => id))
    await service.ready()
    service.child.kill('SIGTERM')
    const { code, signal, stdout, stderr } = await service.ended
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' })
    expect(await serverPid(data.folder)).toBe(undefined)
    // Where there is no terminal, each line is an entry of JSON.
    const messages: string[] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg)
    said.push(messages.filter((message) => !/request|unavailable/.test(message)))
  }
  expect(listed[1]).toEqual(listed[0])
  expect(said[0]).toEqual([
    expect.stringMatching(/^Server listening at /),
    `creating the database in ${data.folder}`,
    'database migrated',
    'filling the database with sample data',
    'ready',
  ])
})

describe('a service that is not filled with sample data', () => {
  let data: Awaited<ReturnType<typeof aDataFolder>>
  let settings: Record<string, string>
  let service: NodeProcess
  let url: string

  beforeAll(async () => {
    data = await aDataFolder()
    settings = { DATA_DIR: data.folder, PORT: '0', SAMPLE_DATA: 'false' }
    service = startCli(['serve'], settings)
    url = await service.ready()
  })
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]()
    await data[Symbol.asyncDispose]()
  })

  test('has the tokens that are issued and revoked in its server', async () => {
    const issued = await runCli(['token', 'create', '--user', 'user-1'], settings)
    expect(issued.code).toBe(0)
    const headers = { authorization: `Bearer ${issued.stdout.trim()}` }
    const response = await fetch(`${url}/campaigns/accesslists`, { headers })
    expect(await response.json()).toEqual({ accesslists: [] })
    const [, id = ''] = /^Token (\S+)/.exec(issued.stderr) ?? []
    expect(await runCli(['token', 'revoke', id], settings)).toMatchObject({ code: 0 })
    expect((await fetch(`${url}/campaigns/accesslists`, { headers })).status).toBe(401)
  })

  test('is empty, has what is imported into its server, answers 503 while that is killed, and ends in order', async () => {
    expect(await (await fetch(`${url}/campaigns`)).json()).toEqual({ campaigns: [], totalCampaigns: 0 })
    const campaign = aCampaign()
    expect(await runCli(['import', '-'], settings, `${JSON.stringify(campaign)}\n`)).toMatchObject({ code: 0 })
    expect(await (await fetch(`${url}/campaigns`)).json()).toMatchObject({
      campaigns: [{ id: campaign.id }],
      totalCampaigns: 1,
    })

    await killServer(data.folder)
    const statuses = new Set<number>()
    await waitFor(async () => {
      statuses.add((await fetch(`${url}/campaigns?pageSize=${statuses.size}`)).status)
      return (await fetch(`${url}/readyz`)).status === 200 ? true : undefined
    })
    expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true)
    await service.said(/(database process exited, restarted it)/)
    expect(await (await fetch(`${url}/campaigns`)).json()).toMatchObject({ totalCampaigns: 1 })
    service.child.kill('SIGTERM')
    expect(await service.ended).toMatchObject({ code: 0, signal: null })
    expect(await serverPid(data.folder)).toBe(undefined)
  })
})

test('a server that is killed while it is filled with sample data comes back, and is filled', async () => {
  await using data = await aDataFolder()
  await using service = startCli(['serve'], { DATA_DIR: data.folder, PORT: '0' })
  await service.said(/(filling the database with sample data)/)
  const importing =
    "select from pg_stat_activity where application_name = 'reward-campaigns import' and xact_start is not null"
  const server = await embeddedUrl(data.folder)
  await waitFor(async () => ((await query(server, importing)).length > 0 ? true : undefined))
  await killServer(data.folder)
  const url = await service.ready()
  expect(await (await fetch(`${url}/campaigns?pageSize=0&tokenWhitelist=false`)).json()).toMatchObject({
    totalCampaigns: 1000,
  })
  service.child.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
})
