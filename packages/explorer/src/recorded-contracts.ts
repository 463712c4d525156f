/** What contracts are called, by `<chainId>:<address>`, as responses have told since the explorer was opened. */
const names = new Map<string, string>()

/** Takes note of a contract that a response has named. */
export function recordContract({ chainId, address, name }: { chainId: number; address: string; name: string }) {
  if (/\S/.test(name)) names.set(`${chainId}:${address}`, name)
}

export const seenContract = (chainId: string, address: string) => names.get(`${chainId}:${address.toLowerCase()}`)
