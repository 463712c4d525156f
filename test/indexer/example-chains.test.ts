import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parseChainFile } from '../../src/indexer/chain-config.ts'

/** Chains on which the protocol has contracts. */
const CHAINS = ['1', '10', '137', '480', '999', '4663', '8453', '42161', '42220', '84532', '11155111']

const folder = new URL('../../examples/chains/', import.meta.url)

test('each public chain has an example, which the guide names', async () => {
  const files = (await readdir(folder)).toSorted()
  expect(files).toEqual(CHAINS.map((chainId) => `${chainId}.yaml`).toSorted())
  const guide = await readFile(new URL('../../docs/guides/following-a-chain.md', import.meta.url), 'utf8')
  expect(files.filter((file) => !guide.includes(`(../../examples/chains/${file})`))).toEqual([])
})

test.each(CHAINS)('the example of chain %s can be followed with a URL of the environment', async (chainId) => {
  const file = `${chainId}.yaml`
  const text = await readFile(new URL(file, folder), 'utf8')
  const url = 'https://node.example/key'
  const chains = parseChainFile(file, text, { [`RPC_${chainId}`]: url })
  expect(chains).toMatchObject([{ chainId: Number(chainId), urls: [url] }])
  for (const { cores, timeBasedManagers, openAllowLists } of chains) {
    expect(cores.size).toBeGreaterThan(0)
    expect(openAllowLists.size).toBeGreaterThan(0)
    // None is given twice, in whatever case.
    const given = [...text.matchAll(/"(0x[0-9a-fA-F]{40})"/g)].map(([, address = '']) => address.toLowerCase())
    const listed = [...cores, ...timeBasedManagers, ...openAllowLists]
    expect(given.filter((address) => listed.some((one) => one === address)).toSorted()).toEqual(listed.toSorted())
  }
})

test('a chain may have several open lists: the newest core of OP Mainnet is set up with either', async () => {
  const [chain] = parseChainFile('10.yaml', await readFile(new URL('10.yaml', folder), 'utf8'), { RPC_10: 'http://a' })
  expect([...(chain?.openAllowLists ?? [])]).toEqual(
    expect.arrayContaining([
      '0xeecfd74f70ee663e42955b8e13d699f075736d07',
      '0x7f6942f96b296b07e81e1fc11f79a7664d30c1a0',
    ]),
  )
})
