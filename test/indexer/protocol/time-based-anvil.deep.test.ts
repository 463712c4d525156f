import type { Abi, Hex } from 'viem'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { startAnvil, whyNoAnvil } from '../../../demo/anvil.ts'
import { emitLog, inTurn, replayContract, storeResponse } from '../../../demo/replay-contract.ts'
import { rawReadFunctions, timeBasedFunctions } from '../../../src/indexer/protocol/contracts/abi-functions.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'
import { openIndexed } from '../indexed.ts'
import { SimulatedChain } from '../simulation/simulated-chain.ts'
import { simulatedChain, simulatedTokens } from '../simulation/simulated-protocol.ts'
import { managers, type TimedDeed } from '../simulation/simulated-time-based.ts'

const functions: Abi = [
  ...timeBasedFunctions,
  ...rawReadFunctions,
  ...parseAbi(['function totalClaimed() view', 'function decimals() view']),
]

/** All that contracts are asked without an argument, and whether one of the first campaigns is open-ended. */
const calls: readonly Hex[] = [
  ...functions.flatMap((item) =>
    item.type === 'function' && item.inputs.length === 0
      ? [encodeFunctionData({ abi: [item], functionName: item.name })]
      : [],
  ),
  ...[1n, 2n].map((number) => encodeFunctionData({ abi: functions, functionName: 'isOpenEnded', args: [number] })),
]

/** The simulated chain on a real node: its logs are emitted there, and its contracts return what the simulated ones do. */
async function startMirror(chain: SimulatedChain) {
  const node = await startAnvil({
    'chain-id': chain.chainId,
    number: chain.head.number,
    timestamp: chain.head.timestamp,
  })
  const [from] = await node.ask<Hex[]>('eth_accounts')
  const hashes = new Map<Hex, Hex>()
  const send = (items: readonly { to: Hex; data: Hex }[]) =>
    node.ask<Hex>('eth_sendTransaction', { from, to: managers[0], data: inTurn(items), gas: '0x10000000' })

  /** Mines what the newest block of the simulation has. */
  async function mine() {
    const { head } = chain
    const emitting = chain.blocks.flatMap(({ logs }) => logs.map(({ address }) => address))
    const campaigns = chain.facts().figures.flatMap(({ incentives }) => incentives.map(({ contract }) => contract))
    const contracts = new Set([...emitting, ...campaigns, ...managers, simulatedTokens.asset])
    for (const address of contracts) await node.ask('anvil_setCode', address, replayContract)
    for (const { hash } of head.transactions) {
      const logs = head.logs.filter(({ transactionHash }) => transactionHash === hash)
      hashes.set(hash, await send(logs.map((log) => ({ to: log.address, data: emitLog(log) }))))
    }
    await send(
      [...contracts].flatMap((to) =>
        calls.map((data) => ({ to, data: storeResponse(data, chain.callAt(head, to, data)) })),
      ),
    )
    // Each later than the one before: claims are listed by it.
    await node.ask('evm_setNextBlockTimestamp', 1000 + 2 * head.number)
    await node.ask('anvil_mine', '0x1')
  }

  return {
    url: node.url,
    /** Hashes of transactions, by those of the simulation. */
    hashes,
    mine,
    withdraw: (blocks: number) => node.ask('anvil_rollback', blocks),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

/** All that responses say is what was done. */
async function expectAsDone(api: BorrowedTestApp, chain: SimulatedChain, hashes: ReadonlyMap<Hex, Hex>) {
  const read = async (path: string) => {
    const response = await api.get(path)
    expect(response.statusCode, path).toBe(200)
    return response.json()
  }
  const { figures, claims } = chain.facts()
  const { totalCampaigns } = await read('/campaigns?pageSize=0')
  expect(totalCampaigns).toBe(figures.length)
  for (const { id, incentives, ...figuresOfCampaign } of figures) {
    const [{ contract, position: _, ...incentive } = { contract: undefined }] = incentives
    const { listType: __, maxClaims: ___, claimFee: ____, ...terms } = figuresOfCampaign
    expect(await read(`/campaigns/${id}`)).toMatchObject({ ...terms, action: contract, incentives: [incentive] })
    const own = claims.filter(({ campaignId }) => campaignId === id).reverse()
    const { claims: shown, totalClaims } = await read(`/claims?campaignId=${id}`)
    expect(totalClaims).toBe(own.length)
    expect(shown).toMatchObject(
      own.map(({ claimant, amount, logIndex, txHash }) => ({
        ...{ claimant, amount, logIndex, txHash: hashes.get(txHash) },
      })),
    )
  }
}

const isMissing = await whyNoAnvil()

const deed = (type: 'timed root' | 'timed claim', amount: number, salt: number): TimedDeed => ({
  ...{ type, campaign: 0, amount, salt },
})

/** From its creation to the last withdrawal, at both places. */
const lifeOf = (kind: 'first' | 'fixed' | 'open'): TimedDeed[] => [
  { type: 'timed create', salt: 0, kind, amount: 10_000, isReadable: true },
  deed('timed root', 2000, 0),
  deed('timed claim', 100, 1),
  deed('timed claim', 200, 2),
  ...[0, 1, 2].map((indexed): TimedDeed => ({ type: 'timed top-up', campaign: 0, amount: 300, indexed })),
  deed('timed root', 4000, 1),
  deed('timed claim', 900, 1),
  { type: 'timed withdrawal', campaign: 0, amount: 50, isDirect: true },
  { type: 'timed noise', campaign: 0 },
  { type: 'timed end', campaign: 0 },
  { type: 'timed finality', campaign: 0 },
  { type: 'timed withdrawal', campaign: 0, amount: 60, isDirect: false },
]

describe.skipIf(isMissing)(`a real node${isMissing ? ` (not here: ${isMissing})` : ''}`, () => {
  test.each(['first', 'fixed', 'open'] as const)(
    'has a life of a time-based campaign, %s, in which each block is withdrawn and comes again',
    { timeout: 120_000 },
    async (kind) => {
      const chain = new SimulatedChain(2)
      await using mirror = await startMirror(chain)
      await using api = await borrowTestApp()
      await using indexed = await openIndexed(api.database.url, mirror.url, {
        chain: { ...simulatedChain, prices: [], startBlock: chain.startBlock },
      })
      async function mine(...transactions: Parameters<SimulatedChain['mine']>) {
        chain.mine(...transactions)
        await mirror.mine()
        await indexed.settle()
        await expectAsDone(api, chain, mirror.hashes)
      }
      for (const one of lifeOf(kind)) {
        await mine([[one]])
        const again = chain.withdraw(1)
        await mirror.withdraw(1)
        await mine([])
        await mine([], again)
      }
      const [campaign] = chain.facts().figures
      const withTopUps = kind === 'open' ? 10_900 : 10_000
      expect(campaign?.incentives).toMatchObject([
        { totalClaims: '3', totalAmountClaimed: '1200', remainingBalance: String(withTopUps - 1200 - 110) },
      ])
      const [status] = (await api.get('/status')).json().chains
      expect(status).toMatchObject({ chainId: chain.chainId, asOfBlock: String(chain.head.number) })
    },
  )
})
