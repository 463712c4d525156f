import { columnFilters, columnValueTexts } from './column-filters.ts'
import { foldCase } from './search.ts'
import type { IndexedCampaign } from './slots/campaign-slots.ts'

/*
 * What the index knows of a campaign, as one text: the same for all campaigns, which are copied, and for some, which a statement
 * reads.
 */

/** Between the values of a line. No value contains it: free texts are written as JSON. */
const SEPARATOR = '\u001f'

/**
 * A column `line` for each campaign: instants in milliseconds since 1970, empty if there is none. Rows of other tables are brought
 * together before they are joined, which for all campaigns takes a fifth of the time of looking them up. Not a file of SQL, because
 * the values of columns are made from the one list of filters (column-filters.ts), and PostgreSQL does not carry
 * `key = any (…)` into the groups.
 * @param only a condition on the keys in the column that it is called with; absent: all campaigns.
 */
export const indexedLines = (only: (column: string) => string = () => 'true') => `
  select concat_ws(e'\\x1f', key, id, block_timestamp,
    coalesce((extract(epoch from start_at) * 1000)::bigint::text, ''),
    coalesce((extract(epoch from end_at) * 1000)::bigint::text, ''),
    is_exhausted::integer, ${columnValueTexts.join(', ')}, 'chain ' || chain_id, template.action,
    case when has_whitelisted_rewards then 'whitelisted ' end, case when uses_template_as_is then 'template ' end,
    facets.listed, paid.listed) as line
  from campaigns
  left join (
    select id as used_template, 'action ' || to_json(action_type) as action from action_templates offset 0
  ) template on used_template = action_template_id
  left join (
    select campaign_key, string_agg(
      kind || ' ' || case kind when 'channel' then to_json(value)::text else chain_id || ':' || value end, e'\\x1f') as listed
    from campaign_facets where ${only('campaign_key')} group by campaign_key
  ) facets on facets.campaign_key = key
  left join (
    select campaign_key, string_agg(
      concat_ws(e'\\x1f', 'incentive ' || type, 'reward ' || chain_id || ':' || asset), e'\\x1f') as listed
    from incentives where ${only('campaign_key')} group by campaign_key
  ) paid on paid.campaign_key = key
  where ${only('key')}`

/** The campaign of a line. */
export function parseLine(line: string): IndexedCampaign {
  const [key, id = '', blockTimestamp, startsAt, endsAt, isExhausted, ...facets] = line.split(SEPARATOR)
  return {
    key: Number(key),
    id,
    blockTimestamp: Number(blockTimestamp),
    startsAt: startsAt ? Number(startsAt) : Number.NEGATIVE_INFINITY,
    endsAt: endsAt ? Number(endsAt) : Number.POSITIVE_INFINITY,
    isExhausted: isExhausted === '1',
    facets: facets.map(toName),
  }
}

/** The kinds of free texts that are compared without case. */
const CASELESS = new Set([
  ...['channel', 'action'],
  ...columnFilters.filter(({ values }) => values === 'texts').map(({ kind }) => kind),
])

/**
 * A facet whose value is JSON, with the value itself. It is folded here, as requests are: the ICU of PostgreSQL may know fewer letters,
 * and then `fold_case` leaves them as they are.
 */
function toName(facet: string) {
  if (!facet.endsWith('"')) return facet
  const start = facet.indexOf('"')
  const [kind, value] = [facet.slice(0, start - 1), JSON.parse(facet.slice(start))]
  return `${kind} ${CASELESS.has(kind) ? foldCase(value) : value}`
}

/** The lines of what COPY writes, which escapes the one backslash of JSON by another. */
export async function* copiedLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf('\n')
    if (end < 0) {
      rest = Buffer.concat([rest, chunk])
      continue
    }
    const text = Buffer.concat([rest, chunk.subarray(0, end)]).toString()
    rest = Buffer.from(chunk.subarray(end + 1))
    yield text.replaceAll('\\\\', '\\').split('\n')
  }
}
