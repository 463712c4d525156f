import { expect, test } from 'vitest'
import { linkedBlocks } from '../../../src/indexer/sync/linked-blocks.ts'
import { createFollowed } from '../followed.ts'
import { Playing } from '../recording/played-recording.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

test('blocks that are not each the parent of the next are refused: two nodes answered, or the chain changed', async () => {
  const chain = new Playing(100)
  for (let index = 0; index < 5; index += 1) chain.mine(0)
  await using node = await startScriptedNode(chain)
  const { client } = createFollowed([node.url], chain.head.number)
  const [from, to] = [chain.head.number - 4, chain.head.number]
  const blocks = await linkedBlocks(client, from, to)
  expect(blocks.map(({ hash }) => hash)).toEqual(chain.blocks.slice(-5).map(({ hash }) => hash))
  chain.blocks.splice(-2, 1, { ...chain.head, number: to - 1, hash: `0x${'f'.repeat(64)}` })
  await expect(linkedBlocks(client, from, to)).rejects.toThrow('the chain changed while it was read')
})
