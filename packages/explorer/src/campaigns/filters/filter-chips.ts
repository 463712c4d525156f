import { seenContract } from '../../recorded-contracts.ts'
import { chainName } from '../../texts/chain-names.ts'
import { brief } from '../../texts/truncate-name.ts'
import { type CampaignQuery, toUrl } from '../campaign-query.ts'
import { variantName } from '../incentives/incentive-words.ts'
import { seenToken } from '../tokens/recorded-tokens.ts'

type FilterName = Exclude<keyof CampaignQuery, 'page' | 'pageSize' | 'sortBy'>

interface FilterWords {
  label: string
  /** Values that filter nothing. */
  defaults?: readonly string[]
  /** The one value that the label alone is said of. */
  flag?: string
}

/** Every parameter that filters; one that the service gets does not compile without words for it. */
const FILTERS: Readonly<Record<FilterName, FilterWords>> = {
  chainId: { label: 'Chain', defaults: ['', 'null'] },
  tokens: { label: 'Token' },
  search: { label: 'Search' },
  rewardToken: { label: 'Reward' },
  campaignId: { label: 'Campaign' },
  incentiveType: { label: 'Incentive' },
  actionType: { label: 'Action' },
  owner: { label: 'Owner' },
  budgetAccount: { label: 'Budget' },
  targetContract: { label: 'Contract' },
  distributionChannel: { label: 'Channel' },
  autocampaignId: { label: 'Autocampaign' },
  tokenWhitelist: { label: 'Unknown tokens too', defaults: ['', 'null', 'true'], flag: 'false' },
  actionTemplateOnly: { label: 'Templates as they are', defaults: ['false'], flag: 'true' },
  showActiveOnly: { label: 'Also not active', defaults: ['', 'true'], flag: 'false' },
  minBlock: { label: 'Block reached' },
}

/** What says how the list is shown, not what is in it. */
const ASIDE = ['page', 'pageSize', 'sortBy']

/** A chip for all that the address filters by, entry by entry, also for what the service refuses. */
export function chipsOf(parameters: URLSearchParams): { label: string; without: string }[] {
  return [...new Set(parameters.keys())]
    .filter((name) => !ASIDE.includes(name))
    .flatMap((name) => {
      const words: FilterWords = Object.hasOwn(FILTERS, name) ? FILTERS[name as FilterName] : { label: name }
      const entries = parameters.getAll(name).flatMap((text) => text.split(','))
      return entries.flatMap((entry, index) => {
        if (words.defaults?.includes(entry)) return []
        const value = nameOf(name, entry, parameters) ?? (entry || 'empty')
        const without = withEntries(parameters, name, entries.toSpliced(index, 1))
        return [{ label: words.flag === entry ? words.label : `${words.label}: ${value}`, without }]
      })
    })
}

/** What an entry is called; a token and a contract, which anybody may call so, with its address. */
function nameOf(filter: string, entry: string, parameters: URLSearchParams): string | undefined {
  if (filter === 'chainId' && /^[0-9]+$/.test(entry)) return chainName(Number(entry))
  if (filter === 'targetContract') {
    const name = seenContract(parameters.get('chainId') ?? '', entry)
    return name && `${brief(name)} (${entry})`
  }
  if (filter === 'incentiveType') return variantName(entry)
  const token = filter === 'tokens' || filter === 'rewardToken' ? seenToken(entry) : undefined
  return token && `${brief(token.symbol)} on ${chainName(token.chainId)} (${token.address})`
}

function withEntries(parameters: URLSearchParams, name: string, entries: string[]): string {
  const changed = new URLSearchParams(parameters)
  changed.delete('page')
  if (entries.length === 0) changed.delete(name)
  else changed.set(name, entries.join(','))
  return toUrl(changed)
}

/** The list without any filter, in the order and the page size that were chosen. */
export function withoutFilters(parameters: URLSearchParams): string {
  return toUrl(new URLSearchParams([...parameters].filter(([name]) => name === 'sortBy' || name === 'pageSize')))
}
