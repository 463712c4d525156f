import { distance } from 'fastest-levenshtein'

/** A longer name is not compared. */
const MAX_LENGTH = 64

/**
 * The known name that an unknown one was probably meant to be, regardless of case. Undefined if they differ in more
 * than a third of the letters of the shorter one, or in more than `maxLetters`: a wrong suggestion is worse than none.
 */
export function nearestName(name: string, known: readonly string[], maxLetters = MAX_LENGTH): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const distances = known.map((candidate) => distance(name.toLowerCase(), candidate.toLowerCase()))
  const least = Math.min(...distances)
  const nearest = known[distances.indexOf(least)] ?? ''
  const shorter = Math.min(name.length, nearest.length)
  return least <= Math.min(maxLetters, Math.max(1, Math.floor(shorter / 3))) ? nearest : undefined
}

/** Names of our parameters in other APIs, in lower case without `_`, `-` and brackets; the first known one counts. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  ...toAll(['limit', 'perpage', 'size', 'count', 'take', 'first', 'max'], ['pageSize']),
  ...toAll(['offset', 'skip', 'p'], ['page']),
  ...toAll(['active', 'isactive', 'onlyactive', 'activeonly'], ['showActiveOnly']),
  ...toAll(['order', 'ordering', 'orderby'], ['orderBy', 'sortBy']),
  ...toAll(['network', 'networkid'], ['chainId', 'chainIds']),
  ...toAll(['contract', 'contractaddress'], ['targetContract']),
  ...toAll(['asset', 'currency', 'rewardtoken'], ['tokens']),
  ...toAll(['channel', 'channels'], ['distributionChannel']),
  ...toAll(['whitelist', 'whitelisted'], ['tokenWhitelist']),
  ...toAll(['budget'], ['budgetAccount']),
  ...toAll(['creator', 'createdby'], ['creator', 'owner']),
  ...toAll(['owner'], ['creator']),
  ...toAll(['wallet', 'account', 'address', 'claimant'], ['user']),
  ...toAll(['q', 'query', 'name'], ['search']),
  ...toAll(['range', 'window', 'timeframe', 'interval', 'period', 'timerange'], ['timeRange', 'period']),
  ...toAll(['type', 'types', 'actiontype', 'actiontypes'], ['includeActionTypes']),
  ...toAll(['id', 'ids', 'campaign', 'campaigns', 'campaignids'], ['campaignId']),
}

function toAll(words: string[], parameters: string[]) {
  return Object.fromEntries(words.map((word) => [word, parameters]))
}

/** Too many other names begin with a shorter one. */
const MIN_PREFIX = 3

/**
 * The parameter that an unknown one was probably meant to be: misspelt, shortened, too long or named as in other APIs.
 */
export function suggestParameter(name: string, known: readonly string[]): string | undefined {
  const plain = name.replace(/\[.*$/s, '')
  const nearest = nearestName(plain, known)
  if (nearest !== undefined) return nearest
  const word = plain.toLowerCase().replace(/[_-]/g, '')
  const longer = known.find((candidate) => candidate.toLowerCase().startsWith(word))
  if (word.length >= MIN_PREFIX && longer !== undefined) return longer
  const shorter = known.find((candidate) => candidate.length > MIN_PREFIX && word.startsWith(candidate.toLowerCase()))
  if (shorter !== undefined) return shorter
  const synonyms = Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined
  return synonyms?.find((parameter) => known.includes(parameter))
}
