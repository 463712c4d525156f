import { chainName, knownChainIds } from '../../texts/chain-names.ts'
import { actionNamed } from '../steps/imperatives.ts'

/** What a search names that is a filter, and what else is searched. */
export interface SearchedFilters {
  chainId: number | undefined
  actionType: string | undefined
  search: string
}

/** Words of a sentence that name nothing. */
const FILLERS = new Set(['a', 'an', 'and', 'at', 'for', 'from', 'in', 'of', 'on', 'the', 'to', 'with'])

/** The chain and the action that a search names; undefined where it names neither. */
export function filtersIn(search: string): SearchedFilters | undefined {
  const words = search.split(/\s+/).map((word) => word.replace(/^[,.;:!?]+|[,.;:!?]+$/g, ''))
  const chain = chainIn(words.map((word) => word.toLowerCase()))
  const others = chain === undefined ? words : words.toSpliced(chain.index, chain.length)
  const place = others.findIndex((word) => actionIn(word) !== undefined)
  const actionType = actionIn(others[place] ?? '')
  if (chain === undefined && actionType === undefined) return undefined
  const rest = others.filter((word, index) => index !== place && word !== '' && !FILLERS.has(word.toLowerCase()))
  return { chainId: chain?.chainId, actionType, search: rest.join(' ') }
}

/** By its name or the first word of it. */
function chainIn(words: readonly string[]) {
  for (const chainId of knownChainIds) {
    const name = chainName(chainId).toLowerCase().split(' ')
    for (const named of [name, name.slice(0, 1)]) {
      const index = words.findIndex((_, place) => named.every((word, offset) => words[place + offset] === word))
      if (index >= 0) return { chainId, index, length: named.length }
    }
  }
  return undefined
}

/** `swap`, `swapped` and `swaps` name an action. */
const actionIn = (word: string) => actionNamed(word) ?? actionNamed(word.replace(/ies$/i, 'y').replace(/s$/i, ''))

/** `1 swap`, `42 swaps`, `3 supplies`. */
export function actionsInWords(count: number, action: string): string {
  const many = /[^aeiou]y$/.test(action) ? `${action.slice(0, -1)}ies` : `${action}s`
  return `${count.toLocaleString('en')} ${count === 1 ? action : many}`
}
