import type pg from 'pg'
import { recomputeCampaignsAndClaims } from '../../src/ingest/rebuild.ts'
import { createTempTables } from '../../src/ingest/staging/temp-tables.ts'

/*
 * Facts made by the database itself, since an import of ten million claims would take longer than what is measured. They
 * are those that an import of their export makes.
 */

/** Indexes are made at the end, which is far faster, by their own definitions. */
const INDEXED_LATER = ['campaigns', 'incentives', 'action_steps', 'campaign_facets', 'allow_lists', 'claims']

/** Of a draft, the Unix second of the block that created its campaign: in the last 400 days. */
const CREATED_AT = 'now - floor(400 * 86400 * age)::bigint'

/** Fills a migrated, empty database: claims of the last 90 days, and of a day to come, so that windows go on filling. */
export async function generateFacts(client: pg.Client, campaigns: number, claims: number) {
  await client.query(`set work_mem = '1GB'; set maintenance_work_mem = '1GB'; set synchronous_commit = off;
    select setseed(0.42)`)
  const { rows } = await client.query<{ remove: string; restore: string }>({
    text: `
      select 'alter table ' || conrelid::regclass || ' drop constraint ' || quote_ident(conname) as remove,
        'alter table ' || conrelid::regclass || ' add constraint ' || quote_ident(conname) || ' '
          || pg_get_constraintdef(oid) as restore, contype = 'f' as is_first
      from pg_constraint
      where contype = 'f' or contype in ('p', 'u') and conrelid = any ($1::regclass[])
      union all
      select 'drop index ' || indexrelid::regclass, pg_get_indexdef(indexrelid), false from pg_index
      where indrelid = any ($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)
      order by is_first desc`,
    values: [INDEXED_LATER],
  })
  for (const { remove } of rows) await client.query(remove)
  for (const statement of statementsFor(campaigns, claims)) await client.query(statement)
  for (const { restore } of rows.reverse()) await client.query(restore)
  await createTempTables(client)
  await client.query('begin')
  for (const statement of recomputeCampaignsAndClaims) await client.query(statement)
  await client.query('commit')
  await client.query('vacuum (analyze)')
}

const address = (kind: string, number: string) =>
  `('0x' || md5('${kind}' || ${number}) || left(md5(${number} || ''), 8))`
const chain = (number: string) => `(array[8453, 8453, 8453, 8453, 10, 10, 42161, 7777777, 480, 1])[1 + ${number} % 10]`

const statementsFor = (campaigns: number, claims: number) => [
  `insert into tokens (chain_id, address, decimals, name, symbol, image_uri, is_whitelisted, price_usd, base_unit_price_usd)
  select chain_id, ${address('token', 'token')}, 6, 'Token ' || token, 'T' || token, 'https://images.example/t.png',
    token < 3, 0.5, 0.0000005
  from unnest(array[1, 10, 480, 8453, 42161, 7777777]) as chain_id, generate_series(0, 11) as token`,
  `insert into priced_tokens (chain_id, address) select chain_id, address from tokens`,
  `insert into imported_prices (token_key, at, price_usd) select key, now() - interval '92 days', 0.5 from priced_tokens`,
  `insert into action_templates (id, project_id, action_type, project_image, category)
  select md5('template' || number)::uuid, 'project', (array['mint', 'swap', 'bridge', 'vote'])[1 + number % 4],
    'https://images.example/p.png', 'defi'
  from generate_series(0, 15) as number`,
  `insert into contracts (chain_id, address, name)
  select ${chain('number')}, ${address('target', 'number')}, 'Contract ' || number
  from generate_series(0, ${Math.floor(campaigns / 50)}) as number`,
  `insert into access_lists (id, user_id, name, icon, created_at, member_count)
  select 'list-' || list, 'user', 'List', '', now(), 1000 from generate_series(0, 19) as list`,
  `insert into access_list_members (access_list_id, address)
  select 'list-' || list, ${address('user', 'number')}
  from generate_series(0, 19) as list, generate_series(list * 1000, list * 1000 + 999) as number`,
  // Every fifth step is on a second contract. A part of the targets is well known, and of those some far more than
  // others; the rest are collections. One creator has a hundredth of all campaigns, the others about 40 each.
  `create temporary table drafts as
  select *, ${chain('target')} as chain_id from (
    select key, extract(epoch from now())::bigint as now,
      case when random() < 0.01 then 0 else 1 + floor(random() * ${campaigns / 40})::bigint end as creator,
      case when random() < 0.4 then floor(40 * random() ^ 2)::bigint
        else 40 + floor(random() * ${campaigns / 25})::bigint end as target,
      case when random() < 0.2 then floor(40 * random() ^ 2)::bigint end as second_target,
      floor(12 * random() ^ 3)::bigint as token, random() as fate, random() as access, random() as age,
      case when random() < 0.6 then floor(random() * 16)::bigint end as template,
      (array['ERC20Incentive', 'ERC20VariableCriteriaIncentiveV2', 'PointsIncentive'])[1 + floor(3 * random() ^ 2)] as type,
      case when random() < 0.3 then 2 else 1 end as incentives
    from generate_series(1, ${campaigns}) as key) numbers`,
  'alter table drafts add primary key (key)',
  'analyze drafts',
  // By fate: 15 % have ended, 5 % are yet to start, 10 % are exhausted, 30 % will end.
  `insert into campaigns (key, id, chain_id, core_address, identifier, campaign_index, action, budget, owner, creator,
    validator, block_timestamp, tx_hash, protocol_fee, max_participants, campaign_name, action_template_id,
    custom_action, uses_template_as_is, project_url, start_at, end_at, distribution_channels, has_whitelisted_rewards, is_exhausted)
  overriding system value
  select key, chain_id || ':' || ${address('core', 'chain_id')} || ':' || key, chain_id, ${address('core', 'chain_id')},
    key, key, ${address('action', 'key')}, ${address('budget', 'creator')}, ${address('creator', 'creator')},
    ${address('creator', 'creator')}, ${address('validator', '1')}, ${CREATED_AT},
    '0x' || encode(sha256(key::text::bytea), 'hex'), 0, 0, 'Campaign ' || key, md5('template' || template)::uuid,
    age >= 0.5, template is not null and age < 0.5, 'https://project.example/' || key,
    case when fate between 0.15 and 0.2 then to_timestamp(now + 86400 * 30 * age) end,
    case when fate < 0.15 then to_timestamp(now - 86400 * 90 * age)
      when fate > 0.7 then to_timestamp(now + 86400 * 60 * age) end,
    '{}', token < 3 or type = 'PointsIncentive' and incentives = 1, fate between 0.2 and 0.3
  from drafts`,
  `select setval('campaigns_key_seq', ${campaigns})`,
  `insert into incentives (campaign_key, position, type, chain_id, asset, definition)
  select key, position, kind, chain_id, paid, jsonb_strip_nulls(jsonb_build_object(
      'type', kind, 'asset', paid, 'reward', '2500000',
      'limit', case when paid is null and fate between 0.2 and 0.3 then '0' else '50000000000000' end,
      'remainingBalance', case when paid is not null and fate between 0.2 and 0.3 then '0' end)) || case kind
      when 'ERC20Incentive' then '{"strategy": 0}'
      when 'PointsIncentive' then '{"selector": "0x40c10f19", "venue": "0x6916153295803dbf4eb4f5024067714e7cdc0b83"}'
      else jsonb_build_object('maxReward', '25000000', 'criteria', jsonb_build_object('criteriaType', 0, 'signature',
        '0xddf252ad', 'fieldIndex', 2, 'targetContract', ${address('target', 'target')}, 'valueType', 1)) end
  from drafts, generate_series(0, incentives - 1) as position,
    lateral (select case position when 0 then type else 'ERC20Incentive' end as kind) as kinds,
    lateral (select case when kind <> 'PointsIncentive' then ${address('token', 'token')} end as paid) as payments`,
  `insert into action_steps (campaign_key, position, definition)
  select key, position, jsonb_build_object('chainId', ${chain('contract')}, 'signature', '0xddf252ad', 'signatureName',
    'Transfer(address,address,uint256)', 'signatureType', 'event', 'actionType', 0, 'targetContract',
    ${address('target', 'contract')}, 'parameters', '{"filterType": 0, "fieldType": 1, "fieldIndex": 2, "filterData": "0x"}'::jsonb)
  from drafts, lateral (values (0, target), (1, second_target)) as steps (position, contract) where contract is not null`,
  `insert into campaign_facets (kind, chain_id, value, campaign_key, block_timestamp)
  select 'target', ${chain('contract')}, ${address('target', 'contract')}, key, ${CREATED_AT}
  from drafts, lateral (select target union select second_target) as steps (contract) where contract is not null
  union all
  select 'token', chain_id, ${address('token', 'token')}, key, ${CREATED_AT} from drafts where type <> 'PointsIncentive' or incentives > 1`,
  `insert into allow_lists (campaign_key, owner, contract_address, type, access_list_id, has_recorded_addresses, address_count)
  select key, ${address('creator', 'creator')}, ${address('list', 'key')}, kind,
    case when kind = 'OffchainAccessList' then 'list-' || key % 20 end, kind like 'Simple%',
    case when kind like 'Simple%' then 5 else 0 end
  from drafts, lateral (select (array['OpenAllowList', 'SimpleAllowList', 'OffchainAccessList', 'SimpleDenyList'])
    [1 + floor(access * 20)::integer]) as kinds (kind)
  where access < 0.2`,
  `insert into allow_list_addresses (campaign_key, address)
  select campaign_key, ${address('user', '(campaign_key + number)')} from allow_lists, generate_series(1, 5) as number
  where type like 'Simple%'`,
  // In the order in which blocks are made. The campaign of a claim is zipf-like distributed, with a long tail: about 1 % of
  // the claims are of one campaign at 1,000,000 campaigns. Which those are has nothing to do with their keys.
  `insert into claims (chain_id, tx_hash, log_index, campaign_key, incentive_position, claimant, amount, amount_usd,
    is_value_derived, block_timestamp)
  select drafts.chain_id, sha256(number::text::bytea), number % 50, key,
    position, ${address('user', 'claimant')}, amount,
    case when amount % 20 <> 0 then amount * 0.00000125 when is_derived then amount * 0.0000005 end, is_derived, drafts.now - 90 * 86400 + number * 91 * 86400 / ${claims}
  from (
    select number, 1 + floor(${campaigns} * random() ^ 3)::bigint * 611953 % ${campaigns} as key,
      floor(random() * ${claims / 20})::bigint as claimant, floor(4000000 * random() ^ 4)::bigint as amount
    from generate_series(1, ${claims}::bigint) as number
  ) numbers join drafts using (key),
    lateral (select case when incentives = 2 and number % 3 = 0 then 1 else 0 end as position) claimed,
    lateral (select amount % 20 = 0 and (position = 1 or type <> 'PointsIncentive') as is_derived) valued`,
  'drop table drafts',
]
