import type { Query } from 'reward-campaigns-client'
import { numberOf } from '../navigation/page-query.ts'
import { servicePath } from '../navigation/service-path.ts'

/*
 * The filters of the list of campaigns, as they stand in the address of the page: under the names of the service's own
 * parameters, so that the query of the page is that of the request.
 */

export type CampaignQuery = Omit<Query<'listCampaigns'>, 'fields' | 'facets' | 'facetSize' | 'cursor' | 'explain'>

type Kind = 'text' | 'number' | 'flag' | 'list'

/** What kind each parameter is of. One that the service gets does not compile without. */
const KINDS: Readonly<Record<keyof CampaignQuery, Kind>> = {
  page: 'number',
  pageSize: 'number',
  budgetAccount: 'list',
  owner: 'text',
  autocampaignId: 'text',
  chainId: 'number',
  targetContract: 'text',
  tokens: 'list',
  rewardToken: 'list',
  distributionChannel: 'list',
  campaignId: 'list',
  incentiveType: 'list',
  actionType: 'list',
  tokenWhitelist: 'flag',
  search: 'text',
  sortBy: 'text',
  actionTemplateOnly: 'flag',
  showActiveOnly: 'flag',
  minBlock: 'list',
}

const kindOf = (name: string): Kind => (Object.hasOwn(KINDS, name) ? KINDS[name as keyof CampaignQuery] : 'text')

/** The query in the address of a page. */
export const queryOf = (url: string) => new URLSearchParams(url.split('?')[1] ?? '')

/**
 * What the service is asked, all that the address says, and active campaigns only unless it says otherwise. What the service
 * would refuse stays as it is written: what is wrong with it, the service says best.
 */
export function toQuery(parameters: URLSearchParams): CampaignQuery {
  const names = new Set(parameters.keys())
  const written = [...names].map((name) => [name, typed(kindOf(name), parameters.getAll(name))])
  return { showActiveOnly: true, ...Object.fromEntries(written) }
}

function typed(kind: Kind, given: string[]): unknown {
  const [only = ''] = given
  if (kind === 'list') return given.flatMap((text) => text.split(','))
  if (given.length > 1) return given
  if (kind === 'number') return numberOf(only)
  if (kind === 'flag' && /^(true|false)$/.test(only)) return only === 'true'
  return only
}

/** The list with a query; separators stay readable. */
export function toUrl(parameters: URLSearchParams): string {
  const query = parameters.toString().replaceAll('%3A', ':').replaceAll('%2C', ',')
  return servicePath(`/explorer/campaigns${query && `?${query}`}`)
}

/** All campaigns with these filters, also those that are not active or pay tokens that are unknown. */
export const allUrl = (query: Partial<Record<keyof CampaignQuery, string>>) =>
  listUrl({ ...query, tokenWhitelist: 'false', showActiveOnly: 'false' })

/** The list of campaigns with these filters. */
export const listUrl = (query: Partial<Record<keyof CampaignQuery, string>>) => toUrl(new URLSearchParams(query))
