import { toUrl } from '../campaign-query.ts'

/** What the form is filled with: what the address says, as it is written, and the defaults where it says nothing. */
export function entriesOf(parameters: URLSearchParams) {
  const text = (name: string) => parameters.getAll(name).join(',')
  return {
    text,
    /** The entries of a list. */
    chosen: (name: string) => text(name).split(',').filter(Boolean),
    /** A flag that is on unless it is taken away. */
    isOn: (name: SwitchName) => text(name) !== 'false',
    isSet: (name: string) => text(name) === 'true',
  }
}

/** What a form holds, in its order: a box that is not checked is not in it. */
export type Entered = readonly (readonly [name: string, value: string])[]

/** Lists of what holds no blanks, which may then stand between. */
const LISTS = ['tokens', 'budgetAccount', 'minBlock']

/** What the service takes for not asked. */
const DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['sortBy', 'recently-deployed'],
  ['pageSize', '10'],
  ['tokenWhitelist', 'true'],
  ['showActiveOnly', 'true'],
])

/** What filters unless it is taken away; the form does not hold it then. */
const SWITCHES = ['tokenWhitelist', 'showActiveOnly'] as const
type SwitchName = (typeof SWITCHES)[number]

/** The list with what somebody has entered, from its first page; what filters nothing is left out. */
export function enteredUrl(entered: Entered): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of entered) {
    const written = LISTS.includes(name) ? entriesIn(value).join(',') : value.trim()
    if (written !== '' && written !== DEFAULTS.get(name)) add(parameters, name, written)
  }
  for (const name of SWITCHES) {
    if (entered.every(([held]) => held !== name)) parameters.set(name, 'false')
  }
  return toUrl(parameters)
}

/** A list has a box for each of its entries, and may have a field for others. */
function add(parameters: URLSearchParams, name: string, written: string) {
  const before = parameters.get(name)
  parameters.set(name, before === null ? written : [...new Set(`${before},${written}`.split(','))].join(','))
}

const entriesIn = (list: string) => list.split(/[\s,]+/).filter(Boolean)

/** The first token that is entered by its symbol, not by its chain and its address. */
export const symbolIn = (entered: Entered): string | undefined =>
  entered.flatMap(([name, value]) => (name === 'tokens' ? entriesIn(value) : [])).find((entry) => !/:|^0x/i.test(entry))

/** What was entered, with the ID of a token in the place of its symbol. */
export const withToken = (entered: Entered, symbol: string, id: string): Entered =>
  entered.map(([name, value]) => {
    if (name !== 'tokens') return [name, value]
    const ids = entriesIn(value).map((entry) => (entry === symbol ? id : entry))
    return [name, [...new Set(ids)].join(',')]
  })

/** The ID of the chain that is chosen; empty without one. */
export const chainOf = (entered: Entered) => new Map(entered).get('chainId') ?? ''
