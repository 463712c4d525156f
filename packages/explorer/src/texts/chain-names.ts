/** Chains that are known by name, and where people look at their blocks. */
const KNOWN_CHAINS: Readonly<Record<number, readonly [name: string, blockExplorer: string, native?: string]>> = {
  1: ['Ethereum', 'https://etherscan.io'],
  10: ['OP Mainnet', 'https://optimistic.etherscan.io'],
  56: ['BNB Smart Chain', 'https://bscscan.com', 'BNB'],
  100: ['Gnosis', 'https://gnosisscan.io', 'xDAI'],
  130: ['Unichain', 'https://uniscan.xyz'],
  137: ['Polygon', 'https://polygonscan.com', 'POL'],
  146: ['Sonic', 'https://sonicscan.org', 'S'],
  252: ['Fraxtal', 'https://fraxscan.com', 'FRAX'],
  324: ['ZKsync Era', 'https://era.zksync.network'],
  480: ['World Chain', 'https://worldscan.org'],
  5000: ['Mantle', 'https://mantlescan.xyz', 'MNT'],
  8453: ['Base', 'https://basescan.org'],
  34443: ['Mode', 'https://modescan.io'],
  42161: ['Arbitrum One', 'https://arbiscan.io'],
  42220: ['Celo', 'https://celoscan.io', 'CELO'],
  43114: ['Avalanche', 'https://snowtrace.io', 'AVAX'],
  57073: ['Ink', 'https://explorer.inkonchain.com'],
  59144: ['Linea', 'https://lineascan.build'],
  80094: ['Berachain', 'https://berascan.com', 'BERA'],
  81457: ['Blast', 'https://blastscan.io'],
  84532: ['Base Sepolia', 'https://sepolia.basescan.org'],
  534352: ['Scroll', 'https://scrollscan.com'],
  7777777: ['Zora', 'https://explorer.zora.energy'],
  11155111: ['Sepolia', 'https://sepolia.etherscan.io'],
  11155420: ['OP Sepolia', 'https://sepolia-optimism.etherscan.io'],
}

/** `Base`, or `chain 123` where the name is not known. */
export const chainName = (chainId: number) => KNOWN_CHAINS[chainId]?.[0] ?? `chain ${chainId}`

/** What the token is called that a chain itself is paid in: ether where a known chain has no other. */
export const nativeSymbol = (chainId: number): string | undefined =>
  KNOWN_CHAINS[chainId] && (KNOWN_CHAINS[chainId][2] ?? 'ETH')

/** IDs of the chains that are known by name, ascending. */
export const knownChainIds = Object.keys(KNOWN_CHAINS).map(Number)

/** Where something on a chain can be looked at; absent where no block explorer is known. */
export function blockExplorerUrl(
  chainId: number,
  what: 'address' | 'tx' | 'block' | 'token',
  id: string,
): string | undefined {
  const base = KNOWN_CHAINS[chainId]?.[1]
  return base === undefined ? undefined : `${base}/${what}/${encodeURIComponent(id)}`
}
