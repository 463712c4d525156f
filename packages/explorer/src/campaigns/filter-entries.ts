import { chainName, knownChainIds } from '../chain-names.ts'
import { toUrl } from './campaign-query.ts'

/** What the form is filled with: what the address says, as it is written, and the defaults where it says nothing. */
export function entriesOf(parameters: URLSearchParams) {
  const text = (name: string) => parameters.getAll(name).join(',')
  const chainId = text('chainId')
  return {
    chain: knownChainIds.includes(Number(chainId)) ? chainName(Number(chainId)) : chainId,
    text,
    isWhitelisted: text('tokenWhitelist') !== 'false',
    isSet: (name: string) => text(name) === 'true',
  }
}

/** Lists of what holds no blanks, which may then stand between. */
const LISTS = ['tokens', 'budgetAccount', 'minBlock']

/** What the service takes for not asked. */
const DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['sortBy', 'recently-deployed'],
  ['pageSize', '10'],
])

/**
 * The list with what somebody has entered, from its first page; what filters nothing is left out. A chain may be entered
 * by its name.
 *
 * @param entered of the form, in its order: a box that is not checked is not in it.
 */
export function enteredUrl(entered: Iterable<readonly [name: string, value: string]>): string {
  const parameters = new URLSearchParams()
  let isWhitelisted = false
  for (const [name, value] of entered) {
    const written = LISTS.includes(name)
      ? value
          .split(/[\s,]+/)
          .filter(Boolean)
          .join(',')
      : value.trim()
    if (name === 'tokenWhitelist') isWhitelisted = true
    else if (written !== '' && written !== DEFAULTS.get(name)) {
      parameters.set(name, name === 'chainId' ? chainIdOf(written) : written)
    }
  }
  if (!isWhitelisted) parameters.set('tokenWhitelist', 'false')
  return toUrl(parameters)
}

function chainIdOf(written: string): string {
  const isMeant = (id: number) => chainName(id).toLowerCase() === written.toLowerCase()
  return String(knownChainIds.find(isMeant) ?? written)
}
