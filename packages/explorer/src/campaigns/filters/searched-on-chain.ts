import { chainName, knownChainIds } from '../../texts/chain-names.ts'

/** The chain that is named in a search, by its name or the first word of it, and what else is searched. */
export function searchedOnChain(search: string): { chainId: number; search: string } | undefined {
  const words = search.trim().split(/\s+/)
  const lower = words.map((word) => word.toLowerCase())
  for (const chainId of knownChainIds) {
    const name = chainName(chainId).toLowerCase().split(' ')
    for (const named of [name, name.slice(0, 1)]) {
      const index = lower.findIndex((_, place) => named.every((word, offset) => lower[place + offset] === word))
      if (index < 0) continue
      return { chainId, search: [...words.slice(0, index), ...words.slice(index + named.length)].join(' ') }
    }
  }
  return undefined
}
