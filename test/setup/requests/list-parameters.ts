import { aHash, anAddress } from '../records.ts'

/** Values each of which finds another campaign, and one that finds none. */
const [first, second, third, absent] = ['first', 'second', 'third', 'absent'].map(anAddress) as [
  string,
  string,
  string,
  string,
]
export const toId = (identifier: number) => `10:${anAddress('core')}:${identifier}`
/** The parameters that take several values: as `a,b`, or repeated, or both. */
export const lists: { path: string; name: string; values: [string, string, string, string]; max?: number }[] = [
  { path: '/campaigns', name: 'budgetAccount', values: [first, second, third, absent] },
  {
    path: '/campaigns',
    name: 'tokens',
    values: [`10:${first}`, `10:${second}:collection`, `10:${third}`, `1:${absent}`],
  },
  { path: '/campaigns', name: 'distributionChannel', values: ['c0', 'c1', 'c2', 'c9'] },
  { path: '/campaigns', name: 'rewardToken', values: [`10:${first}`, `10:${second}`, `10:${third}`, `1:${absent}`] },
  { path: '/campaigns', name: 'campaignId', values: [toId(0), toId(1), toId(2), toId(9)] },
  { path: '/campaigns', name: 'actionType', values: ['t0', 't1', 't2', 't9'] },
  {
    path: '/reward-kit/trending',
    name: 'rewardToken',
    values: [`10:${first}`, `10:${second}`, `10:${third}`, `1:${absent}`],
  },
  { path: '/tokens', name: 'chainId', values: ['100', '101', '102', '109'] },
  { path: '/tokens', name: 'token', values: [`10:${first}`, `10:${second}`, `10:${third}`, `1:${absent}`] },
  { path: '/reward-kit/trending', name: 'budgetAccount', values: [first, second, third, absent] },
  {
    path: '/reward-kit/trending',
    name: 'tokens',
    values: [`10:${first}`, `10:${second}`, `10:${third}`, `1:${absent}`],
  },
  { path: '/reward-kit/trending', name: 'distributionChannel', values: ['c0', 'c1', 'c2', 'c9'] },
  { path: '/reward-kit/trending', name: 'includeActionTypes', values: ['t0', 't1', 't2', 't9'] },
  { path: '/reward-kit/trending', name: 'excludeActionTypes', values: ['t0', 't1', 't2', 't9'] },
  { path: '/explore/contracts', name: 'chainIds', values: ['100', '101', '102', '109'] },
  { path: '/activity', name: 'campaignId', values: [toId(0), toId(1), toId(2), toId(9)], max: 50 },
  { path: '/outlook', name: 'campaignId', values: [toId(0), toId(1), toId(2), toId(9)], max: 50 },
  { path: '/claims', name: 'campaignId', values: [toId(0), toId(1), toId(2), toId(9)], max: 50 },
  { path: '/claims', name: 'chainId', values: ['100', '101', '102', '109'] },
  { path: '/claims', name: 'txHash', values: [aHash(0), aHash(1), aHash(2), aHash('absent')], max: 50 },
  { path: '/eligibility', name: 'campaignId', values: [toId(0), toId(1), toId(2), toId(9)], max: 50 },
  { path: '/users/{address}/rewards', name: 'chainId', values: ['100', '101', '102', '109'] },
  { path: '/changes', name: 'chainId', values: ['100', '101', '102', '109'] },
  { path: '/changes', name: 'campaignId', values: [toId(0), toId(1), toId(2), toId(9)], max: 50 },
  { path: '/export/campaigns', name: 'chainId', values: ['100', '101', '102', '109'] },
  { path: '/export/claims', name: 'chainId', values: ['100', '101', '102', '109'] },
  { path: '/export/tokens', name: 'chainId', values: ['100', '101', '102', '109'] },
  { path: '/export/prices', name: 'chainId', values: ['100', '101', '102', '109'] },
]

/** A query with so many entries. */
export function entriesOf({ name, values: [one] }: { name: string; values: [string, ...string[]] }, count: number) {
  const entry = (number: number) => {
    if (name === 'campaignId') return toId(number)
    if (one.includes(':')) return `${number}:${first}`
    if (name === 'txHash') return aHash(`entry ${number}`)
    if (one.startsWith('0x')) return anAddress(`entry ${number}`)
    return name.startsWith('chainId') ? String(number) : `entry ${number}`
  }
  return Array.from({ length: count }, (_, index) => `${name}=${entry(index)}`).join('&')
}

export { first, second, third }
