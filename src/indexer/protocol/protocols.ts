import type { Hex } from 'viem'
import { boostCore } from './boost-core/boost-core.ts'
import type { ChainLog } from './chain-logs.ts'
import type { ContractCall, ContractReader } from './contracts/contract-reader.ts'
import type {
  CampaignOrigin,
  ChainIdentity,
  CounterName,
  NamedParts,
  Protocol,
  RangeFacts,
  RangeReading,
  ReadSettings,
} from './protocol.ts'
import { timeBased } from './time-based/time-based.ts'

/** The protocols that are followed: all that the rest of the indexer knows of them goes through this list. */
const protocols: readonly Protocol[] = [boostCore, timeBased]

/** The first topics of everything that is read. */
export const protocolTopics: readonly Hex[] = protocols.flatMap(({ topics }) => topics)

/** The keys of origins without missing facts, by protocol. */
export const fixedKeys = protocols.map(({ name, fixedKeys: keys }) => ({ name, keys }))

/** The protocol of a campaign. */
function protocolOf({ id, protocol }: CampaignOrigin): Protocol {
  const found = protocols.find(({ name }) => name === protocol)
  if (found === undefined) throw new TypeError(`the campaign ${id} is of no known protocol`)
  return found
}

/** The contracts of a chain that make campaigns. */
export const factoriesOf = (chain: ChainIdentity): ReadonlySet<Hex> =>
  new Set(protocols.flatMap((protocol) => [...protocol.factoriesOf(chain)]))

/** A chain with some of the contracts that make campaigns. */
export const withFactories = <Chain extends ChainIdentity>(
  chain: Chain,
  isIncluded: (factory: Hex) => boolean,
): Chain => ({
  ...chain,
  cores: new Set([...chain.cores].filter(isIncluded)),
  timeBasedManagers: new Set([...chain.timeBasedManagers].filter(isIncluded)),
})

/** The factories of a chain with the first topics of their events, a search a protocol. */
export const factorySearches = (chain: ChainIdentity) =>
  protocols.flatMap((protocol) => {
    const addresses = [...protocol.factoriesOf(chain)]
    return addresses.length === 0 ? [] : [{ addresses, topics: protocol.factoryTopics }]
  })

/** A call of each factory of a chain that is answered with something. */
export const factoryCalls = (chain: ChainIdentity, number: number): ContractCall[] =>
  protocols.flatMap((protocol) =>
    [...protocol.factoriesOf(chain)].map((to) => ({ to, data: protocol.factoryCall(number) })),
  )

/** The factories of a chain, with the function by which each counts its campaigns, and the number of its first one. */
export const factoryCounters = (chain: ChainIdentity) =>
  protocols.flatMap((protocol) =>
    [...protocol.factoriesOf(chain)].map((contract) => ({
      ...{ contract, counter: protocol.counters.campaigns, firstNumber: protocol.counters.firstNumber },
    })),
  )

/** What incentives count, by their types. */
export const incentiveCounters: readonly { counter: CounterName; types: readonly string[] }[] = [
  { counter: 'claims', types: protocols.flatMap(({ counters }) => counters.typesWithClaims) },
  { counter: 'totalClaimed', types: protocols.flatMap(({ counters }) => counters.typesWithAmounts) },
]

const datedTopics = new Set(protocols.flatMap((protocol) => protocol.datedTopics))

/** Whether the time of a log's block is needed. */
export const needsTime = ({ topics: [topic] }: ChainLog) => topic !== undefined && datedTopics.has(topic)

/** Notes the contracts that factories of a chain name as parts of a campaign. */
export function recordParts(logs: readonly ChainLog[], chain: ChainIdentity, named: NamedParts) {
  for (const protocol of protocols) protocol.recordParts(logs, protocol.factoriesOf(chain), named)
}

/** Reads what does not change in consecutive blocks, of all protocols. */
export async function readRange({ known, ...reading }: RangeReading): Promise<RangeFacts> {
  const facts = await Promise.all(
    protocols.map((protocol) => {
      const isOurs = (origin: CampaignOrigin) => origin.protocol === protocol.name
      return protocol.readRange({
        ...reading,
        known: { find: async (query) => (await known.find(query)).filter(isOurs) },
      })
    }),
  )
  return {
    origins: facts.flatMap(({ origins }) => origins),
    claims: facts.flatMap(({ claims }) => claims),
    affects: facts.flatMap(({ affects }) => affects),
    orphanClaims: facts.reduce((total, { orphanClaims }) => total + orphanClaims, 0),
    unreadable: facts.flatMap(({ unreadable }) => unreadable),
    undecoded: facts.flatMap(({ undecoded }) => undecoded),
  }
}

export const complete = (reader: ContractReader, origin: CampaignOrigin, readerAt: RangeReading['readerAt']) =>
  protocolOf(origin).complete(reader, origin, readerAt)

export const readCampaign = (reader: ContractReader, chain: ReadSettings, origin: CampaignOrigin) =>
  protocolOf(origin).readCampaign(reader, chain, origin)

export const originAt = (origin: CampaignOrigin, blockNumber: number) =>
  protocolOf(origin).originAt(origin, blockNumber)

export const contractsOf = (origin: CampaignOrigin) => protocolOf(origin).contractsOf(origin)

export const tokensOf = (origin: CampaignOrigin) => protocolOf(origin).tokensOf(origin)
