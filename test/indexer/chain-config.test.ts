import { expect, test } from 'vitest'
import { ChainFileError, parseChainFile } from '../../src/indexer/chain-config.ts'

const core = `0x${'C0'.repeat(20)}`
const list = `0x${'11'.repeat(20)}`

const yaml = `chains:
  - chainId: 8453
    rpc: ["\${RPC_8453}", "https://second.example/v1/\${KEY}"]   # tried in order
    cores: ["${core}"]
    startBlock: 22000000
    openAllowLists: [${list}]
`
const environment = { RPC_8453: 'https://first.example/secret-one', KEY: 'secret-two' }

const chain = {
  chainId: 8453,
  urls: ['https://first.example/secret-one', 'https://second.example/v1/secret-two'],
  sockets: [],
  cores: new Set([core.toLowerCase()]),
  timeBasedManagers: new Set(),
  openAllowLists: new Set([list]),
  startBlock: 22_000_000,
  prices: [],
  trustedTokens: new Set(),
}

/** The message of the error that a file is refused with. */
function faultsOf(text: string, variables: Record<string, string> = environment): string {
  try {
    parseChainFile('chains.yaml', text, variables)
  } catch (error) {
    if (error instanceof ChainFileError) return error.message
    throw error
  }
  throw new Error('the file was accepted')
}

test('chains are read from YAML, with variables of the environment and addresses with or without quotes', () => {
  expect(parseChainFile('chains.yaml', yaml, environment)).toEqual([chain])
})

test('chains are read from JSON, and lists of open lists may be left out', () => {
  const json = JSON.stringify({
    chains: [{ chainId: 10, rpc: ['http://127.0.0.1:8545'], cores: [core], startBlock: 0 }],
  })
  expect(parseChainFile('chains.json', json, {})).toEqual([
    {
      chainId: 10,
      urls: ['http://127.0.0.1:8545'],
      sockets: [],
      cores: new Set([core.toLowerCase()]),
      timeBasedManagers: new Set(),
      openAllowLists: new Set(),
      startBlock: 0,
      prices: [],
      trustedTokens: new Set(),
    },
  ])
})

test('a chain has cores, managers of time-based incentives, or both', () => {
  const manager = `0x${'AA'.repeat(20)}`
  const timeBasedManagers = new Set([manager.toLowerCase()])
  const both = `${yaml}    timeBasedManagers: ["${manager}"]`
  expect(parseChainFile('chains.yaml', both, environment)).toEqual([{ ...chain, timeBasedManagers }])
  const alone = both.replace(/ +cores: .*\n/, '')
  expect(parseChainFile('chains.yaml', alone, environment)).toEqual([{ ...chain, cores: new Set(), timeBasedManagers }])
  const neither = yaml.replace(/ +cores: .*\n/, '')
  expect(faultsOf(neither)).toBe('chains.yaml:2: /chains/0: must have cores or timeBasedManagers')
})

test('sockets stand after what is asked, and may have a port that HTTP may not', () => {
  const text = yaml.replace(']   #', `, "wss://user:p%40ss@third.example/\${KEY}", "ws://fourth.example:6000"]   #`)
  expect(parseChainFile('chains.yaml', text, environment)).toEqual([
    { ...chain, sockets: ['wss://user:p%40ss@third.example/secret-two', 'ws://fourth.example:6000'] },
  ])
})

const [token, feed] = [`0x${'Aa'.repeat(20)}`, `0x${'Fe'.repeat(20)}`]
const [lowerToken, lowerFeed] = [token.toLowerCase(), feed.toLowerCase()]
const pricesOf = (...prices: string[]) => `${yaml}    prices: [${prices.join(', ')}]\n`
const otherChain = yaml.slice('chains:\n'.length).replace('8453', '10')

test('prices are of tokens of the chain or of another one, by a feed or fixed; trusted tokens are addresses', () => {
  const text = `${yaml}    prices:
      - { token: ${token}, feed: ${feed} }
      - { token: 10:${token}, feed: "${feed}" }
      - { token: "480:${token}", usd: "0.00000001" }
    trustedTokens: [${token}]
`
  expect(parseChainFile('chains.yaml', text, environment)).toEqual([
    {
      ...chain,
      prices: [
        { token: { chainId: 8453, address: lowerToken }, feed: lowerFeed },
        { token: { chainId: 10, address: lowerToken }, feed: lowerFeed },
        { token: { chainId: 480, address: lowerToken }, fixedPriceUsd: '0.00000001' },
      ],
      trustedTokens: new Set([lowerToken]),
    },
  ])
})

test.each([
  [pricesOf(`{ token: "x", usd: "1" }`), '7: /chains/0/prices/0/token: must be a token: an address of this chain'],
  [pricesOf(`{ token: "01:${token}", usd: "1" }`), '7: /chains/0/prices/0/token: must be a token'],
  [pricesOf(`{ token: ${token} }`), '7: /chains/0/prices/0: needs "feed" or "usd"'],
  [pricesOf(`{ token: ${token}, feed: ${feed}, usd: "1" }`), '7: /chains/0/prices/0: has both "feed" and "usd"'],
  [pricesOf(`{ token: ${token}, feed: "0x12" }`), '7: /chains/0/prices/0/feed: must be an address'],
  [pricesOf(`{ token: ${token}, usd: 1 }`), '7: /chains/0/prices/0/usd: must be a decimal string such as "12.5"'],
  [
    pricesOf(`{ token: ${token}, usd: "0.${'3'.repeat(61)}" }`),
    '7: /chains/0/prices/0/usd: must be a decimal string such as "12.5", without sign or exponent, at most 60 digits on each side of the point',
  ],
  [pricesOf(`{ token: ${token}, usd: "1e3" }`), '7: /chains/0/prices/0/usd: must be a decimal string such as "12.5"'],
  [pricesOf(`{ token: ${token}, usd: "-1" }`), '7: /chains/0/prices/0/usd: must be a decimal string such as "12.5"'],
  [pricesOf(`{ token: ${token}, usd: "0.00" }`), '7: /chains/0/prices/0/usd: must be more than 0'],
  [pricesOf(`{ tokens: ${token}, usd: "1" }`), '7: /chains/0/prices/0: has the unknown key "tokens"'],
  [
    pricesOf(`{ token: ${token}, usd: "1" }`, `{ token: "8453:${lowerToken}", usd: "2" }`),
    `7: /chains/0/prices/1/token: the price of 8453:${lowerToken} is given twice`,
  ],
  [
    `${pricesOf(`{ token: "10:${token}", usd: "1" }`)}${otherChain}    prices: [{ token: ${token}, feed: ${feed} }]`,
    `13: /chains/1/prices/0/token: the price of 10:${lowerToken} is given twice`,
  ],
  [`${yaml}    trustedTokens: ["10:${token}"]`, '7: /chains/0/trustedTokens/0: must be an address'],
])('%j is refused with the line, the path and what is wrong with a price', (text, message) => {
  expect(faultsOf(text)).toMatch(new RegExp(`^chains\\.yaml:${message.replace(/[[\]{}()*+?.\\^$|]/g, '\\$&')}`, 'm'))
})

test.each([
  ['chains: [', /^chains\.yaml:1: \/: is not valid YAML \(.+\)$/m],
  ['', /^chains\.yaml:1: \/: must be an object$/m],
  ['chains: *nope', /^chains\.yaml:1: \/: has an alias \(\*name\) without its anchor/m],
  ['{chains: [], https://secret.example/KEY: 2}', /^chains\.yaml:1: \/: has an unknown key$/m],
  [`chains: ["\${https://secret.example/KEY}"]`, /^chains\.yaml:1: \/: the environment has no variable of this name/m],
  [
    `chains: ["\${constructor}"]`,
    /^chains\.yaml:1: \/: the environment has no variable "constructor", or an empty one/m,
  ],
  ['chains: []', /^chains\.yaml:1: \/chains: must have at least 1 entries$/m],
  [
    yaml.replace('8453', 'base'),
    /^chains\.yaml:2: \/chains\/0\/chainId: must be a chain ID \(an integer from 0 to 9007199254740991\)$/m,
  ],
  [yaml.replace('startBlock', 'start'), /^chains\.yaml:2: \/chains\/0: lacks the key "startBlock"$/m],
  [yaml.replace('startBlock', 'start'), /^chains\.yaml:2: \/chains\/0: has the unknown key "start"$/m],
  [
    yaml.replace('22000000', '-1'),
    /^chains\.yaml:5: \/chains\/0\/startBlock: must be an integer from 0 to 9007199254740991$/m,
  ],
  [
    yaml.replace(core, '0x12'),
    /^chains\.yaml:4: \/chains\/0\/cores\/0: must be an address \(0x and 40 hexadecimal digits\)$/m,
  ],
  [
    yaml.replace('https://second', 'ftp://second'),
    /^chains\.yaml:3: \/chains\/0\/rpc\/1: must be an http, https, ws or wss URL$/m,
  ],
  [
    yaml.replace('https://second.example', 'https://second example'),
    /^chains\.yaml:3: \/chains\/0\/rpc\/1: must be an http, https, ws or wss URL$/m,
  ],
  [
    yaml.replace('https://second.example', 'https://second.example:6667'),
    /^chains\.yaml:3: \/chains\/0\/rpc\/1: must have another port: nothing is sent to port 6667, which the Fetch standard blocks$/m,
  ],
  [
    yaml.replace(']   #', ', "wss://third.example:0/key"]   #'),
    /^chains\.yaml:3: \/chains\/0\/rpc\/2: must have another port than 0$/m,
  ],
  [
    yaml.replace('https://second', 'https://us%zzer:password@second'),
    /^chains\.yaml:3: \/chains\/0\/rpc\/1: must have its user and password percent-encoded$/m,
  ],
  [
    yaml.replace('https://second', 'wss://user:100%@second'),
    /^chains\.yaml:3: \/chains\/0\/rpc\/1: must have its user and password percent-encoded$/m,
  ],
  [
    yaml.replace(`"\${RPC_8453}", "https://`, '"wss://'),
    /^chains\.yaml:3: \/chains\/0\/rpc: must have an http or https URL$/m,
  ],
  [
    yaml.replace(`\${RPC_8453}`, 'wss://first.example'),
    /^chains\.yaml:3: \/chains\/0\/rpc\/0: is a socket, and must stand after the http and https URLs$/m,
  ],
  [yaml + yaml.slice('chains:\n'.length), /^chains\.yaml:7: \/chains\/1\/chainId: chain 8453 is given twice$/m],
])('%j is refused with the line, the path and what is allowed', (text, message) => {
  expect(faultsOf(text)).toMatch(message)
})

test('a variable that the environment does not have is named', () => {
  expect(faultsOf(yaml, { KEY: 'secret-two' })).toBe(
    'chains.yaml:3: /: the environment has no variable "RPC_8453", or an empty one',
  )
})

test('no fault repeats a URL or what comes from the environment', () => {
  const variables = { RPC_8453: 'ftp://first.example/secret-one', KEY: 'secret two' }
  const text = faultsOf(yaml.replace('22000000', `"\${KEY}"`).replace('8453\n', `"\${KEY}"\n`), variables)
  expect(text.split('\n')).toHaveLength(3)
  expect(text).not.toMatch(/secret|example/)
  const badlyEncoded = { RPC_8453: 'https://secret%zz@first.example/', KEY: 'secret' }
  expect(faultsOf(yaml.replace('https://', 'wss://secret%:@'), badlyEncoded)).not.toMatch(/secret|example/)
  expect(faultsOf('chains: [https://key.example: secret: }')).not.toMatch(/secret|example/)
})
