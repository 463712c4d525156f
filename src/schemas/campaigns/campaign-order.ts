/** By chain ID, core address, identifier, ascending: how campaigns of given IDs are ordered. */
export function byCampaignId(one: string, other: string) {
  const [[chain = '', core = '', identifier = ''], [otherChain = '', otherCore = '', otherIdentifier = '']] = [
    one.split(':'),
    other.split(':'),
  ]
  if (chain !== otherChain) return Number(chain) - Number(otherChain)
  if (core !== otherCore) return core < otherCore ? -1 : 1
  return BigInt(identifier) < BigInt(otherIdentifier) ? -1 : 1
}
