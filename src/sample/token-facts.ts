/*
 * Real tokens on the chains of the sample: addresses and decimals are those of the deployed contracts, prices and
 * market figures are plausible and fixed.
 */

export interface TokenFact {
  readonly chainId: number
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly isWhitelisted: boolean
  /** US dollars for one whole token, as a decimal string; undefined on a test network and where there is no market. */
  readonly priceUsd: string | undefined
}

export const BASE = 8453
export const OPTIMISM = 10
export const ARBITRUM = 42161
export const ETHEREUM = 1
export const ZORA = 7777777
export const WORLD_CHAIN = 480
export const SEPOLIA = 11155111

export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'
/** WETH is at the same address on every chain of the OP Stack. */
const OP_STACK_WETH = '0x4200000000000000000000000000000000000006'

const ETHER_USD = '3120.55'
const USDC_USD = '1.0001'

const token =
  (isWhitelisted: boolean) =>
  (chainId: number, symbol: string, name: string, decimals: number, address: string, priceUsd?: string): TokenFact => ({
    chainId,
    address,
    symbol,
    name,
    decimals,
    isWhitelisted,
    priceUsd,
  })
const whitelisted = token(true)
const known = token(false)

export const tokenFacts: readonly TokenFact[] = [
  whitelisted(BASE, 'USDC', 'USD Coin', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', USDC_USD),
  whitelisted(BASE, 'WETH', 'Wrapped Ether', 18, OP_STACK_WETH, ETHER_USD),
  whitelisted(BASE, 'DEGEN', 'Degen', 18, '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed', '0.004213'),
  whitelisted(BASE, 'NEWSWORTHY', 'Newsworthy', 18, '0x0BB65e58E178C82B9148072632DE329655fa0Ba3'),
  whitelisted(BASE, 'DAI', 'Dai Stablecoin', 18, '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb', '0.9998'),
  whitelisted(BASE, 'AERO', 'Aerodrome', 18, '0x940181a94A35A4569E4529A3CDfB74e38FD98631', '0.8342'),
  whitelisted(BASE, 'cbBTC', 'Coinbase Wrapped BTC', 8, '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', '97412.6'),
  known(BASE, 'W', 'Wormhole Token', 18, '0xB0fFa8000886e57F86dd5264b9582b2Ad87b2b91', '0.21'),
  known(BASE, 'BRETT', 'Brett', 18, '0x532f27101965dd16442E59d40670FaF5eBB142E4', '0.04917'),
  known(BASE, 'USDbC', 'USD Base Coin', 6, '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA', USDC_USD),

  whitelisted(OPTIMISM, 'USDC', 'USD Coin', 6, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', USDC_USD),
  whitelisted(OPTIMISM, 'OP', 'Optimism', 18, '0x4200000000000000000000000000000000000042', '1.42'),
  whitelisted(OPTIMISM, 'WETH', 'Wrapped Ether', 18, OP_STACK_WETH, ETHER_USD),
  whitelisted(OPTIMISM, 'DAI', 'Dai Stablecoin', 18, '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', '0.9998'),
  known(OPTIMISM, 'SNX', 'Synthetix Network Token', 18, '0x8700dAec35aF8Ff88c16BdF0418774CB3D7599B4', '0.7831'),

  whitelisted(ARBITRUM, 'USDC', 'USD Coin', 6, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', USDC_USD),
  whitelisted(ARBITRUM, 'ARB', 'Arbitrum', 18, '0x912CE59144191C1204E64559FE8253a0e49E6548', '0.51'),
  whitelisted(ARBITRUM, 'WETH', 'Wrapped Ether', 18, '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', ETHER_USD),
  known(ARBITRUM, 'MAGIC', 'MAGIC', 18, '0x539bdE0d7Dbd336b79148AA742883198BBF60342', '0.1264'),

  whitelisted(ETHEREUM, 'USDC', 'USD Coin', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', USDC_USD),
  whitelisted(ETHEREUM, 'WETH', 'Wrapped Ether', 18, '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', ETHER_USD),
  whitelisted(ETHEREUM, 'DAI', 'Dai Stablecoin', 18, '0x6B175474E89094C44Da98b954EedeAC495271d0F', '0.9998'),
  whitelisted(ETHEREUM, 'UNI', 'Uniswap', 18, '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984', '9.37'),
  whitelisted(ETHEREUM, 'WBTC', 'Wrapped BTC', 8, '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', '97380.11'),
  known(ETHEREUM, 'PEPE', 'Pepe', 18, '0x6982508145454Ce325dDbE47a25d4ec3d2311933', '0.000011284'),

  whitelisted(ZORA, 'WETH', 'Wrapped Ether', 18, OP_STACK_WETH, ETHER_USD),
  whitelisted(ZORA, 'USDzC', 'USD Coin (Bridged)', 6, '0xCccCCccc7021b32EBb4e8C08314bd62F7c653EC4', USDC_USD),
  known(ZORA, 'ENJOY', 'Enjoy', 18, '0xa6B280B42CB0b7c4a4F789eC6cCC3a7609A1Bc39', '0.0000214'),

  whitelisted(WORLD_CHAIN, 'WLD', 'Worldcoin', 18, '0x2cFc85d8E48F8EAB294be644d9E25C3030863003', '1.087'),
  whitelisted(WORLD_CHAIN, 'USDC.e', 'Bridged USDC', 6, '0x79A02482A880bCE3F13e09Da970dC34db4CD24d1', USDC_USD),
  known(WORLD_CHAIN, 'WETH', 'Wrapped Ether', 18, OP_STACK_WETH, ETHER_USD),

  whitelisted(SEPOLIA, 'USDC', 'USDC (test)', 6, '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238'),
  whitelisted(SEPOLIA, 'WETH', 'Wrapped Ether (test)', 18, '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14'),
  known(SEPOLIA, 'LINK', 'ChainLink Token (test)', 18, '0x779877A7B0D9E8603169DdbD7836e478b4624789'),
]

/** The native token of each chain, which pegged incentives name by the zero address. */
export const nativeTokenFacts: readonly TokenFact[] = [
  BASE,
  OPTIMISM,
  ARBITRUM,
  ETHEREUM,
  ZORA,
  WORLD_CHAIN,
  SEPOLIA,
].map((chainId) => whitelisted(chainId, 'ETH', 'Ether', 18, ZERO_ADDRESS, chainId === SEPOLIA ? undefined : ETHER_USD))

/** Figures of the tokens that campaigns have swapped; plausible, and the same on every chain. */
export const marketFigures: Readonly<
  Record<string, { marketCap: number; priceChange24Hr: number; volume24Hr: number; holders: number }>
> = {
  WETH: { marketCap: 8_912_000_000, priceChange24Hr: 1.42, volume24Hr: 1_204_000_000, holders: 2_310_000 },
  USDC: { marketCap: 3_900_000_000, priceChange24Hr: 0.01, volume24Hr: 812_000_000.5, holders: 4_200_000 },
  DEGEN: { marketCap: 61_000_000.25, priceChange24Hr: -3.2, volume24Hr: 2_400_000, holders: 780_000 },
  OP: { marketCap: 2_420_000_000, priceChange24Hr: 2.87, volume24Hr: 164_000_000, holders: 1_290_000 },
  ARB: { marketCap: 2_380_000_000, priceChange24Hr: -0.95, volume24Hr: 187_000_000, holders: 1_480_000 },
}

export const tokenImageUri = ({ symbol }: TokenFact): string =>
  `https://images.example/tokens/${symbol.toLowerCase()}.png`
