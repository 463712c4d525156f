import type { Hex } from 'viem'
import { startAnvil } from './anvil.ts'
import { CHAIN_ID, contractsOf, core, create, deploy, type Effects, offer, openAllowList } from './contracts.ts'
import { offerCall, settle, settledAt, wallet } from './offer.ts'
import { aggregator, deployFeed, feed, report } from './price-feed.ts'
import { emitLog, inTurn, replayContract, storeReaction, storeResponse } from './replay-contract.ts'
import { beginningAt, createStory, offered, type StoryBlock, type StoryState, tokens } from './story.ts'
import { createTimed, deployManager, manager, timedContractOf } from './time-based.ts'

/** Blocks that are there at once, so that there is something to see, and seconds between them. */
const PAST = { blocks: 90, seconds: 40 }

/** How many blocks a reorganisation withdraws. */
const DEPTH = 2

const SEED = 7

/** Has the contracts do what one transaction does. */
const toCall = ({ logs, results, reactions = [] }: Effects): Hex =>
  inTurn([
    ...results.map(({ to, data, result }) => ({ to, data: storeResponse(data, result) })),
    ...reactions.map(({ to, data, effects }) => ({ to, data: storeReaction(data, toCall(effects)) })),
    ...logs.map((log) => ({ to: log.address, data: emitLog(log) })),
  ])

/** A chain on which campaigns are created, topped up and claimed, and a price moves. Blocks come when they are asked for. */
export async function startDemoChain() {
  const now = () => Math.floor(Date.now() / 1000)
  const begin = now() - PAST.blocks * PAST.seconds
  const node = await startAnvil({ 'chain-id': CHAIN_ID, number: 0, timestamp: begin }, { isLeader: true })
  const story = createStory(SEED)
  /** At the end of each block, from block 0 on. */
  const beginning = beginningAt(begin)
  const states: StoryState[] = [beginning]
  const [from] = await node.ask<Hex[]>('eth_accounts')
  const contracts = [...tokens.map(({ address }) => address), core, manager, openAllowList, feed, aggregator]
  for (const address of [
    ...contracts,
    ...contractsOf(offered),
    ...[beginning.timed, settledAt(begin)].map(timedContractOf),
  ])
    await node.ask('anvil_setCode', address, replayContract)

  const send = (effects: Effects) =>
    node.ask('eth_sendTransaction', { from, to: core, gas: '0x1000000', data: toCall(effects) })

  async function mine(timestamp: number, { transactions, newContracts, ...state }: StoryBlock) {
    for (const address of newContracts) await node.ask('anvil_setCode', address, replayContract)
    for (const effects of transactions) await send(effects)
    await node.ask('evm_setNextBlockTimestamp', timestamp)
    await node.ask('anvil_mine', '0x1')
    states.push(state)
  }

  /** Those of the last blocks that are not of the story, as they were sent. */
  async function transactionsOfOthers(blocks: number) {
    const found: Hex[] = []
    for (let number = states.length - blocks; number < states.length; number += 1) {
      const block = await node.ask<{ transactions: { hash: Hex; from: Hex }[] }>(
        ...(['eth_getBlockByNumber', `0x${number.toString(16)}`, true] as const),
      )
      for (const { hash, from: sender } of block.transactions) {
        if (sender !== from) found.push(await node.ask('debug_getRawTransaction', hash))
      }
    }
    return found
  }

  let lastTime = begin
  /** Mines the next block of the story. @returns what happened. */
  async function next(time = Math.max(now(), lastTime + 1)) {
    const block = story.nextBlock(states.at(-1) ?? beginning)
    lastTime = time
    await mine(time, block)
    return block.happened
  }

  const offers = [create(offered), offer({ ...offered, claims: 1n }, wallet, offerCall)]
  const timed = [createTimed(beginning.timed), ...settle(begin)]
  const first = [deploy(tokens), deployFeed(), deployManager(), report(beginning.round), ...offers, ...timed]
  for (const effects of first) await send(effects)

  return {
    url: node.url,
    /** Mines what has happened before now. */
    async fill(signal: AbortSignal) {
      for (let block = 1; block <= PAST.blocks; block += 1) {
        signal.throwIfAborted()
        await next(begin + block * PAST.seconds)
      }
    },
    /** @returns what happened in the next block, and how many blocks were withdrawn before it. */
    async advance() {
      const withdrawn = story.isReorganised() ? DEPTH : 0
      if (withdrawn > 0) {
        const ofOthers = await transactionsOfOthers(withdrawn)
        await node.ask('anvil_rollback', withdrawn)
        states.length -= withdrawn
        // What a wallet has sent waits for a block again, as it does on any chain.
        for (const transaction of ofOthers) await node.ask('eth_sendRawTransaction', transaction)
        // The new branch is longer than the old one at once.
        for (let block = 0; block < withdrawn; block += 1) await next()
      }
      const happened = await next()
      return { block: states.length - 1, withdrawn, happened }
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}
