import type { ActionStep } from '../schemas/action-steps.ts'
import { chainFacts, type TemplateFact, templateFacts } from './protocol-facts.ts'
import { ARBITRUM, BASE, ETHEREUM, OPTIMISM, SEPOLIA, WORLD_CHAIN, ZERO_ADDRESS, ZORA } from './token-facts.ts'

/*
 * What campaigns ask their users to do: real contracts of public protocols, with the real signatures and topics of their
 * events and functions.
 */

/** Something a campaign asks its users to do. */
export interface Deed {
  readonly template: TemplateFact
  /** What a campaign that asks for it is called. */
  readonly title: string
  readonly contractName: string
  readonly step: Omit<ActionStep, 'claimant'>
  /** Field that holds the address of whoever did it. */
  readonly claimantField: number
  /** Field that holds an amount of a token; undefined where there is none. */
  readonly amountField?: number
  /** Token the deed deals in, on the chain of the step. */
  readonly actionToken?: string
  /**
   * Where the NFT collection of the campaign stands: it is the target contract as given here, or one that takes the
   * place of the target contract, or of the value the step compares with.
   */
  readonly collection?: 'target' | 'replaces target' | 'replaces value'
}

type StepParameters = ActionStep['parameters']
type Signature = Pick<ActionStep, 'signature' | 'signatureName' | 'signatureType'>

const event = (signatureName: string, signature: string): Signature => ({
  signature,
  signatureName,
  signatureType: 'event',
})
/** A selector stands right-aligned in 32 bytes. */
const functionCall = (signatureName: string, selector: string): Signature => ({
  signature: `0x${selector.padStart(64, '0')}`,
  signatureName,
  signatureType: 'function',
})

const TRANSFER = event(
  'Transfer(address,address,uint256)',
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
)
const VOTE_CAST = event(
  'VoteCast(address,uint256,uint8,uint256,string)',
  '0xb8e138887d0aa13bab447e82de9d5c1777041ecd21ca36ba824ff1e6c07ddda4',
)
const DELEGATE_CHANGED = event(
  'DelegateChanged(address,address,address)',
  '0x3134e8a2e6d97e929a7e54011ea5485d7d196dd5f0ba4d4ef95803e8e3fc257f',
)
const SWAPPED = event(
  'SwappedV3(bytes16,address,uint256,address,address,address,address,uint256,uint256,uint256)',
  '0xe00361d207b252a464323eb23d45d42583e391f2031acdd2e9fa36efddd43cb0',
)
const POOL_SWAP = event(
  'Swap(address,address,int256,int256,uint160,uint128,int24)',
  '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
)
const SUPPLIED = event(
  'Supply(address,address,address,uint256,uint16)',
  '0x2b627736bca15cd5381dcf80b0bf11fd197d01a037c52b927a881a10fb73ba61',
)
const FUNDS_DEPOSITED = event(
  'V3FundsDeposited(address,address,uint256,uint256,uint256,uint32,uint32,uint32,uint32,address,address,address,bytes)',
  '0xa123dc29aebf7d0c3322c8eeb5b999e859f39937950ed31056532713d0de396f',
)
const ETHER_BRIDGED = event(
  'ETHBridgeInitiated(address,address,uint256,bytes)',
  '0x2849b43074093a05396b6f2a937dee8565b15a48a7b3d4bffb732a5017380af5',
)
const PURCHASED = event(
  'Purchased(address,address,uint256,uint256,uint256)',
  '0xb362243af1e2070d7d5bf8d713f2e0fab64203f1b71462afbe20572909788c5e',
)
const ACCOUNT_REGISTERED = event(
  'Register(address,uint256,address)',
  '0xf2e19a901b0748d8b08e428d0468896a039ac751ec4fec49b44b7b9c28097e45',
)
const ATTESTED = event(
  'Attested(address,address,bytes32,bytes32)',
  '0x8bf46bf4cfd674fa735a3d63ec1c9ad4153f033c290341f3a588b75685141b35',
)
const TIMED_SALE_MINT = functionCall(
  'mint(address mintTo,uint256 quantity,address collection,uint256 tokenId,address mintReferral,string comment)',
  'a836f32f',
)
const REGISTER_NAME = functionCall('register(string,address,uint256,bytes32,address,bytes[],bool,uint16)', '74694a2b')

const EQUAL = 0
const GREATER = 2
const NUMBER = 0
const ADDRESS = 1

const where = (fieldIndex: number, fieldType: number, filterType: number, filterData: string): StepParameters => ({
  filterType,
  fieldType,
  fieldIndex,
  filterData,
})

type On = readonly [chainId: number, contract: string, contractName: string]
const on = ([chainId, targetContract, contractName]: On, signature: Signature, parameters: StepParameters) => ({
  contractName,
  step: { chainId, ...signature, actionType: 0, targetContract, parameters },
})

const vote = (place: On, title: string): Deed => ({
  template: templateFacts.vote,
  title,
  ...on(place, VOTE_CAST, where(2, NUMBER, EQUAL, '0x01')),
  claimantField: 0,
})
const delegate = (place: On): Deed => ({
  template: templateFacts.delegate,
  title: `Delegate ${place[2]}`,
  ...on(place, DELEGATE_CHANGED, where(2, ADDRESS, EQUAL, '0x71CB1dc5AE0389F1828a5dFefB8476bd3BEA2AF2')),
  claimantField: 0,
})
const augustus = (chainId: number, symbol: string, actionToken: string): Deed => ({
  template: templateFacts.swap,
  title: `Swap to ${symbol}`,
  ...on(
    [chainId, '0xdef171fe48cf0115b1d80b88dc8eab59176fee57', 'ParaSwap Augustus'],
    SWAPPED,
    where(6, ADDRESS, EQUAL, actionToken),
  ),
  claimantField: 3,
  amountField: 7,
  actionToken,
})
const poolSwap = (place: On, symbol: string, actionToken: string): Deed => ({
  template: templateFacts.poolSwap,
  title: `Buy ${symbol}`,
  ...on(place, POOL_SWAP, where(2, NUMBER, GREATER, '0x00')),
  claimantField: 1,
  amountField: 2,
  actionToken,
})
const supply = (place: On, title: string): Deed => ({
  template: templateFacts.deposit,
  title,
  ...on(place, SUPPLIED, where(3, NUMBER, GREATER, '0x00')),
  claimantField: 2,
  amountField: 3,
})
const spokePool = (place: On): Deed => ({
  template: templateFacts.bridge,
  title: `Bridge away from ${chainFacts.get(place[0])?.name}`,
  ...on(place, FUNDS_DEPOSITED, where(2, NUMBER, GREATER, '0x00')),
  claimantField: 9,
  amountField: 2,
})
const standardBridge = (place: On, title: string): Deed => ({
  template: templateFacts.canonicalBridge,
  title,
  ...on(place, ETHER_BRIDGED, where(2, NUMBER, GREATER, '0x038d7ea4c68000')),
  claimantField: 0,
  amountField: 2,
})
const pay = (chainId: number, usdc: string): Deed => ({
  template: templateFacts.pay,
  title: `Pay with USDC on ${chainFacts.get(chainId)?.name}`,
  ...on([chainId, usdc, 'USD Coin'], TRANSFER, where(2, NUMBER, GREATER, '0x0f4240')),
  claimantField: 0,
  amountField: 2,
  actionToken: usdc,
})
const attest = (chainId: number): Deed => ({
  template: templateFacts.attest,
  title: `Attest on ${chainFacts.get(chainId)?.name}`,
  ...on(
    [chainId, '0x4200000000000000000000000000000000000021', 'Ethereum Attestation Service'],
    ATTESTED,
    where(1, ADDRESS, 1, ZERO_ADDRESS),
  ),
  claimantField: 1,
})
/** An NFT comes into being as a transfer from the zero address. */
const collect = (chainId: number): Deed => ({
  template: templateFacts.collect,
  title: 'Collect',
  ...on([chainId, ZERO_ADDRESS, ''], TRANSFER, where(0, ADDRESS, EQUAL, ZERO_ADDRESS)),
  claimantField: 1,
  collection: 'replaces target',
})

/** All deeds; several for each chain. */
export const deeds: readonly Deed[] = [
  vote([WORLD_CHAIN, '0xb2d538D2BD69a657A5240c446F0565a7F5d52BBF', 'Governor'], 'Vote on World Chain'),
  vote([OPTIMISM, '0xcdf27f107725988f2261ce2256bdfcde8b382b10', 'Optimism Governor'], 'Vote on Agora'),
  {
    template: templateFacts.mint,
    title: 'Mint a drop on Base',
    ...on(
      [BASE, '0x9D2FC5fFE5939Efd1d573f975BC5EEFd364779ae', 'Purchase Contract'],
      PURCHASED,
      where(2, NUMBER, EQUAL, '0x03'),
    ),
    claimantField: 0,
    collection: 'target',
  },
  {
    template: templateFacts.mint,
    title: 'Mint on Zora',
    ...on(
      [ZORA, '0x777777722d078c97c6ad07d9f36801e653e356ae', 'Zora Timed Sale Strategy'],
      TIMED_SALE_MINT,
      where(2, ADDRESS, EQUAL, '0x3263023c87502f1676f00df902b1237f93da26a9'),
    ),
    claimantField: 0,
    collection: 'replaces value',
  },
  collect(BASE),
  collect(ZORA),
  collect(OPTIMISM),
  collect(ARBITRUM),
  delegate([BASE, '0xB0fFa8000886e57F86dd5264b9582b2Ad87b2b91', 'Wormhole Token']),
  delegate([OPTIMISM, '0x4200000000000000000000000000000000000042', 'Optimism']),
  delegate([ARBITRUM, '0x912CE59144191C1204E64559FE8253a0e49E6548', 'Arbitrum']),
  delegate([ETHEREUM, '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984', 'Uniswap']),
  augustus(ARBITRUM, 'ARB', '0x912CE59144191C1204E64559FE8253a0e49E6548'),
  augustus(BASE, 'DEGEN', '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed'),
  augustus(OPTIMISM, 'OP', '0x4200000000000000000000000000000000000042'),
  poolSwap(
    [BASE, '0xd0b53D9277642d899DF5C87A3966A349A798F224', 'Uniswap V3 WETH/USDC 0.05%'],
    'WETH',
    '0x4200000000000000000000000000000000000006',
  ),
  poolSwap(
    [ETHEREUM, '0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640', 'Uniswap V3 USDC/WETH 0.05%'],
    'WETH',
    '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  ),
  supply([BASE, '0xA238Dd80C259a72e81d7e4664a9801593F98d1c5', 'Aave V3 Pool'], 'Lend on Base'),
  supply([OPTIMISM, '0x794a61358D6845594F94dc1DB02A252b5b4814aD', 'Aave V3 Pool'], 'Lend on OP Mainnet'),
  supply([ARBITRUM, '0x794a61358D6845594F94dc1DB02A252b5b4814aD', 'Aave V3 Pool'], 'Lend on Arbitrum'),
  spokePool([BASE, '0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64', 'Across SpokePool']),
  spokePool([OPTIMISM, '0x6f26Bf09B1C792e3228e5467807a900A503c0281', 'Across SpokePool']),
  spokePool([ARBITRUM, '0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A', 'Across SpokePool']),
  standardBridge([ETHEREUM, '0x99C9fc46f92E8a1c0deC1b1747d010903E884bE1', 'OP Mainnet Bridge'], 'Bridge to OP Mainnet'),
  standardBridge([ETHEREUM, '0x3154Cf16ccdb4C6d922629664174b904d80F2C35', 'Base Bridge'], 'Bridge to Base'),
  {
    template: templateFacts.join,
    title: 'Join Farcaster',
    ...on(
      [OPTIMISM, '0x00000000Fc6c5F01Fc30151999387Bb99A9f489b', 'Farcaster ID Registry'],
      ACCOUNT_REGISTERED,
      where(1, NUMBER, GREATER, '0x00'),
    ),
    claimantField: 0,
  },
  attest(BASE),
  attest(OPTIMISM),
  pay(BASE, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  pay(WORLD_CHAIN, '0x79A02482A880bCE3F13e09Da970dC34db4CD24d1'),
  {
    template: templateFacts.name,
    title: 'Register a name',
    ...on(
      [SEPOLIA, '0xFED6a969AaA60E4961FCD3EBF1A2e8913ac65B72', 'ENS Registrar Controller'],
      REGISTER_NAME,
      where(1, ADDRESS, EQUAL, '0xd11dD72b7555205746fa537928D87DeC6bD26275'),
    ),
    claimantField: 1,
  },
]
