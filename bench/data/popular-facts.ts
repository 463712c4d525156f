import pg from 'pg'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import type { IncentivesById } from './block-batches.ts'

/** The most frequent values, for the most expensive queries. */
export interface Popular {
  owner: string
  budget: string
  creator: string
  chainId: string
  token: { chainId: string; address: string }
  target: { chainId: string; address: string }
  actionTemplateId: string
  /** An address that has claimed. */
  claimant: string
}

/** Queries the tables directly: the service is what is measured. */
export async function queryFacts<Row>(databaseUrl: string, sql: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows as Row[]
  } finally {
    await client.end()
  }
}

export async function findPopular(databaseUrl: string): Promise<Popular> {
  const max = async (columns: string, from: string) => {
    const [row] = await queryFacts<Record<string, string>>(
      databaseUrl,
      `select ${columns} from ${from} group by ${columns
        .split(', ')
        .map((_, index) => index + 1)
        .join(', ')} order by count(*) desc limit 1`,
    )
    return (name: string) => {
      const value = row?.[name]
      if (value === undefined) throw new Error(`there is no ${name}`)
      return String(value)
    }
  }
  const account = await max('owner, budget, creator', 'campaigns')
  const chain = await max('chain_id', 'campaigns')
  const token = await max('chain_id, asset', 'incentives where asset is not null')
  const target = await max(
    `definition ->> 'chainId' as chain_id, definition ->> 'targetContract' as contract`,
    'action_steps',
  )
  const template = await max('action_template_id', 'campaigns where uses_template_as_is')
  const [claim] = await queryFacts<{ claimant: string }>(databaseUrl, 'select claimant from claims limit 1')
  return {
    ...{ owner: account('owner'), budget: account('budget'), creator: account('creator') },
    chainId: chain('chain_id'),
    token: { chainId: token('chain_id'), address: token('asset') },
    target: { chainId: target('chain_id'), address: target('contract') },
    actionTemplateId: template('action_template_id'),
    claimant: claim?.claimant ?? '',
  }
}

/** IDs of the campaigns with the most claims. */
export const findMostClaimed = async (databaseUrl: string, count = 10) =>
  idsOf(
    await queryFacts(
      databaseUrl,
      `select id from (select campaign_key, count(*) from claims group by 1 order by 2 desc limit ${count}) as most
      join campaigns on key = campaign_key order by count desc`,
    ),
  )

/** IDs of at most `count` campaigns, the same each time. */
export const findAny = async (databaseUrl: string, count: number) =>
  idsOf(
    await queryFacts(
      databaseUrl,
      `select id from campaigns where key in (select 1 + number * 7919 % (select count(*) from campaigns)
      from generate_series(1, $1::bigint) as number) order by md5(id) limit $1`,
      [count],
    ),
  )

/** The stored incentives of campaigns. */
export async function findIncentives(databaseUrl: string, ids: string[]): Promise<IncentivesById> {
  const rows = await queryFacts<{ id: string; incentives: CampaignRecord['incentives'] }>(
    databaseUrl,
    `select id, json_agg(definition order by position) as incentives
    from campaigns join incentives on campaign_key = key where id = any ($1) group by id`,
    [ids],
  )
  return new Map(rows.map(({ id, incentives }) => [id, incentives]))
}

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)
