import { ARBITRUM, BASE, ETHEREUM, OPTIMISM, SEPOLIA, WORLD_CHAIN, ZORA } from './token-facts.ts'

/*
 * Real contracts and chains of the reward protocol, and the action templates of the sample.
 */

export const CORE_ADDRESSES = [
  '0xea11a7937809b8585e63b12cc86bf91a72a5b08a',
  '0x378632819f39c74c4f56b1429e760739c5fb51b7',
  '0x4faf2485c49f3c3984e68eb9fc80adaa32bd3dd2',
] as const
export const ACTION_CONTRACT = '0x842622DB27D483cCC49aC9F58920eadb90Af5E73'
export const VALIDATOR = '0xFF1DaA985E5FD471CFc6218EF702AE4DcBeB3d35'
export const POINTS_VENUE = '0x6916153295803dbf4EB4F5024067714E7cdc0B83'
/** `mint(address,uint256)` */
export const POINTS_SELECTOR = '0x40c10f19'
export const ALLOW_LIST_INCENTIVE_TARGET = '0xB5a8A95878a72557e53d920e239a97cf70eE4Da8'
export const ALLOW_LIST_CONTRACTS = {
  OpenAllowList: '0xeeCFd74F70Ee663E42955b8E13D699F075736D07',
  SimpleAllowList: '0x274cB0E382d2408C0517B3e83B5263954512d69D',
  SimpleDenyList: '0x26D4E00813e1A4F93C3DC91B6161CCbF24E57e07',
  OffchainAccessList: '0x85342f982FF01d9bDcc1C5F659640733C17B33Fa',
} as const

interface ChainFact {
  readonly name: string
  /** How many of 100 campaigns are created here. */
  readonly share: number
  /** A block, when it was made (Unix seconds) and the seconds between blocks: enough to estimate block numbers. */
  readonly block: number
  readonly blockAt: number
  readonly secondsPerBlock: number
}

export const chainFacts = new Map<number, ChainFact>([
  [BASE, { name: 'Base', share: 44, block: 0, blockAt: 1686789347, secondsPerBlock: 2 }],
  [OPTIMISM, { name: 'OP Mainnet', share: 16, block: 105235063, blockAt: 1686068903, secondsPerBlock: 2 }],
  [ARBITRUM, { name: 'Arbitrum One', share: 12, block: 259734460, blockAt: 1727900000, secondsPerBlock: 0.25 }],
  [ZORA, { name: 'Zora', share: 10, block: 0, blockAt: 1686693839, secondsPerBlock: 2 }],
  [WORLD_CHAIN, { name: 'World Chain', share: 7, block: 0, blockAt: 1719335639, secondsPerBlock: 2 }],
  [ETHEREUM, { name: 'Ethereum', share: 5, block: 15537394, blockAt: 1663224179, secondsPerBlock: 12.1 }],
  [SEPOLIA, { name: 'Sepolia', share: 6, block: 1450409, blockAt: 1655733600, secondsPerBlock: 12.6 }],
])

export interface TemplateFact {
  readonly id: string
  readonly projectId: string
  readonly actionType: string
  readonly description: string | null
  readonly category: 'defi' | 'nft' | 'social' | 'bridge' | 'governance' | 'payments' | 'other' | null
}

const template = (
  number: string,
  projectId: string,
  actionType: string,
  category: TemplateFact['category'],
  description: string | null,
): TemplateFact => ({
  id: `5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c${number}`,
  projectId,
  actionType,
  category,
  description,
})

export const templateFacts = {
  mint: template('01', 'zora', 'mint', 'nft', 'Mint the collection'),
  vote: template('02', 'agora', 'vote', 'governance', 'Vote on the proposal'),
  swap: template('03', 'paraswap', 'swap', 'defi', null),
  poolSwap: template('04', 'uniswap', 'swap', 'defi', 'Swap in the pool'),
  deposit: template('05', 'aave', 'deposit', 'defi', 'Supply to the lending market'),
  bridge: template('06', 'across', 'bridge', 'bridge', 'Bridge to another chain'),
  canonicalBridge: template('07', 'superchain', 'bridge', 'bridge', 'Bridge ether from Ethereum'),
  delegate: template('08', 'agora', 'delegate', 'governance', 'Delegate your votes'),
  join: template('09', 'farcaster', 'register', 'social', 'Register an account'),
  attest: template('0a', 'eas', 'attest', 'social', 'Make an attestation'),
  pay: template('0b', 'circle', 'transfer', 'payments', 'Pay somebody in USDC'),
  name: template('0c', 'ens', 'register', 'other', 'Register a name'),
  collect: template('0d', 'rabbithole', 'collect', null, null),
} as const

/** Chains on which the sample places NFT collections of its own. */
export const COLLECTION_CHAINS = [BASE, ZORA, OPTIMISM, ARBITRUM] as const

export const projectImageUri = (projectId: string): string => `https://images.example/projects/${projectId}.png`
