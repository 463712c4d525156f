import type { Campaign } from 'reward-campaigns-client'
import { shortenHex } from '../../texts/shorten-hex.ts'
import { ZERO_ADDRESS } from '../../texts/zero-address.ts'
import { readSignature } from './signatures.ts'
import { type ActionStep, comparedAddress } from './step-text.ts'

/** What somebody does who takes a step. */
export interface Imperative {
  verb: string
  /** What is done with, as the contract's own name says; absent where that says nothing of it. */
  object?: string
}

/** What a campaign says of its steps as a whole. */
export type Doing = Partial<Pick<Campaign, 'actionSteps' | 'actionClaimant'>> & {
  /** Of its action template. */
  actionType?: string | undefined
}

/** What is done with a token, and how events call it when it is done. */
const WITH_A_TOKEN: Readonly<Record<string, string>> = {
  approve: 'approved',
  borrow: 'borrowed',
  bridge: 'bridged',
  burn: 'burned',
  buy: 'bought',
  collect: 'collected',
  delegate: 'delegated',
  deposit: 'deposited',
  donate: 'donated',
  get: 'got',
  lend: 'lent',
  lock: 'locked',
  mint: 'minted',
  purchase: 'purchased',
  redeem: 'redeemed',
  repay: 'repaid',
  sell: 'sold',
  send: 'sent',
  stake: 'staked',
  supply: 'supplied',
  swap: 'swapped',
  transfer: 'transferred',
  unstake: 'unstaked',
  unwrap: 'unwrapped',
  withdraw: 'withdrawn',
  wrap: 'wrapped',
}

const VERBS: Readonly<Record<string, string>> = {
  ...WITH_A_TOKEN,
  attest: 'attested',
  claim: 'claimed',
  follow: 'followed',
  register: 'registered',
  subscribe: 'subscribed',
  trade: 'traded',
  vote: 'voted',
}

const VERB_OF = new Map(Object.entries(VERBS).flatMap(([verb, done]) => [verb, done].map((word) => [word, verb])))

/** The action that a word names: `swap` and `swapped` name `swap`. */
export const actionNamed = (word: string): string | undefined => VERB_OF.get(word.toLowerCase())

/** After the noun of an action: that it has happened. */
const COMPLETIONS = new Set(['cast', 'completed', 'executed', 'initiated', 'made'])

/** Besides abbreviations, the words that an event is sure to have for what is dealt with. Others may be who acts: `UserRegistered`. */
const OBJECTS = new Set(['assets', 'collateral', 'funds', 'liquidity', 'rewards', 'shares', 'tokens'])

const isObject = (word: string) => /^[A-Z0-9]{2,}$/.test(word) || OBJECTS.has(word.toLowerCase())

/** Abbreviations, words, and numbers at the end of either, in a name of a contract's: `ETH`, `Bridge`, `V3`. */
const WORDS = /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+/g

const wordsIn = (identifier: string): string[] => identifier.match(WORDS) ?? [identifier]

const lowerCased = (word: string) => (/[a-z]/.test(word) ? word.toLowerCase() : word)

/** `ETHBridgeInitiated` as people write it: `ETH bridge initiated`. */
export function inWords(identifier: string): string {
  const [first = identifier, ...others] = wordsIn(identifier)
  return [first.charAt(0).toUpperCase() + first.slice(1), ...others.map(lowerCased)].join(' ')
}

export const takesToken = ({ verb, object }: Imperative) => object === undefined && Object.hasOwn(WITH_A_TOKEN, verb)

/**
 * What somebody does who takes a step of a campaign: by the template of the campaign, where that speaks of this step, else by the
 * name of the step's event or function. Undefined where neither says it for sure.
 */
export function imperativeOf(
  step: ActionStep,
  { actionType = '', actionSteps = [step], actionClaimant }: Doing,
): Imperative | undefined {
  const own = step.signatureType === 'event' ? ofEvent(step, actionClaimant) : ofFunction(step)
  // A template has one type: of different steps, it does not say which is meant.
  const isOfType =
    Object.hasOwn(VERBS, actionType) && actionSteps.every(({ signature }) => signature === step.signature)
  return isOfType && own?.verb !== actionType ? { verb: actionType } : own
}

/** Functions are named as what they are told to do. */
function ofFunction({ signatureName, signature }: ActionStep): Imperative {
  const name = readSignature(signatureName)?.name
  if (name === undefined) return { verb: 'call', object: shortenHex(signature) }
  const [verb = name, ...others] = wordsIn(name).map(lowerCased)
  return { verb, ...(others.length > 0 && { object: others.join(' ') }) }
}

function ofEvent(step: ActionStep, claimant: Doing['actionClaimant']): Imperative | undefined {
  const name = readSignature(step.signatureName)?.name ?? ''
  const named = readEvent(name)
  if (name !== 'Transfer') return named
  // What comes from nobody is new, and who is paid for what they get has not sent it.
  if (step.parameters.fieldIndex === 0 && comparedAddress(step) === ZERO_ADDRESS) return { verb: 'mint' }
  const isPaidToReceiver = claimant?.signature === step.signature && claimant.fieldIndex === 1
  return isPaidToReceiver ? { verb: 'get' } : named
}

/** `Supply`, `SwappedV3`, `FundsDeposited`, `VoteCast` and `ETHBridgeInitiated` say what was done; `SwapFeeChanged` does not. */
function readEvent(name: string): Imperative | undefined {
  if (name === 'DelegateChanged') return { verb: 'delegate' }
  const words = wordsIn(name).filter((word) => !/^v[0-9]+$/i.test(word))
  if (words.length > 1 && COMPLETIONS.has(words.at(-1)?.toLowerCase() ?? '')) words.pop()
  const verb = VERB_OF.get(words.pop()?.toLowerCase() ?? '')
  if (verb === undefined || words.length > 1 || !words.every(isObject)) return undefined
  return { verb, ...(words.length > 0 && { object: words.map(lowerCased).join(' ') }) }
}
