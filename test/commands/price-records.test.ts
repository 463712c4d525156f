import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { NodeProcess } from '../setup/servers/processes.ts'

const [usdc, degen, unknown] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`)

/** A price API that says what a test wants, and remembers what it was asked. */
async function aPriceApi(reply: { status?: number; coins?: object }) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(String(request.url))
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/current`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function runExample(...parameters: string[]) {
  await using example = new NodeProcess(['examples/node/price-records.mjs', ...parameters])
  return await example.ended
}

test('records of prices are made of the answers of a price API, with all digits and no time in the future', async () => {
  await using api = await aPriceApi({
    coins: {
      [`base:${usdc}`]: { price: 0.9998, timestamp: 1_795_168_802 },
      [`optimism:${degen}`]: { price: 1.5e-7, timestamp: Math.floor(Date.now() / 1000) + 3600 },
    },
  })
  const before = Math.floor(Date.now() / 1000)
  const result = await runExample(
    api.url,
    `8453:${usdc?.toUpperCase().replace('X', 'x')}`,
    `10:${degen}`,
    `1:${unknown}`,
  )
  expect(result).toMatchObject({ code: 0, stderr: '' })
  const records = result.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  expect(records).toEqual([
    { type: 'tokenPrice', chainId: 8453, address: usdc, at: '2026-11-20T10:00:02.000Z', priceUsd: '0.9998' },
    { type: 'tokenPrice', chainId: 10, address: degen, at: expect.any(String), priceUsd: '0.00000015' },
  ])
  const at = new Date(records[1].at).getTime() / 1000
  expect(at).toBeGreaterThanOrEqual(before)
  expect(at).toBeLessThanOrEqual(Date.now() / 1000)
  expect(api.asked).toEqual([`/current/base:${usdc},optimism:${degen},ethereum:${unknown}`])
})

test('a price API that fails gives no record, and the reason', async () => {
  await using api = await aPriceApi({ status: 500 })
  const result = await runExample(api.url, `8453:${usdc}`)
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toContain('the price API returned 500')
})
