import { type SQL, sql } from 'drizzle-orm'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import type { Database } from '../../../database/connection/open-database.ts'
import { actionTemplates, campaigns } from '../../../database/tables/campaigns.ts'
import { claims, incentives } from '../../../database/tables/incentives-and-claims.ts'
import { tokens } from '../../../database/tables/tokens.ts'
import {
  type Explanation,
  type FailedFilter,
  MAX_EXPLAINED_TEXT,
} from '../../../schemas/campaigns/campaign-explanations.ts'
import type { CampaignFilters } from '../../../schemas/campaigns/campaign-filters.ts'
import { toSearchWords } from '../../../schemas/parameters/search-words.ts'
import { truncate } from '../../../schemas/texts.ts'
import { type ColumnFilterValues, columnFilters, filteredColumns, valuesOf } from '../column-filters.ts'
import { foldCase } from '../search.ts'
import { campaignFacets } from '../tables.ts'
import { listsVersion } from './side-lookups.ts'

/*
 * Why a campaign is in no list of a request: each filter on what the campaign has. The index answers which campaigns pass, of many at once; this
 * says of one which filters it does not pass, and what it has instead. A test compares both.
 */

/** The filters of the list and of trending. */
export interface ExplainedFilters extends CampaignFilters, Omit<ColumnFilterValues, keyof CampaignFilters> {
  campaignId?: string[]
  incentiveType?: string[]
  actionType?: string[]
  search?: string
  sortBy?: string
  actionTemplateOnly?: boolean
  showActiveOnly?: boolean
  creator?: string
  user?: string
  includeActionTypes?: string[]
  excludeActionTypes?: string[]
  /** In trending, the period in which a campaign has to be claimed, and its length. */
  period?: string
  periodSeconds?: number
  /** Whether only active campaigns are listed, whatever the parameters. */
  status?: 'active'
}

const { placeholder } = sql
const texts = (query: ReturnType<typeof sql>) => sql<string[]>`array(${query})`
const facetsOf = (kind: string, value: ReturnType<typeof sql>) =>
  texts(
    sql`select ${value} from ${campaignFacets} facet where facet.campaign_key = ${campaigns.key} and facet.kind = ${sql.raw(`'${kind}'`)} order by 1`,
  )
const addressed = sql`facet.chain_id || ':' || facet.value`
const paidTokens = sql`(
  select distinct ${incentives.chainId} || ':' || ${incentives.asset} as id, ${tokens.name} as name, ${tokens.symbol} as symbol
  from ${incentives} left join ${tokens} on ${tokens.chainId} = ${incentives.chainId} and ${tokens.address} = ${incentives.asset}
  where ${incentives.campaignKey} = ${campaigns.key} and ${incentives.asset} is not null)`

const columns = {
  listsVersion,
  key: sql<number>`${campaigns.key}::float8`,
  id: campaigns.id,
  chainId: campaigns.chainId,
  filtered: filteredColumns,
  creator: campaigns.creator,
  name: campaigns.campaignName,
  startsAt: sql<number | null>`(1000 * extract(epoch from ${campaigns.startAt}))::float8`,
  endsAt: sql<number | null>`(1000 * extract(epoch from ${campaigns.endAt}))::float8`,
  isExhausted: campaigns.isExhausted,
  areParticipantsReached: sql<boolean>`${campaigns.maxParticipants} <> 0 and coalesce((
    select claimant_count from campaign_claimant_counts counted where counted.campaign_key = ${campaigns.key}), 0) >= ${campaigns.maxParticipants}`,
  isWhitelisted: campaigns.hasWhitelistedRewards,
  usesTemplateAsIs: campaigns.usesTemplateAsIs,
  actionType: sql<string | null>`${actionTemplates.actionType}`,
  targets: facetsOf('target', addressed),
  tokens: facetsOf('token', addressed),
  collections: facetsOf('collection', addressed),
  channels: facetsOf('channel', sql`facet.value`),
  incentiveTypes: texts(
    sql`select distinct ${incentives.type} from ${incentives} where ${incentives.campaignKey} = ${campaigns.key} order by 1`,
  ),
  rewardTokens: texts(sql`select id from ${paidTokens} paid order by 1`),
  /** The names and symbols that a search looks into. */
  names: texts(
    sql`select named from ${paidTokens} paid cross join lateral (values (name), (symbol)) as each (named) where named is not null order by id, named`,
  ),
  /** Of each searched word, whether some name has it. */
  hasWord: sql<boolean[]>`array(
    select coalesce(word_starts(${campaigns.campaignName}) @@ words_query(word), false) or exists (
      select from ${paidTokens} paid where word_starts(name || ' ' || symbol) @@ words_query(word))
    from unnest(${placeholder('words')}::text[]) with ordinality as each (word, nth) order by nth)`,
  /** Of the placeholder `user`, if there is one. */
  access: sql<string | null>`case when ${placeholder('user')}::text is not null then (
    select status from campaign_access(${campaigns.key}, ${placeholder('user')}::text)) end`,
  isClaimedInPeriod: sql<boolean>`exists (
    select from ${claims} where ${claims.campaignKey} = ${campaigns.key}
      and ${claims.blockTimestamp} > ${placeholder('since')}::bigint and ${claims.blockTimestamp} <= ${placeholder('until')}::bigint)`,
}
type Facts = SelectResultFields<typeof columns>

/**
 * Explains one campaign: some index lookups. The campaign as it is `now`.
 * @param order the parameters of the operation, in their order; what is none of them comes last.
 * @param stamp of the state of the data that it is read from.
 */
export function createExplanations(database: Database, order: readonly string[], stamp: SQL<string>) {
  const statement = database
    .select({ ...columns, stamp })
    .from(campaigns)
    .leftJoin(actionTemplates, sql`${actionTemplates.id} = ${campaigns.actionTemplateId}`)
    .where(sql`${campaigns.id} = ${placeholder('id')}`)
    .prepare('explain_campaign')

  return async (campaignId: string, filters: ExplainedFilters, now: Date) => {
    const id = foldCase(campaignId)
    const until = Math.floor(now.getTime() / 1000)
    const words = filters.search === undefined ? [] : toSearchWords(filters.search)
    const [facts] = await statement.execute({
      ...{ id, words, user: filters.user ?? null, until },
      since: until - (filters.periodSeconds ?? 0),
    })
    if (facts === undefined)
      return { explained: { id, isKnown: false, isListed: false, failed: [] } satisfies Explanation }
    const found = findFailed(filters, facts, now)
    const failed = [...order, 'status'].flatMap((name) => found.filter(({ parameter }) => parameter === name))
    const explained: Explanation = { id, isKnown: true, isListed: failed.length === 0, failed }
    return {
      explained,
      key: facts.key,
      stamp: facts.stamp,
      listsVersion: facts.listsVersion,
      changesAt: nextChangeOf(facts, now.getTime()),
    }
  }
}

function findFailed(filters: ExplainedFilters, facts: Facts, now: Date): FailedFilter[] {
  const inactive = inactiveReasons(facts, now.getTime())
  const checks = createChecks()
  checkRecord(checks, filters, facts)
  checkLists(checks, filters, facts)
  checkActivity(checks, filters, facts, inactive)
  return checks.failed
}

type Values = string | readonly string[]

function createChecks() {
  const failed: FailedFilter[] = []
  function check(parameter: string, isPassed: boolean, required: Values, actual: Values | null) {
    if (!isPassed) failed.push({ parameter, required: toText(required), actual: toText(actual) })
  }
  return {
    failed,
    check,
    /** One of the values of the filter, if there is one, has to be among those of the campaign. */
    checkAny(
      parameter: string,
      values: readonly string[] | undefined,
      own: readonly string[],
      fold: (value: string) => string = foldCase,
    ) {
      const there = own.map(fold)
      if (values !== undefined) {
        check(
          parameter,
          values.some((value) => there.includes(fold(value))),
          values,
          own,
        )
      }
    },
  }
}
type Checks = ReturnType<typeof createChecks>

/** The filter of one value; none where a request has none, or says `null`. */
const only = (value: string | number | null | undefined) => (value == null ? undefined : [String(value)])

const present = (value: string | null) => (value === null ? [] : [value])

function checkRecord({ check, checkAny }: Checks, filters: ExplainedFilters, facts: Facts) {
  const { chainId, targetContract } = filters
  for (const { name, isName } of columnFilters) {
    checkAny(name, valuesOf(filters, name), present(facts.filtered[name]), isName ? String : foldCase)
  }
  checkAny('creator', only(filters.creator), [facts.creator])
  checkAny('campaignId', filters.campaignId, [facts.id])
  // With a target contract, the chain is that of the contract.
  if (targetContract === undefined) checkAny('chainId', only(chainId), [String(facts.chainId)])
  else checkAny('targetContract', [`${chainId}:${targetContract}`], facts.targets)
  if (filters.tokenWhitelist) check('tokenWhitelist', facts.isWhitelisted, 'true', 'false')
  if (filters.actionTemplateOnly) check('actionTemplateOnly', facts.usesTemplateAsIs, 'true', 'false')
}

function checkLists({ check, checkAny }: Checks, filters: ExplainedFilters, facts: Facts) {
  const collections = [...new Set([...facts.collections, ...facts.targets])].map((token) => `${token}:collection`)
  const ownType = present(facts.actionType)
  checkAny('tokens', filters.tokens, [...facts.tokens, ...collections])
  checkAny('rewardToken', filters.rewardToken, facts.rewardTokens)
  checkAny('distributionChannel', filters.distributionChannel, facts.channels)
  checkAny('incentiveType', filters.incentiveType, facts.incentiveTypes)
  checkAny('actionType', filters.actionType, ownType)
  checkAny('includeActionTypes', filters.includeActionTypes, ownType)
  const { excludeActionTypes: excluded = [], search } = filters
  const isExcluded = excluded.map(foldCase).some((type) => ownType.map(foldCase).includes(type))
  check('excludeActionTypes', !isExcluded, excluded, ownType)
  if (search !== undefined) {
    const isFound = facts.hasWord.length > 0 && facts.hasWord.every(Boolean)
    check('search', isFound, search, [...present(facts.name), ...facts.names])
  }
}

function checkActivity({ check }: Checks, filters: ExplainedFilters, facts: Facts, inactive: readonly string[]) {
  const isActive = inactive.length === 0
  if (filters.sortBy === 'ending-soon') check('sortBy', isActive && facts.endsAt !== null, filters.sortBy, inactive)
  if (filters.showActiveOnly) check('showActiveOnly', isActive, 'true', 'false')
  if (filters.user !== undefined) check('user', facts.access === 'allowed', 'allowed', facts.access)
  if (filters.period !== undefined) check('period', facts.isClaimedInPeriod, filters.period, null)
  if (filters.status !== undefined) check('status', isActive, filters.status, inactive)
}

/** Several values with commas; null without any. */
function toText(values: Values | null) {
  if (values === null || values.length === 0) return null
  return truncate(typeof values === 'string' ? values : values.join(','), MAX_EXPLAINED_TEXT - 1)
}

/** By the words of the reasons of eligibility; empty for an active campaign. */
function inactiveReasons({ startsAt, endsAt, isExhausted, areParticipantsReached }: Facts, now: number) {
  return [
    ...(startsAt !== null && startsAt > now ? ['not-started'] : []),
    ...(endsAt !== null && endsAt <= now ? ['ended'] : []),
    ...(isExhausted ? [areParticipantsReached ? 'max-participants-reached' : 'incentive-spent'] : []),
  ]
}

/** When the campaign starts or ends; infinity where it does neither any more. */
const nextChangeOf = ({ startsAt, endsAt }: Facts, now: number) =>
  Math.min(...[startsAt, endsAt].map((at) => (at !== null && at > now ? at : Number.POSITIVE_INFINITY)))
