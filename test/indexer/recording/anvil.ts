import type { Hex } from 'viem'
import { toFunctionSelector } from 'viem/utils'
import { startAnvil } from '../../../demo/anvil.ts'
import { emitLog, inTurn, replayContract, storeResponse } from '../../../demo/replay-contract.ts'
import { recording } from './recording.ts'

type Recorded = (typeof recording.blocks)[number]

/** A node at the block before the recording, on which every recorded address has code that replays. Nothing is mined by itself. */
export async function startReplayingNode() {
  const [first] = recording.blocks
  if (first === undefined) throw new Error('there is nothing to play')
  const node = await startAnvil({
    'chain-id': recording.chainId,
    number: first.number - 1,
    timestamp: first.timestamp - 2,
  })
  const { url, ask } = node
  const [from] = await ask<Hex[]>('eth_accounts')
  const addresses = recording.blocks.flatMap(({ transactions, reads }) => [
    ...transactions.flatMap(({ logs }) => logs.map(({ address }) => address)),
    ...reads.map(({ to }) => to),
  ])
  for (const address of new Set(addresses)) await ask('anvil_setCode', address, replayContract)

  const toTransaction = (items: readonly { to: Hex; data: Hex }[]) => ({
    from,
    to: recording.cores[0],
    data: inTurn(items),
    gas: '0x10000000',
  })
  /** What a recorded block says, and what contracts answer since. */
  const saying = ({ transactions }: Recorded) =>
    transactions.map(({ logs }) => toTransaction(logs.map((log) => ({ to: log.address, data: emitLog(log) }))))
  const answering = ({ reads }: Recorded) =>
    toTransaction(reads.map(({ to, data, result }) => ({ to, data: storeResponse(data, result) })))

  return {
    url,
    ask,
    saying,
    answering,
    /** Sends a transaction that has contracts do something one after the other; each is given code first. */
    async send(items: readonly { to: Hex; data: Hex }[]) {
      for (const to of new Set(items.map((item) => item.to))) await ask('anvil_setCode', to, replayContract)
      await ask('eth_sendTransaction', toTransaction(items))
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
    /** What a contract answers to a call without arguments, at the head. */
    read: async (to: Hex, name: string) =>
      BigInt(await ask<Hex>('eth_call', { to, data: toFunctionSelector(`${name}()`) }, 'latest')),
    /** Mines blocks in which nothing happens. */
    mineEmpty: (blocks: number) => ask('anvil_mine', `0x${blocks.toString(16)}`, '0x1'),
    /** Mines what was recorded block by block, at the instants of then, and those without anything between. */
    async *replay() {
      let last = recording.startBlock
      for (const block of recording.blocks) {
        if (block.number > last + 1) await this.mineEmpty(block.number - last - 1)
        await ask('evm_setNextBlockTimestamp', block.timestamp)
        yield { ...block, hashes: await this.mine(block) }
        last = block.number
      }
    },
    /**
     * Mines a block with the transactions of recorded blocks.
     * @returns hashes of transactions, by the recorded ones.
     */
    async mine(...recorded: readonly Recorded[]): Promise<Map<string, Hex>> {
      const hashes = new Map<string, Hex>()
      for (const block of recorded) {
        for (const [index, transaction] of saying(block).entries()) {
          const hash = await ask<Hex>('eth_sendTransaction', transaction)
          hashes.set(block.transactions[index]?.hash ?? '', hash)
        }
        await ask('eth_sendTransaction', answering(block))
      }
      await ask('anvil_mine', '0x1')
      return hashes
    },
  }
}
