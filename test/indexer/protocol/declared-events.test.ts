import type { AbiEvent } from 'viem'
import { expect, test } from 'vitest'
import * as actions from '../../../src/indexer/protocol/boost-core/actions.ts'
import * as core from '../../../src/indexer/protocol/boost-core/core-events.ts'
import * as auction from '../../../src/indexer/protocol/boost-core/incentives/auction-incentive.ts'
import * as erc20 from '../../../src/indexer/protocol/boost-core/incentives/erc20-incentive.ts'
import * as points from '../../../src/indexer/protocol/boost-core/incentives/points-incentive.ts'
import * as variable from '../../../src/indexer/protocol/boost-core/incentives/variable-incentives.ts'
import { topicsOf } from '../../../src/indexer/protocol/chain-logs.ts'
import { protocolTopics } from '../../../src/indexer/protocol/protocols.ts'
import * as timeBased from '../../../src/indexer/protocol/time-based/time-based-events.ts'

const declarations = { ...core, ...erc20, ...variable, ...auction, ...points, ...actions, ...timeBased }

/** The first topics that were seen on chains, or computed from the sources of a generation. */
const topicsByDeclaration = {
  coreEvents: [
    '0x116812d3ad4507d72f2c428b63246d594ca055a1dc119394285504c23d1f34cd',
    '0x500ae5072ea307af9f1d7b29f92e0379b973527e56e000e5445b7b9f5fbb09ae',
    '0x0f29bbf4ce25d2346bbeb8a898e24e5d6d7d1d19bb895e71faecac833b259547',
    '0x2ad351412a5089670d592612b17f248e8526b92879399b24b35421b4c8f31876',
    '0x344fdf618273ad01bc14c75053d2c1dd67bb9384ba92c2d44a3c58c55306a2ec',
  ],
  feeEvents: ['0x64374f1a975abb9bc8e8857d704b9ead41989ff599d90c1e8f7d34bc2ebea92a'],
  incentiveEvents: [
    '0x9ad2e7a4af16dceda9cce4274b2f59c328d8c012eb0e15eb5e1e73b7d8f264d3',
    '0xa64c2da41decbd538f8629e54c8fa0b7362c9102b691386a0fb6a1797454e9c6',
    '0xf0abe0f5c6f02112a9a4332e7b091bf49040ffddeedb73785a9b9a0a3ca7f153',
  ],
  erc20SetUpEvents: ['0xe83379cf1b79044fa1d0063e68012349f4f5fb730e6a875bdc9d463747ecd085'],
  variableSetUpEvents: [
    '0xac711f624f923566afa4d63e74d67927870a724791c9569f0143ddea22657a0d',
    '0xd20715546497e6d32bc9b61b35416a25a8cc41d2fb7f389a1bb26dc040213a3b',
  ],
  auctionSetUpEvents: ['0x2364e5ed5f8639e9bae046dc67aabf43f410e931f25143a10f5e1a8744ad717e'],
  pointsSetUpEvents: ['0xef49c8fd80435c15980f0f55660ffaac9417e5843768f7f21566cfad2d19bfe7'],
  criteriaSetUpEvents: [
    '0xcb128760e2036ec5ada1eb74cefc1106b2fa17cb84982a3bd46e75ded6e13552',
    '0x811a70ec91cce37bbc82ef5b908d6cd43597dcf23780e055a1925fad38a63b22',
  ],
  narrowCriteriaSetUpEvents: [
    '0x4dfcc2b9ad954a56fe7153ce6568e2d30033d056714ca4acaa4620b12e1a1a24',
    '0xdc505a50c6f2c816d981a377c8177e2604d8302821a502bc9f742e0748f33842',
  ],
  scaledCriteriaSetUpEvents: [
    '0x742256c25dbd8c1cb315d87101bae0f6fc7656686d10d32d27fc2765ce9ccb9c',
    '0x68c413c27d17fa0454f7f4da49ac4979f28e363c5fa9c158ae0dfdc9c3317e07',
  ],
  actionSetUpEvents: ['0x7c54f3f7ef1d1e3acbe06bce75dbb6f17c64cb446c13bf354da8d7735b99f2a6'],
  narrowClaimantSetUpEvents: ['0xdc8145a6c863ebd27b18aa903b7f82f1015527a05a81f227ef06ab79616082b4'],
  narrowActionSetUpEvents: ['0xf2cd382b92e0609edafee04c969decf0c2d04013cd112d0f0818268b11e84c69'],
  managerEvents: [
    '0xfb270bf61beeb2f6245d25e705aa540499f6e32b4d19f7081ecf930bc5dfa7b0',
    '0xd9cb1e2714d65a111c0f20f060176ad657496bd47a3de04ec7c3d4ca232112ac',
    '0x79e19121aa255cb066a0c009cb90dc7e4847878c99372edec7374527541c1814',
    '0x4bfb7649fc0a3d23cb10cd353998b86b71e0d98ac24d5f5e5a603839152e1ce4',
    '0x02ffa641367f5b897c0f8be81bce51f2ef055b4113d7a1e4fd082feea749bf52',
    '0xe17e4a569f25fd636106c290e0ffa4e188935d4fdac8e83d8bc4fbb1e1dc7db9',
    '0xf2ecedf81106a8a8f9624bda1f550a237a45ff174f0b8f5ad20bc416daac1d51',
  ],
  createdEvents: ['0x6ab5cc4de23c7e11ae0b117c2bda0b7e5c4c281706a98f16593e5d68fa511e14'],
  firstCreatedEvents: ['0xe9a0456918db39aae5cde216c4e1fd0ced596fd78cde1b1cf6014d196f34b946'],
  campaignEvents: [
    '0xeac6e2ea0a550106b4ccc8acee07faa33ef631bf5ff35d9c8766d93199077613',
    '0xc7356ea889e9f64ab61293108de74888a5bf257ef77869683877880752578305',
    '0x40df43107e8b4d467127964bd3c966687c0a6a39aaede970755397fd09535e98',
  ],
}

/** A top-up: which of its fields are indexed does not change its topic. */
const toppedUp = '0x13431fd76092caba091b05421bce5c7056ca318ef0b5181b62e34807faac00e2'

test('each declared event has the topic that contracts emit, and no other event is declared', () => {
  const computed = Object.fromEntries(
    Object.entries(declarations).flatMap(([name, value]) =>
      name.endsWith('Events') ? [[name, topicsOf(value as readonly AbiEvent[])]] : [],
    ),
  )
  expect(computed).toEqual(topicsByDeclaration)
})

test('all declared events are asked for', () => {
  expect(timeBased.topUpForms.flatMap((events) => topicsOf(events))).toEqual([toppedUp, toppedUp, toppedUp])
  expect([...protocolTopics].sort()).toEqual([...Object.values(topicsByDeclaration).flat(), toppedUp].sort())
})
