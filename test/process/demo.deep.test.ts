import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { formatUnits, toFunctionSelector, toHex } from 'viem/utils'
import { beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../build/bundle.mjs'
import { whyNoAnvil } from '../../demo/anvil.ts'
import { addressOf, CHAIN_ID, core } from '../../demo/contracts.ts'
import { offerCall, proofCall, proofRecord, settledId, wallet } from '../../demo/offer.ts'
import { aggregator } from '../../demo/price-feed.ts'
import { manager } from '../../demo/time-based.ts'
import { readEnvironment } from '../../src/config.ts'
import { asExpected, DEMO_GUIDE, examplesOf, type, withAddress } from '../setup/documents/document-examples.ts'
import { readDocument } from '../setup/documents/documents.ts'
import { hasBrowser, inBrowser, openTab } from '../setup/pages/browser.ts'
import { type Asked, withWallets } from '../setup/pages/wallets.ts'
import { NodeProcess } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'

interface Status {
  chains: { chainId: number; asOfBlock: string; asOfBlockHash: string; state: string }[]
}

/** The demo in one file: to read and compile a thousand of them takes each start two seconds. */
const DEMO = '.test-build/demo.js'

/** As often as something happens on the chain of the demo. */
const PERIOD_MS = 500

/** The demo, which keeps its files in a folder of the test. */
async function startDemo(periodMs = PERIOD_MS) {
  const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-demonstration-'))
  const demo = new NodeProcess([DEMO, '--port', '0', '--period', `${periodMs}`], { TMPDIR: folder })
  return {
    demo,
    /** Whether there is a file in the folder of the demo. */
    has: async (name: string) => (await readdir(folder)).some((own) => existsSync(join(folder, own, name))),
    /** Files that the service or the demo have left, and processes that know the folder. */
    async remains() {
      const files = (await readdir(folder)).filter((name) => name.startsWith('reward-campaigns-'))
      return [...files, ...(await processesOf(folder))]
    },
    async [Symbol.asyncDispose]() {
      demo.child.kill('SIGKILL')
      // They have its output open, for which its end waits.
      for (const { pid } of await processesOf(folder)) process.kill(pid, 'SIGKILL')
      await demo[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Processes whose command or environment names a folder, as far as the system tells. */
async function processesOf(folder: string) {
  if (!existsSync('/proc')) return []
  const ids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name)).map(Number)
  const found = ids.map(async (pid) => {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
    const [command, environment] = await Promise.all([read('cmdline'), read('environ')])
    return (command + environment).includes(folder) ? [{ pid, command: command.replaceAll('\0', ' ') }] : []
  })
  return (await Promise.all(found)).flat()
}

/** Without what a node fails to answer on a busy machine: the indexer asks again. */
const withoutRetries = (stderr: string) => stderr.replaceAll(/^index: reading the chain failed, retrying: .*\n/gm, '')

/** The token with the feed. */
const ether = addressOf('ether')

const isMissing = await whyNoAnvil()

describe.skipIf(isMissing)(`the demo${isMissing ? ` (not here: ${isMissing})` : ''}`, () => {
  beforeAll(() => bundle('demo/run.ts', DEMO))

  test('says how it is called, and what is wrong with that, without a stack', async () => {
    const run = async (parameters: string[], settings: Record<string, string> = {}) => {
      await using demo = new NodeProcess([DEMO, ...parameters], settings)
      return await demo.ended
    }
    expect(await run(['--help'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Usage: npm run demo/),
    })
    const sentence = (start: string) => ({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^${start}[^\\n]*\\n`)),
    })
    expect(await run(['--ports', '1'])).toMatchObject(sentence("error: Unknown option '--ports'"))
    expect(await run(['--port', 'a'])).toMatchObject(
      sentence('error: --port must be a whole number from 0 to 65535, got "a"'),
    )
    expect(await run([], { PORT: 'a' })).toMatchObject(sentence('PORT must be '))
  })

  test('listens on PORT, and says so where it is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-demonstration-'))
    const file = join(folder, 'settings')
    await writeFile(file, `PORT=${port}\n`)
    await using demo = new NodeProcess([DEMO], { TMPDIR: folder, ENV_FILE: file })
    const { code, stderr } = await demo.ended
    other.close()
    expect(code).toBe(1)
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(`^PORT ${port} is in use on 127\\.0\\.0\\.1: `),
      'serve ended with code 1',
      '',
    ])
    await rm(folder, { recursive: true })
  })

  // Tried again once: beside others the chain has stood still for a minute, and what it says then tells whose fault that is.
  test('shows campaigns, claims, prices and reorganisations as they happen, until Ctrl-C, which leaves nothing', {
    retry: 1,
    timeout: 150_000,
  }, async () => {
    await using started = await startDemo()
    const { demo } = started
    const [url, node] = [await demo.said(/explorer +(http\S+)\//), await demo.said(/node +(http\S+)\//)]

    /** What the node returns; undefined where it has withdrawn the block that is asked for. */
    async function ask<Result>(method: string, ...params: unknown[]): Promise<Result | undefined> {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(String(node), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      return ((await response.json()) as { result?: Result | null }).result ?? undefined
    }
    async function get<Body>(path: string) {
      const response = await fetch(url + path)
      expect(response.status, path).toBe(200)
      return { body: (await response.json()) as Body, headers: response.headers }
    }
    const count = async () => (await get<{ totalCampaigns: number }>('/campaigns?pageSize=0')).body.totalCampaigns
    const asOf = async () => (await get<Status>('/status')).body.chains[0]

    const until = <Value>(look: () => Promise<Value | undefined>, maxMs?: number) => waitFor(look, maxMs, PERIOD_MS / 2)

    // Before now, and from now on.
    const first = await until(async () => ((await asOf())?.state === 'following' ? await asOf() : undefined))
    expect(Number(first?.asOfBlock)).toBeGreaterThan(80)
    const before = await count()
    expect(before).toBeGreaterThan(10)
    await until(async () => (Number((await asOf())?.asOfBlock) > Number(first?.asOfBlock) ? true : undefined))

    // What is earned over time: the open-ended one goes on, the other has ended and can be claimed for 60 days more.
    const [open, settled] = [`${CHAIN_ID}:${manager}:1`, settledId]
    const { campaigns } = (await get<{ campaigns: object[] }>('/campaigns?incentiveType=TimeBasedIncentive')).body
    expect(campaigns).toMatchObject([{ id: open }, { id: settled }])
    type Timed = {
      isActive: boolean
      endTime: string
      incentives: { committed: string; totalClaims: string; limit: string; claimUntil: string }[]
    }
    const detail = async (id: string) => (await get<Timed>(`/campaigns/${id}`)).body
    const ended = await detail(settled)
    expect(ended).toMatchObject({
      isActive: false,
      incentives: [
        {
          ...{ limit: '500000000', committed: '212500000', totalClaims: '1', totalAmountClaimed: '120000000' },
          ...{ remainingBalance: '92500000', isFinal: true, openEnded: false, root: proofRecord.root },
        },
      ],
    })
    expect(Date.parse(ended.incentives[0]?.claimUntil ?? '') - Date.parse(ended.endTime)).toBe(60 * 86_400_000)
    const going = await detail(open)
    const [incentive] = going.incentives
    expect(going).toMatchObject({ isActive: true, incentives: [{ openEnded: true, isFinal: false }] })
    expect(BigInt(incentive?.committed ?? 0)).toBeGreaterThan(0n)
    expect(BigInt(incentive?.committed ?? 0)).toBeLessThan(BigInt(incentive?.limit ?? 0))
    await until(async () => ((await detail(open)).incentives[0]?.committed !== incentive?.committed ? true : undefined))
    const claims = incentive?.totalClaims
    await until(async () => ((await detail(open)).incentives[0]?.totalClaims !== claims ? true : undefined))
    type Rewards = { rewards: { campaignId: string; transaction: { to: Hex; data: Hex } }[] }
    const { rewards } = (await get<Rewards>(`/users/${wallet}/rewards?state=claimable`)).body
    const earned = rewards.find(({ campaignId }) => campaignId === settled)
    expect(earned).toMatchObject({
      ...{ verdict: 'claimable', reasons: [], rewardNow: '12500000', claimUntil: ended.incentives[0]?.claimUntil },
      transaction: { to: manager },
    })

    // A campaign that has come since.
    await until(async () => ((await count()) > before ? true : undefined), 90_000)

    // A claim that has just come, by `minBlock`, with all others of its campaign as the chain has them.
    await until(async () => {
      const [block, index] = /block (\d+): claim of (\d+)\n$/.exec(demo.stdout)?.slice(1) ?? []
      if (block === undefined) return undefined
      const path = `/campaigns/${CHAIN_ID}:${core}:${index}?minBlock=${CHAIN_ID}:${block}`
      // Withdrawn meanwhile: the block does not come.
      if ((await fetch(url + path)).status === 503) return undefined
      const { body, headers } = await get<{ incentives: { totalClaims: string }[] }>(path)
      const asOf = Number(headers.get('x-as-of')?.split(':')[1])
      expect(asOf).toBeGreaterThanOrEqual(Number(block))
      const call = { to: addressOf(`incentive ${index}`), data: toFunctionSelector('claims()') }
      const claims = BigInt((await ask<string>('eth_call', call, toHex(asOf))) ?? 0)
      // Blocks may have been withdrawn meanwhile.
      return BigInt(body.incentives[0]?.totalClaims ?? 0) === claims && claims > 0n ? true : undefined
    })

    // The branch that is there after a reorganisation.
    const last = Number(await demo.said(/block (\d+): reorganisation/))
    await until(async () => {
      const { asOfBlock, asOfBlockHash } = (await asOf()) ?? {}
      const block = await ask<{ hash: string }>('eth_getBlockByNumber', toHex(Number(asOfBlock)), false)
      return Number(asOfBlock) >= last && block?.hash === asOfBlockHash ? true : undefined
    })

    // What the feed has reported up to a block is the price as of it; blocks may be ahead of the clock.
    await until(async () => {
      type Priced = { priceUsd: string; source: string; at: string }
      const { body, headers } = await get<Priced>(`/prices?token=${CHAIN_ID}:${ether}`)
      expect(body.source).toBe('feed')
      const toBlock = toHex(Number(headers.get('x-as-of')?.split(':')[1]))
      type Log = { topics: Hex[]; blockNumber: Hex }
      const logs = (await ask<Log[]>('eth_getLogs', { address: aggregator, fromBlock: '0x0', toBlock })) ?? []
      for (const { topics, blockNumber } of logs.toReversed()) {
        const block = await ask<{ timestamp: Hex }>('eth_getBlockByNumber', blockNumber, false)
        if (Number(block?.timestamp) * 1000 > Date.parse(body.at)) continue
        return body.priceUsd === formatUnits(BigInt(topics[1] ?? 0), 8) || undefined
      }
      return undefined
    })

    // And what the guide shows.
    const examples = examplesOf(readDocument(DEMO_GUIDE))
    const printed = await type(
      examples.map(({ command }) => withAddress(command, url)),
      readEnvironment(),
    )
    const news = async () => `${demo.stdout.slice(-500)}${demo.stderr}${JSON.stringify(await asOf())}`
    if (printed.some((text) => text.includes('503'))) console.error('the demo stands still:', await news())
    for (const [index, { place, expected }] of examples.entries()) {
      expect.soft(asExpected(printed[index] ?? '', expected), place).toEqual(expected)
    }

    expect(await started.remains()).not.toEqual([])
    demo.child.kill('SIGINT')
    const { code, stderr } = await demo.ended
    expect({ code, stderr: withoutRetries(stderr) }).toEqual({ code: 0, stderr: '' })
    expect(await started.remains()).toEqual([])
  })

  test.skipIf(!hasBrowser)(`has rewards that a wallet claims ${inBrowser}`, { timeout: 150_000 }, async () => {
    await using started = await startDemo(2000)
    const { demo } = started
    const [base, path] = [await demo.said(/explorer +(http\S+)\//), await demo.said(/rewards +http:\/\/[^/]+(\S+)/)]
    const node = String(await demo.said(/node +(http\S+)\//))
    await using tab = await openTab(String(base))
    const { page } = tab
    // The next is far away: none may withdraw the claim before the page has shown it.
    await demo.said(/(reorganisation)/)
    const ofNode = async ({ method, params = [] }: Asked) => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const answer = Object(await (await fetch(node, { method: 'POST', headers, body })).json())
      if (answer.error !== undefined) throw answer.error
      return answer.result
    }
    const onNode = ['eth_chainId', 'eth_call', 'eth_sendTransaction', 'eth_getTransactionReceipt']
    const accounts = () => [wallet]
    await withWallets(page, ['Test Wallet'], () => ({
      ...Object.fromEntries(onNode.map((method) => [method, ofNode])),
      ...{ eth_requestAccounts: accounts, eth_accounts: accounts },
    }))
    await page.goto(String(base) + path)
    await page.getByRole('button', { name: 'Use my wallet' }).click()
    await page.getByRole('button', { name: 'Claim Claim this with your wallet' }).click()
    await page.locator('.wallet .claims').getByText('25 DUSD').waitFor({ timeout: 60_000 })
    const row = (name: string) => page.locator('.rewards > li').filter({ hasText: name })
    const signed = row('Claim this with your wallet')
    await expect.poll(() => signed.innerText(), { timeout: 20_000 }).toContain('Claimed 25 DUSD')
    // What is proven is claimed at the manager.
    const proven = row('Held Demo Dollars')
    expect(await proven.innerText()).toMatch(/Pays 12\.5 DUSD, \$12\.50, until \w+ \d+, \d+$/m)
    await proven.getByRole('button', { name: /^Claim / }).click()
    await expect.poll(() => proven.innerText(), { timeout: 60_000 }).toContain('Claimed 12.5 DUSD')
    expect(tab.faults).toEqual([])
    // Nobody claims it twice, not in another branch either: what a wallet has sent is there as well.
    const calls = [
      { to: core, data: offerCall },
      { to: manager, data: proofCall },
    ]
    async function expectRefused() {
      for (const call of calls) {
        const again = ofNode({ method: 'eth_call', params: [call] })
        await expect(again).rejects.toMatchObject({ message: 'execution reverted' })
      }
    }
    await expectRefused()
    const reorganisations = demo.stdout.split('reorganisation').length
    await waitFor(async () => demo.stdout.split('reorganisation').length > reorganisations || undefined, 60_000)
    await expectRefused()
  })

  test.each(['the chain', 'the service', 'the database'])(
    'leaves nothing where Ctrl-C comes as soon as %s is started',
    async (what) => {
      await using started = await startDemo()
      const { demo } = started
      if (what === 'the chain') await demo.said(/(starting a chain)/)
      if (what === 'the service') await demo.said(/(starting the service)/)
      if (what === 'the database') await waitFor(async () => (await started.has('data/postgres')) || undefined)
      demo.child.kill('SIGINT')
      expect(await demo.ended).toMatchObject({ code: 0, stderr: '' })
      expect(await started.remains()).toEqual([])
    },
  )
})
