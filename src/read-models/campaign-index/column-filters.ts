import { sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { campaigns } from '../../database/tables/campaigns.ts'

interface ColumnFilter {
  /** What the index calls its values; nothing else in it is called so (indexed-rows.ts). */
  kind: string
  column: keyof typeof campaigns.$inferSelect
  /**
   * What the column has: `addresses`, which are stored in lower case and whose form a record is checked for; `names`, any text, which is
   * compared as it is; `texts`, any text, compared without case.
   */
  values: 'addresses' | 'names' | 'texts'
}

/**
 * The filters that a campaign passes if one of its columns has the value, or one of the values, of a parameter. By the name of the
 * parameter: what the index has of a campaign, how it is searched, and how a campaign is explained follows from this.
 */
const filters = {
  owner: { kind: 'owner', column: 'owner', values: 'addresses' },
  budgetAccount: { kind: 'budget', column: 'budget', values: 'addresses' },
  autocampaignId: { kind: 'autocampaign', column: 'autocampaignId', values: 'names' },
} satisfies Record<string, ColumnFilter>

type FilterName = keyof typeof filters

/** What a request requires by these filters. */
export type ColumnFilterValues = { [Name in FilterName]?: string | string[] }

export const columnFilters = Object.entries<ColumnFilter>(filters).map(([name, filter]) => ({
  name: name as FilterName,
  ...filter,
  isName: filter.values === 'names',
}))

/** The values of a request, none of which is an empty text; undefined if it does not filter so. */
export function valuesOf(given: ColumnFilterValues, name: FilterName): string[] | undefined {
  const values = given[name]
  return typeof values === 'string' ? (values === '' ? undefined : [values]) : values
}

/** What each filter is called in a line of the index, with the value of the campaign, as SQL texts. */
export const columnValueTexts = columnFilters.map(({ kind, column, values }) => {
  // What is joined to campaigns may have a column of the same name.
  const value = `campaigns.${toSnakeCase(column)}`
  return `'${kind} ' || ${values === 'addresses' ? value : `to_json(${value})`}`
})

/** What campaigns have in these columns, to be selected. */
export const filteredColumns = Object.fromEntries(
  columnFilters.map(({ name, column }) => [name, sql<string | null>`${campaigns[column]}`]),
) as Record<FilterName, ReturnType<typeof sql<string | null>>>
