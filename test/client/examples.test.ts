import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleClient } from '../../packages/client/build.mjs'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { aPayload } from '../setup/data/payloads.ts'
import { hasBrowser, inBrowser } from '../setup/pages/browser.ts'
import { startSite } from '../setup/pages/site.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { startTestApp } from '../setup/test-app.ts'

const root = join(import.meta.dirname, '../..')

const token = aToken({ priceUsd: '1' })
const [first, second] = [
  aCampaign({ campaignName: 'Swap <b>something</b>', incentives: [anErc20Incentive(token.address)] }),
  aCampaign({ incentives: [anErc20Incentive(token.address)] }),
]
const justNow = String(Math.floor(Date.now() / 1000) - 60)
const claims = [
  aClaim(first, { blockTimestamp: justNow, amountUsd: '12.5' }),
  aClaim(second, { blockTimestamp: justNow, amountUsd: '2' }),
]

const user = anAddress('who claims')
const signed = {
  type: 'claimSignature' as const,
  campaignId: first.id,
  claimant: user,
  referrer: anAddress('referrer'),
}

test('the program for a Safe prints one transaction that claims everything on a chain, and fails where there is none', async () => {
  await using api = await startTestApp()
  await api.save(token, first, { ...signed, incentiveId: 0, signature: aPayload(0n) })
  const service = await api.app.listen({ host: '127.0.0.1', port: 0 })
  await withClient(async (program) => {
    const [chainId = ''] = first.id.split(':')
    const { stdout } = await promisify(execFile)(process.execPath, [program, service, chainId, user])
    const { claimTransactions } = (await api.get(`/users/${user}/rewards?claimTransactions=true`)).json()
    const [{ to, value, data }] = claimTransactions
    expect(JSON.parse(stdout)).toEqual({
      version: '1.0',
      chainId,
      createdAt: expect.any(Number),
      meta: {},
      transactions: [{ to, value, data }],
    })
    const none = promisify(execFile)(process.execPath, [program, service, chainId, anAddress('nobody')])
    await expect(none).rejects.toThrow(/can claim nothing on chain/)
  })
})

test('the page is less than twenty lines', async () => {
  const page = await readFile(join(root, 'examples/page/index.html'), 'utf8')
  expect(page.trimEnd().split('\n').length).toBeLessThan(20)
})

describe.skipIf(!hasBrowser)(inBrowser, () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-examples-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('the page lists what is trending', async () => {
    await using api = await startTestApp()
    await api.save(token, first, second, ...claims)
    const bundle = join(folder, 'browser.js')
    await bundleClient(bundle)
    await using site = await startSite(api, {
      '/': ['text/html', await readFile(join(root, 'examples/page/index.html'), 'utf8')],
      '/browser.js': ['text/javascript', await readFile(bundle, 'utf8')],
    })
    await using tab = await site.open()
    expect(await listedIn(tab.page)).toEqual(['Swap <b>something</b>: $12.50', 'Unnamed: $2.00'])
    expect(tab.faults).toEqual([])
  })

  test('the page made with React lists what is trending, and says what is wrong', async () => {
    await using api = await startTestApp()
    await api.save(token, first, second, ...claims)
    const { outputFiles } = await build({
      absWorkingDir: join(root, 'examples/react'),
      entryPoints: ['trending-campaigns.tsx'],
      bundle: true,
      write: false,
      format: 'esm',
    })
    const script = outputFiles[0]?.text ?? ''
    const page = await readFile(join(root, 'examples/react/index.html'), 'utf8')
    await using site = await startSite(api, {
      '/': ['text/html', page],
      '/trending-campaigns.js': ['text/javascript', script],
      '/refused': ['text/html', page.replace('trending-campaigns.js', 'refused.js')],
      '/refused.js': ['text/javascript', script.replace('"1h"', '"1w"')],
    })
    await using tab = await site.open()
    expect(await listedIn(tab.page)).toEqual(['Swap <b>something</b>: $12.50', 'Unnamed: $2.00'])
    expect(tab.faults).toEqual([])

    await using refused = await site.open('/refused')
    const alert = refused.page.getByRole('alert')
    await alert.waitFor()
    const { error } = (await api.get('/reward-kit/trending?period=1w')).json()
    expect(await alert.textContent()).toBe(error)
  })

  test('the page with a wallet shows what can be claimed, and simulates, sends and confirms a claim', async () => {
    await using api = await startTestApp()
    await api.save(token, first, { ...signed, incentiveId: 0, signature: aPayload(0n) })
    const [chainId = ''] = first.id.split(':')
    const claim = aClaim(first, { claimant: user })
    const { outputFiles } = await build({
      absWorkingDir: join(root, 'examples/wallet'),
      entryPoints: ['claim.ts'],
      bundle: true,
      write: false,
      format: 'esm',
    })
    const page = await readFile(join(root, 'examples/wallet/index.html'), 'utf8')
    const wallet = walletScript({ account: user, hash: claim.txHash })
    await using site = await startSite(api, {
      '/': ['text/html', page.replace('<body>', `<body><script>${wallet}</script>`)],
      '/without': ['text/html', page],
      '/claim.js': ['text/javascript', outputFiles[0]?.text ?? ''],
    })
    await using tab = await site.open()
    const button = tab.page.getByRole('button')
    await button.waitFor()
    expect(await button.textContent()).toMatch(/^Claim \S+ TEST: Swap <b>something<\/b>$/)
    await api.save(claim)
    await setFollowed(api.database, Number(chainId), 7)
    await button.click()
    await tab.page.getByText('Claimed', { exact: true }).waitFor()
    const requests: { method: string; params: { to?: string; chainId?: string }[] }[] =
      await tab.page.evaluate('requests')
    const sent = requests.filter(({ method }) => ['eth_call', 'eth_sendTransaction'].includes(method))
    expect(sent.map(({ method, params }) => [method, params[0]?.to])).toEqual([
      ['eth_call', first.id.split(':')[1]],
      ['eth_sendTransaction', first.id.split(':')[1]],
    ])
    const switched = requests.find(({ method }) => method === 'wallet_switchEthereumChain')
    expect(Number(switched?.params[0]?.chainId)).toBe(Number(chainId))
    expect(tab.faults).toEqual([])
    await using without = await site.open('/without')
    await without.page.getByText('There is no wallet in this browser.').waitFor()
  })
})

/** A wallet that says yes to everything, and remembers what it was asked for. */
const walletScript = ({ account, hash }: { account: string; hash: string }) => `
  const requests = []
  const receipt = {
    transactionHash: '${hash}', blockHash: '${hash}', blockNumber: '0x7', transactionIndex: '0x0', status: '0x1', logs: [],
    from: '${account}', to: '${account}', cumulativeGasUsed: '0x1', gasUsed: '0x1', logsBloom: '0x', type: '0x2',
  }
  const responses = {
    eth_requestAccounts: ['${account}'], eth_accounts: ['${account}'], wallet_switchEthereumChain: null, eth_call: '0x',
    eth_sendTransaction: '${hash}', eth_blockNumber: '0x7', eth_getTransactionReceipt: receipt, eth_getTransactionByHash: receipt,
    eth_chainId: '0x2105',
  }
  window.ethereum = {
    async request({ method, params }) {
      requests.push({ method, params })
      if (!(method in responses)) throw Object.assign(new Error(method + ' is not there'), { code: 4200 })
      return responses[method]
    },
  }`

/** The program beside the client, as those have it who have installed it. */
async function withClient(use: (program: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'installed-example-'))
  try {
    const program = join(folder, 'safe-batch.mjs')
    const installed = join(folder, 'node_modules/reward-campaigns-client')
    await mkdir(installed, { recursive: true })
    await bundleClient(join(installed, 'client.js'))
    await writeFile(join(installed, 'package.json'), '{ "type": "module", "exports": "./client.js" }')
    await copyFile(join(root, 'examples/node/safe-batch.mjs'), program)
    await use(program)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function listedIn(page: Page) {
  await page.locator('li').first().waitFor()
  return page.locator('li').allTextContents()
}
