import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { killServer, query, serverPid } from '../../packages/embedded-postgres/test/setup/servers.ts'
import { aCampaign } from '../setup/records.ts'
import { aDataFolder, embeddedUrl } from '../setup/servers/data-folder.ts'
import { type NodeProcess, runCli, startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'

/*
 * A service that starts an embedded server, fills it, and outlives its end.
 */

/** Of a service that is ready: the newest of its sample data. */
async function listNewest(url: string) {
  const response = await fetch(`${url}/campaigns?tokenWhitelist=false&pageSize=20`)
  const { campaigns, totalCampaigns } = (await response.json()) as {
    campaigns: { id: string }[]
    totalCampaigns: number
  }
  expect(totalCampaigns).toBe(1000)
  expect(campaigns).toHaveLength(20)
  return campaigns.map(({ id }) => id)
}

/** What a service has said where there is no terminal: each line is an entry of JSON. */
function messagesOf({ stdout }: { stdout: string }) {
  const messages: string[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg)
  return messages.filter((message) => !/request|unavailable/.test(message))
}

// That requests wait meanwhile is seen where a newcomer starts it in a terminal.
test('serve makes its database, fills it though its server is killed meanwhile, keeps it over a restart, and stops its server', async () => {
  await using data = await aDataFolder({ isNew: true })
  const settings = { DATA_DIR: data.folder, PORT: '0' }
  async function endsInOrder(service: NodeProcess) {
    service.child.kill('SIGTERM')
    const ended = await service.ended
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(await serverPid(data.folder)).toBe(undefined)
    return messagesOf(ended)
  }

  await using service = startCli(['serve'], settings)
  expect((await fetch(`${await service.address()}/readyz`)).status).toBe(503)
  await service.said(/(filling the database with sample data)/)
  const importing =
    "select from pg_stat_activity where application_name = 'reward-campaigns import' and xact_start is not null"
  const server = await embeddedUrl(data.folder)
  await waitFor(async () => ((await query(server, importing)).length > 0 ? true : undefined))
  await killServer(data.folder)
  const listed = await listNewest(await service.ready())
  const ready = await service.said(/^(.*"msg":"ready".*)$/m)
  expect(JSON.parse(ready)).toMatchObject({ database: `embedded in ${data.folder}`, hasSampleData: true })
  const said = await endsInOrder(service)
  expect(said.slice(0, 4)).toEqual([
    expect.stringMatching(/^Server listening at /),
    `creating the database in ${data.folder}`,
    'database migrated',
    'filling the database with sample data',
  ])
  expect(said.slice(-2)).toEqual(['filling the database with sample data', 'ready'])

  await using again = startCli(['serve'], settings)
  expect(await listNewest(await again.ready())).toEqual(listed)
  expect(await endsInOrder(again)).toEqual([expect.stringMatching(/^Server listening at /), 'ready'])
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
