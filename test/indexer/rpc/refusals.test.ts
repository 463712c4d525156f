import { describe, expect, test } from 'vitest'
import { toEndpointError } from '../../../src/indexer/rpc/endpoint-errors.ts'

type Row = readonly [from: string, code: number, message: string]

/** What nodes and providers answer, as reported in public, by what it means. */
const refusals: Record<string, { meaning: object; says: string; rows: readonly Row[] }> = {
  'a search that is too large': {
    meaning: { fault: 'refused', rejection: 'other' },
    says: 'refuses a request that is too large',
    rows: [
      [
        'Alchemy',
        -32_600,
        'You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x123c9b2, 0x123cba5]',
      ],
      [
        'Alchemy, free',
        -32_600,
        'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Upgrade to PAYG for expanded block range.',
      ],
      [
        'Alchemy',
        -32_602,
        'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response.',
      ],
      ['Infura', -32_005, 'query returned more than 10000 results. Try with this block range [0xBDE5F8, 0x102DBCC].'],
      ['Infura', -32_602, 'range 1000000 exceeds limit of 10000'],
      ['Infura', -32_005, 'query timeout exceeded'],
      ['QuickNode', -32_614, 'eth_getLogs is limited to a 10,000 range'],
      ['QuickNode', -32_602, 'eth_getLogs and eth_newFilter are limited to a 10,000 blocks range'],
      ['drpc', 35, 'ranges over 10000 blocks are not supported on free plan'],
      ['drpc', 30, 'Request timeout on the free tier, please upgrade your tier to the paid one'],
      ['Ankr', -32_600, 'block range is too wide'],
      ['Ankr', -32_000, 'query exceeds max results 20000, retry with the range 24383075-24383096'],
      ['publicnode', -32_602, 'exceed maximum block range: 50000'],
      ['Cloudflare', -32_000, 'Max range: 800'],
      ['thirdweb', -32_000, 'Maximum allowed number of requested blocks is 1000'],
      ['1RPC', -32_000, 'eth_getLogs is limited to 0 - 50 blocks range'],
      ['1RPC', -32_000, 'response size should not greater than 10000000 bytes'],
      ['Blast', -32_000, 'exceeds the range allowed for your plan (10000 > 3000)'],
      ['Chainstack', -32_000, 'Block range limit exceeded. See more details at https://docs.chainstack.com/'],
      ['Coinbase', -32_000, 'please limit the query to at most 1000 blocks'],
      ['merkle', -32_603, 'eth_getLogs range is too large, max is 1k blocks'],
      ['BlockRazor', -32_000, 'log query range must not exceed 25 blocks'],
      ['Optimism', -32_020, 'backend response too large'],
      ['Base', -32_000, 'block range too large'],
      ['geth', -32_602, 'exceed maximum block range: 5000'],
      ['Erigon', -32_602, 'block range limit exceeded (requested: 5000, limit: 1000)'],
      ['Reth', -32_602, 'query exceeds max block range 100000'],
      ['Reth', -32_602, 'query exceeds max results 20000'],
      ['Besu', -32_005, 'Requested range exceeds maximum range limit'],
      ['Arbitrum', -32_000, 'logs matched by query exceeds limit of 10000'],
      ['zkSync', -32_602, 'Query returned more than 10000 results. Try with this block range [0x1, 0x2].'],
      ['zkEVM', -32_000, 'query returned more than 20000 results'],
      ['Avalanche', -32_000, 'requested too many blocks from 1 to 5000, maximum is set to 2048'],
      ['Moonriver', -32_000, 'block range is too wide (maximum 1024)'],
      ['Harmony', -32_000, 'query must be smaller than size 1024'],
      ['Somnia', -32_000, 'block range exceeds 1000'],
      ['Swell', -32_000, 'block range greater than 10000 max'],
      ['Morph', -32_000, 'block range is larger than max block range, block range = 5120, max block range = 5000'],
      ['geth', -32_000, 'context deadline exceeded'],
    ],
  },
  'a batch that is too large': {
    meaning: { fault: 'refused', rejection: 'other' },
    says: 'refuses a request that is too large',
    rows: [
      ['geth', -32_600, 'batch too large'],
      ['Base', -32_600, 'batch too large'],
      [
        'drpc, free',
        31,
        'Batch of more than 3 requests are not allowed on free tier, to use this feature register paid account at drpc.org',
      ],
      ['jsonrpsee', -32_010, 'The batch request was too large'],
      ['nginx', -32_000, 'request entity too large'],
    ],
  },
  'a search with too many values': {
    meaning: { fault: 'refused', rejection: 'too-many-values' },
    says: 'refuses so many addresses or topics in a search',
    rows: [
      ['publicnode', -32_701, 'Please, specify less number of addresses'],
      ['publicnode', -32_701, 'please specify less number of address in the getLogs query'],
      ['geth', -32_602, 'exceed max addresses'],
      ['geth', -32_000, 'exceed max addresses or topics per search position'],
      ['geth', -32_602, 'invalid argument 0: exceed max topics'],
      ['Erigon', -32_602, 'query exceeds the maximum of 1000 addresses or topics per search position'],
      ['Kaia', -32_602, 'exceed max addresses: 20'],
      ['Mezo', -32_000, 'maximum number of addresses is 30'],
      ['another', -32_000, 'too many addresses'],
      ['another', -32_000, 'addresses must be at most 10'],
      ['another', -32_000, 'multiple addresses are not supported'],
    ],
  },
  'a search without addresses': {
    meaning: { fault: 'refused', rejection: 'needs-addresses' },
    says: 'requires addresses in searches of logs',
    rows: [
      [
        'publicnode',
        -32_701,
        'Please specify an address in your request or, to remove restrictions, order a dedicated full node here: https://www.allnodes.com/eth/host',
      ],
      ['another', -32_602, 'address is required'],
    ],
  },
  'history that is gone': {
    meaning: { fault: 'unknown-block', rejection: undefined },
    says: 'does not keep history this old: use an archive endpoint, or a later startBlock',
    rows: [
      ['geth, Reth', 4444, 'pruned history unavailable'],
      ['Reth', 4444, 'pruned history unavailable: requested 5, earliest available 15537394'],
      ['Nethermind', -32_000, 'Receipt not available for From block 14319330.'],
      ['Nethermind', -32_002, 'No state available for block 0x1'],
      [
        'Erigon',
        -32_000,
        'state transitaion failed: seek with txNum=1962853355 but data before txNum=2662500000 is not available: blockNum=16999999',
      ],
      ['Erigon', -32_000, 'old data not available due to pruning'],
      ['Reth', -32_603, 'State at block #11052984 is pruned'],
      ['Reth', -32_000, 'receipts of block 5 are unavailable'],
      ['geth', -32_000, 'missing trie node 5f1e (path ) state 0x12 is not available'],
      ['geth', -32_000, 'required historical state unavailable (reexec=128)'],
      ['Besu', -32_000, 'World state unavailable'],
      [
        'OpenEthereum',
        -32_000,
        'This request is not supported because your node is running with state pruning. Run with --pruning=archive.',
      ],
      [
        'publicnode',
        -32_701,
        'History has been pruned for this block. To remove restrictions, order a dedicated full node',
      ],
      [
        'publicnode',
        -32_602,
        'Archive requests require a personal token. Get one at: https://www.allnodes.com/publicnode',
      ],
      ['Chainstack', -32_000, 'Archive, Debug and Trace requests are not available on your current plan'],
    ],
  },
  'a block that it does not have yet': {
    meaning: { fault: 'unknown-block', rejection: undefined },
    says: 'does not have a block yet',
    rows: [
      ['geth', -32_000, 'header not found'],
      ['geth', -32_000, 'unknown block'],
      ['Reth', -32_602, 'block range extends beyond current head block'],
      ['Reth', -32_001, 'block not found: hash 0x12'],
      ['Besu', -39_001, 'Unknown block'],
      ['Arbitrum', -32_000, 'requested block is after latest block'],
    ],
  },
  'too many requests': {
    meaning: { fault: 'rate-limited', rejection: undefined },
    says: 'limits the rate of requests',
    rows: [
      [
        'Alchemy',
        429,
        'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.',
      ],
      [
        'Alchemy',
        429,
        'Monthly capacity limit exceeded. Visit https://dashboard.alchemy.com/settings/billing to upgrade your scaling policy for continued service.',
      ],
      ['Infura', -32_005, 'daily request count exceeded, request rate limited'],
      ['Infura', -32_005, 'project ID request rate exceeded'],
      [
        'QuickNode',
        -32_007,
        '50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com',
      ],
      ['QuickNode', -32_003, 'daily request limit reached - upgrade your account to continue'],
      ['QuickNode', -32_007, 'account limited to 15/sec'],
      ['drpc', 19, 'Temporary internal error. Please retry, trace-id: 0123456789abcdef'],
      ['Ankr', -32_005, 'Too many requests, reason: call rate limit exhausted, retry in 10s'],
      ['Chainstack', -32_005, "You've exceeded the RPS limit available on the current plan."],
      ['Base', -32_011, 'no backend is currently healthy to serve traffic'],
      ['another', -32_000, 'Too many requests from this IP address'],
      ['another', -32_000, 'rate limit exceeded for your IP address'],
    ],
  },
  'what no other request would change': {
    meaning: { fault: 'refused', rejection: undefined },
    says: 'refuses access: look at its key, and at what its plan includes',
    rows: [
      ['Alchemy', -32_600, 'Must be authenticated!'],
      ['Alchemy', -32_600, 'BASE_MAINNET is not enabled for this app. Visit this page to enable the network'],
      ['Infura', -32_600, 'invalid project id'],
      ['drpc', 35, 'chain is not available on free plan, please upgrade to paid plan'],
      ['Ankr', -32_000, 'Unauthorized: You must authenticate your request with an API key'],
      ['another', -32_000, 'access denied'],
    ],
  },
  'a method that it does not serve': {
    meaning: { fault: 'refused', rejection: undefined },
    says: 'does not serve this method',
    rows: [
      ['geth', -32_601, 'the method eth_getLogs does not exist/is not available'],
      ['Ankr', -32_601, 'Method disabled'],
      ['Cloudflare', -32_000, 'method eth_getLogs is not whitelisted'],
    ],
  },
  'a call that reverts': {
    meaning: { fault: 'refused', rejection: 'reverted' },
    says: 'has reverted a call',
    rows: [
      ['geth', 3, 'execution reverted'],
      ['Nethermind', -32_015, 'VM execution error.'],
      ['Erigon', -32_000, 'out of gas'],
    ],
  },
  'what is not understood: a smaller request may pass': {
    meaning: { fault: 'refused', rejection: 'other' },
    says: 'refuses a request (',
    rows: [
      ['BNB chain, where searches of logs are disabled', -32_005, 'limit exceeded'],
      ['another', -32_000, 'internal error'],
      ['publicnode', -32_000, 'This range of parameters is not supported'],
      ['another', -32_000, ''],
    ],
  },
}

describe.each(Object.entries(refusals))('a node refuses %s', (_, { meaning, says, rows }) => {
  test.each(rows)('%s: %i %s', (_from, code, message) => {
    const error = toEndpointError({ code, message, shown: 'shown words' })
    const { fault, rejection } = error
    expect({ fault, rejection }).toEqual({ rejection: undefined, ...meaning })
    expect(error.message).toContain(says)
    expect(error.message).toMatch(new RegExp(`\\(JSON-RPC error ${code}: shown words\\)$`))
    expect(error.message).not.toContain(message === '' ? 'undefined' : message)
  })
})
