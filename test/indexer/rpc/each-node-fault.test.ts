import { describe, expect, test } from 'vitest'
import { createFollowed } from '../followed.ts'
import { playedRecording } from '../recording/played-recording.ts'
import { recordedCampaigns, recordedClaims } from '../recording/recorded-facts.ts'
import { recording } from '../recording/recording.ts'
import { everyOther, type Interference, lastingFaults, passingFaults } from '../simulation/node-faults.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

const recordedFacts = { campaigns: recordedCampaigns, claims: recordedClaims }
const END = recording.blocks.at(-1)?.number ?? 0

/** How a node that is asked answers, by what is the matter with it. */
const faults: [name: string, createInterference: () => Interference][] = [
  ...Object.entries(passingFaults).map(([name, fault]): [string, () => Interference] => [
    `${name} now and then`,
    // A request that hangs takes as long as it is waited for.
    () => everyOther(fault, name === 'hangs' ? 4 : 2),
  ]),
  ...Object.entries(lastingFaults).map(([name, fault]): [string, () => Interference] => [name, () => fault]),
  [
    'refuses batches, and limits the rate',
    () => {
      const limit = everyOther(passingFaults['limits the rate'])
      return (...asked) => lastingFaults['refuses batches'](...asked) || limit(...asked)
    },
  ],
]

// Of requests side by side, a node that fails every second one may fail the same one for longer than is waited for.
describe('everything is found, and nothing else, of a node that', () => {
  test.each(faults)('%s', async (_, createInterference) => {
    await using node = await startScriptedNode(playedRecording(END - 20))
    node.interfere = createInterference()
    const { store, settle } = createFollowed([node.url], recording.startBlock, {
      settings: { timeoutMs: 150, stallTimeoutMs: 20_000 },
      rangeBlocks: 400,
    })
    await settle()
    expect(store.facts()).toEqual(recordedFacts)
  })
})
