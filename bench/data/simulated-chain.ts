import { startScriptedNode } from '../../test/indexer/simulation/scripted-node.ts'
import { SimulatedChain } from '../../test/indexer/simulation/simulated-chain.ts'
import { idOf, simulatedChain } from '../../test/indexer/simulation/simulated-protocol.ts'

const CAMPAIGNS = 200
const CLAIMS_A_BLOCK = 20

/** A node with a chain of its own, on which campaigns are claimed from, 20 claims a block. */
export async function simulateChain() {
  const chain = new SimulatedChain(64)
  let claims = 0

  /** Adds a block of now. @returns what it has brought. */
  function mineClaims() {
    const operations = Array.from({ length: CLAIMS_A_BLOCK }, () => {
      claims += 1
      return { type: 'claim' as const, campaign: claims * 7, incentive: 0, claimant: claims % 5000, amount: 1 }
    })
    chain.mine(operations.map((operation) => [operation]))
    chain.head.timestamp = Math.floor(Date.now() / 1000)
    return { block: chain.head.number, campaignId: idOf((claims * 7) % CAMPAIGNS) }
  }

  for (let created = 0; created < CAMPAIGNS; created += 1) {
    chain.mine([
      [
        {
          ...{ type: 'create', salt: 0, setUp: true, named: true, action: 'event', list: 'deny', isReadable: true },
          incentives: ['variable'],
        },
      ],
    ])
  }
  const node = await startScriptedNode(chain)
  return {
    chain,
    mineClaims,
    /** As operators write it. */
    file: JSON.stringify({
      chains: [
        {
          chainId: simulatedChain.chainId,
          rpc: [node.url],
          cores: [...simulatedChain.cores],
          startBlock: chain.startBlock,
        },
      ],
    }),
    countEvents: () => chain.blocks.reduce((sum, { logs }) => sum + logs.length, 0),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}
