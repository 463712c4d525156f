import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aCampaign } from '../setup/records.ts'
import { CLI, RunningProcess } from '../setup/servers/processes.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

const campaign = aCampaign({ campaignName: 'Swap on Base' })

let api: TestApp
let baseUrl: string
beforeAll(async () => {
  api = await startTestApp({ MCP: 'false' })
  await api.save(campaign)
  baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => api[Symbol.asyncDispose]())

const connect = async (url: string) => {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp', url] }))
  return client
}

test('the tools are on standard input and output over any deployment', async () => {
  const client = await connect(baseUrl)
  expect((await client.listTools()).tools).toHaveLength(7)
  const { structuredContent } = await client.callTool({ name: 'find_campaigns', arguments: { search: 'swap' } })
  expect(structuredContent).toMatchObject({ campaigns: [{ id: campaign.id, name: 'Swap on Base' }] })
  await client.close()
})

test('a service that is away is an error in a sentence', async () => {
  const client = await connect('http://127.0.0.1:2/')
  expect(await client.callTool({ name: 'status', arguments: {} })).toMatchObject({
    isError: true,
    content: [{ text: 'the service at http://127.0.0.1:2/ cannot be reached, or takes too long' }],
  })
  await client.close()
})

test('the command ends with its input, and says nothing that is no message', async () => {
  await using running = new RunningProcess([process.execPath, CLI, 'mcp', baseUrl])
  running.child.stdin.end()
  expect(await running.ended).toMatchObject({ code: 0, stdout: '', stderr: '' })
})
