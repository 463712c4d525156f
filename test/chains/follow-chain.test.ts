import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { defaultBackFillSettings } from '../../src/chains/back-fill.ts'
import { followChain } from '../../src/chains/follow-chain.ts'
import { createFollowed } from './followed.ts'
import { Playing } from './played-recording.ts'
import { recordedChain, recording } from './recording.ts'
import { startScriptedNode } from './scripted-node.ts'

test('a chain is followed while it grows, through the time its node is away, until it is to end', async () => {
  const chain = new Playing(10)
  await using node = await startScriptedNode(chain)
  const { store, client } = createFollowed([node.url], recording.startBlock, { settings: { giveUpMs: 100 } })
  const settings = { ...defaultBackFillSettings, startBlock: recording.startBlock, patienceMs: 0 }
  const ending = new AbortController()
  const seen: string[] = []
  const following = (async () => {
    const steps = followChain({ chain: recordedChain, client, store, settings }, async () => store.state, ending.signal)
    for await (const step of steps) {
      seen.push(step.type)
      if (step.type !== 'trouble') store.apply(step)
    }
  })()
  const reached = async (hash: string) => {
    while (store.state.asOf?.hash !== hash) await sleep(10)
  }
  chain.mine(1)
  await reached(chain.head.hash)
  chain.mine(2)
  await reached(chain.head.hash)
  expect(store.facts().claims).toHaveLength(2)
  node.interfere = (_, response) => {
    response.destroy()
    return true
  }
  while (seen.at(-1) !== 'trouble') await sleep(10)
  node.interfere = () => false
  chain.mine(1)
  await reached(chain.head.hash)
  ending.abort()
  await following
  expect(store.facts().campaigns).toHaveLength(2)
})
