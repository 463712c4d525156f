import data from '../facts.json' with { type: 'json' }

/*
 * What the sample is made of: `facts.json`, where `facts.schema.json` says what each of it is. A test holds one against the
 * other.
 */

interface Chain {
  chainId: number
  name: string
  share: number
  block: number
  blockAt: number
  secondsPerBlock: number
}

export interface Token {
  chainId: number
  address: string
  symbol: string
  name: string
  decimals: number
  whitelisted: boolean
  priceUsd?: string
  marketCap?: number
  priceChange24Hr?: number
  volume24Hr?: number
  holders?: number
}

interface ActionTemplate {
  id: string
  projectId: string
  actionType: string
  category: 'defi' | 'nft' | 'social' | 'bridge' | 'governance' | 'payments' | 'other' | null
  description: string | null
}

interface ActionStep {
  chainId: number
  signature: string
  signatureName: string
  signatureType: 'event' | 'function'
  actionType: number
  targetContract: string
  parameters: { filterType: number; fieldType: number; fieldIndex: number; filterData: string }
}

export interface Action {
  templateId: string
  title: string
  contractName: string
  claimantField: number
  amountField?: number
  actionToken?: string
  collection?: 'target' | 'replaces target' | 'replaces value'
  step: ActionStep
}

interface Facts {
  chains: Chain[]
  tokens: Token[]
  unknownTokens: string[]
  protocol: {
    coreAddresses: string[]
    timeBasedManager: string
    actionContract: string
    validator: string
    signer: string
    pointsVenue: string
    pointsSelector: string
    allowListIncentiveTarget: string
    allowListContracts: Record<'OpenAllowList' | 'SimpleAllowList' | 'SimpleDenyList' | 'OffchainAccessList', string>
  }
  actionTemplates: ActionTemplate[]
  actions: Action[]
  accessLists: { id: string; userId: string; name: string; members: number }[]
  collections: { chainIds: number[]; adjectives: string[]; nouns: string[] }
  distributionChannels: string[][]
  rewards: {
    dollars: number[]
    tokens: number[]
    levels: Record<'fixed' | 'undrawn' | 'falling' | 'varying', number[]>
  }
}

export const facts = data as Facts

export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
/** On pegged incentives it stands for the native token. */
export const isNative = ({ address }: Token) => address === ZERO_ADDRESS

export const tokenImageUri = ({ symbol }: Token) => `https://images.example/tokens/${symbol.toLowerCase()}.png`
/** Of all images of projects, and of no others: what begins so is sample data. */
export const PROJECT_IMAGES = 'https://images.example/projects/'
export const projectImageUri = (projectId: string) => `${PROJECT_IMAGES}${projectId}.png`
export const toIsoTime = (seconds: number) => new Date(seconds * 1000).toISOString()
